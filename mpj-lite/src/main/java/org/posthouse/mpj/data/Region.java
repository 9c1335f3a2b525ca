package org.posthouse.mpj.data;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * Elements of one datatype in an array or NIO buffer, from an offset on, as data of a collective. Positions and counts
 * are in elements of the datatype; position p begins p extents behind the offset. The creator has checked the ranges
 * that will be used.
 */
public final class Region {
    /** Result of {@link #bytes} if only serialization could tell. */
    public static final long BYTES_UNKNOWN = -1;

    /** Bytes moved at once between stores that have no common kind. */
    private static final int PIECE_BYTES = 64 * 1024;

    private final Base base;
    private final Layout layout;
    private final Object store;
    private final int offset;
    /** Data elements of one position: those of the layout, or 1 in a region of single data elements. */
    private final int unit;

    /**
     * @param store an array or buffer that holds elements of {@code base}
     * @param offset index of the first element's displacement 0, in base elements
     */
    public Region(Base base, Layout layout, Object store, int offset) {
        this(base, layout, store, offset, layout.size());
    }

    private Region(Base base, Layout layout, Object store, int offset, int unit) {
        this.base = base;
        this.layout = layout;
        this.store = store;
        this.offset = offset;
        this.unit = unit;
    }

    /**
     * The same data with positions and counts in single data elements, as a message carries them. It serves to cut a
     * message where ranks may use different datatypes with the same sequence of elements. Valid for {@link #bytes},
     * {@link #content} and {@link #sink} only.
     */
    public Region inDataElements() {
        return new Region(base, layout, store, offset, 1);
    }

    /**
     * Data elements of {@code count} elements.
     *
     * @throws ArithmeticException if they are more than an int can tell
     */
    public int dataElements(int count) {
        return Math.multiplyExact(count, unit);
    }

    /** Data elements of this region's kind in a message, rounded down. */
    public long elements(Envelope message) {
        return base.elements(message);
    }

    /** Envelope of a message of the first {@code count} elements, which are not objects. */
    public Envelope envelope(int count) {
        return new Envelope(0, 0, bytes(count), dataElements(count), base.code());
    }

    /** The array or buffer. */
    public Object array() {
        return store;
    }

    /** Index in the array of the element at position {@code at}. */
    public int index(int at) {
        return offset + at * layout.extent();
    }

    /** Message bytes of {@code count} elements, or {@link #BYTES_UNKNOWN} for objects. */
    public long bytes(int count) {
        return base == Base.OBJECT ? BYTES_UNKNOWN : (long) count * unit * base.bytes();
    }

    /**
     * The elements from position {@code at} on as an outgoing message. Primitive elements are read when they are
     * written to the connection; objects are serialized at once.
     *
     * @throws UnwritableException if an object cannot be serialized
     */
    public Content content(int at, int count) {
        long from = (long) at * unit;
        return base == Base.OBJECT
                ? new ObjectContent(layout, (Object[]) store, offset, from, dataElements(count))
                : new ArrayContent(base, layout, store, offset, from, dataElements(count));
    }

    /** Room for a message of at most {@code capacity} elements, from position {@code at} on. */
    public Sink sink(int at, int capacity) {
        return sink(at, capacity, false);
    }

    /** Room for a message of exactly this number of elements, from position {@code at} on. */
    public Sink exactSink(int at, int count) {
        return sink(at, count, true);
    }

    private Sink sink(int at, int capacity, boolean exact) {
        long elements = (long) capacity * unit;
        if (store == null && elements > 0) {
            return DiscardingSink.SINK;
        }
        long from = (long) at * unit;
        return base == Base.OBJECT
                ? new ObjectSink(layout, (Object[]) store, offset, from, elements, exact)
                : new ArraySink(base, layout, store, offset, from, elements, exact);
    }

    /**
     * This region without room, for a rank that has no memory for it. Data received there are lost, and nothing else
     * may be done with it.
     */
    public Region withoutRoom() {
        return new Region(base, layout, null, 0, unit);
    }

    /** New room for {@code count} elements in an array, of the same class if this region is in an array. */
    public Region scratch(int count) {
        int first = Math.toIntExact(layout.first(count));
        int length = Math.toIntExact(layout.end(count) - first);
        return new Region(base, layout, Array.newInstance(arrayClass().getComponentType(), length), -first);
    }

    private Class<?> arrayClass() {
        // A program may pass no array where it has no elements.
        return store == null || isBuffer(store) ? base.arrayClass() : store.getClass();
    }

    /** A copy of the data alone, in an array without gaps; positions and counts are in data elements there. */
    public Region packed(int at, int count) {
        Region copy = packedScratch(dataElements(count));
        int[] done = {0};
        layout.walk(offset, (long) at * unit, dataElements(count), (index, run) -> {
            move(index, copy, done[0], run);
            done[0] += run;
        });
        return copy;
    }

    /** Whether the data of successive elements have gaps, or are in another order. */
    public boolean hasGaps() {
        return !layout.isDense() && unit > 0;
    }

    /** A copy of the first elements in an array, of a datatype with the same data and no gaps. */
    public Region compact(int count) {
        return new Region(base, Layout.dense(unit), packed(0, count).store, 0);
    }

    /** Copies the first elements of a region of the same datatype, or of one that {@link #compact} made of such. */
    public void take(Region result, int count) {
        if (hasGaps() && !result.hasGaps()) {
            unpack(result, 0, 0, count);
        } else {
            result.moveTo(0, this, 0, count);
        }
    }

    /** New room for {@code count} data elements, as {@link #packed} makes it. */
    public Region packedScratch(int count) {
        return new Region(base, Layout.ONE, Array.newInstance(arrayClass().getComponentType(), count), 0);
    }

    /** Copies data elements from a region of {@link #packed} to this one, {@code count} elements of this one. */
    public void unpack(Region packed, int packedAt, int at, int count) {
        int[] done = {packedAt};
        layout.walk(offset, (long) at * unit, dataElements(count), (index, run) -> {
            packed.move(done[0], this, index, run);
            done[0] += run;
        });
    }

    /**
     * A region in an array with the first {@code count} elements of this one: this one itself, unless it is in a
     * buffer.
     */
    public Region inArray(int count) {
        if (!isBuffer(store)) {
            return this;
        }
        Region copy = scratch(count);
        moveTo(0, copy, 0, count);
        return copy;
    }

    /**
     * Whether writing to the other region may change this one. The answer is uncertain for two direct buffers. It is
     * also uncertain for a view that shows no array (of other elements, or read-only) and anything else on the heap.
     */
    @SuppressWarnings("ReferenceEquality") // Arrays are compared by identity.
    public boolean sharesArrayWith(Region other) {
        return backing(store) == backing(other.store)
                || isDirect(store) == isDirect(other.store) && (hidesMemory(store) || hidesMemory(other.store));
    }

    private static boolean isBuffer(Object store) {
        return store instanceof Buffer || store instanceof BufferMemory;
    }

    /** The program's buffer; null if it is no buffer. */
    private static Buffer buffer(Object store) {
        return store instanceof BufferMemory memory ? memory.buffer() : store instanceof Buffer buffer ? buffer : null;
    }

    private static Object backing(Object store) {
        Buffer buffer = buffer(store);
        return buffer == null ? store : buffer.hasArray() ? buffer.array() : buffer;
    }

    private static boolean isDirect(Object store) {
        Buffer buffer = buffer(store);
        return buffer != null && buffer.isDirect();
    }

    private static boolean hidesMemory(Object store) {
        Buffer buffer = buffer(store);
        return buffer != null && !buffer.hasArray();
    }

    /** Folds elements of this region into another one of the same datatype. This one is unchanged. */
    public void fold(int at, Fold fold, Unit foldUnit, Region inOut, int inOutAt, int count) {
        if (layout.isDense() || foldUnit.isStruct()) {
            int units = dataElements(count) / foldUnit.elements();
            fold.fold(foldUnit, store, index(at), inOut.store, inOut.index(inOutAt), units);
            return;
        }
        int shift = inOut.index(inOutAt) - index(at);
        layout.walk(offset, (long) at * unit, dataElements(count),
                (index, run) -> fold.fold(foldUnit, store, index, inOut.store, index + shift, run / foldUnit.elements()));
    }

    /**
     * Copies elements to a region of the same datatype. Objects are shared, not copied: for moves between the
     * program's arrays and scratch. The ranges may overlap if the datatype has no gaps.
     */
    public void moveTo(int at, Region target, int targetAt, int count) {
        int shift = target.index(targetAt) - index(at);
        layout.walk(offset, (long) at * unit, dataElements(count), (index, run) -> move(index, target, index + shift, run));
    }

    /** As {@link System#arraycopy}, the ranges may overlap. */
    @SuppressWarnings("ReferenceEquality") // Buffers are compared by identity.
    private void move(int from, Region target, int to, int count) {
        if (!isBuffer(store) && !isBuffer(target.store)) {
            System.arraycopy(store, from, target.store, to, count);
        } else if (count > PIECE_BYTES / base.bytes() && store != target.store && sharesArrayWith(target)) {
            // Whether one overlaps the other cannot be told.
            Region copy = packedScratch(count);
            moveInPieces(from, copy, 0, count);
            copy.moveInPieces(0, target, to, count);
        } else {
            moveInPieces(from, target, to, count);
        }
    }

    /** The ranges may overlap in one array or buffer. */
    @SuppressWarnings("ReferenceEquality") // Buffers are compared by identity.
    private void moveInPieces(int from, Region target, int to, int count) {
        int most = PIECE_BYTES / base.bytes();
        ByteBuffer piece = ByteBuffer.allocate(Math.min(most, count) * base.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        boolean fromTheEnd = store == target.store && from < to;
        int left = count;
        while (left > 0) {
            int elements = Math.min(most, left);
            int at = fromTheEnd ? left - elements : count - left;
            base.put(store, from + at, elements, piece.clear());
            base.take(target.store, to + at, elements, piece.flip());
            left -= elements;
        }
    }

    /**
     * Stores elements in {@code target} exactly as a message of them would: same checks, and objects are copies. The
     * ranges may overlap.
     *
     * @param capacity most elements that the target takes
     * @throws ReceiveException if the datatypes differ or the target is too small
     */
    public void deliver(int at, int count, Region target, int targetAt, int capacity) throws ReceiveException {
        int elements = dataElements(count);
        boolean dense = layout.isDense() && target.layout.isDense();
        if (dense && isSame(at, target, targetAt) && elements <= (long) capacity * target.unit) {
            return;
        }
        if (base == Base.OBJECT || base != target.base || !dense && !isLike(target)) {
            boolean moves = base == Base.OBJECT || !sharesArrayWith(target);
            Content content = moves ? content(at, count) : packed(at, count).content(0, elements);
            pass(content, target.sink(targetAt, capacity));
            return;
        }
        target.sink(targetAt, capacity).begin(new Envelope(0, 0, bytes(count), elements, base.code()));
        if (dense && elements > 0) {
            move(index(at), target, target.index(targetAt), elements);
        } else {
            moveTo(at, target, targetAt, count);
        }
    }

    /**
     * Replaces these objects by copies, as a message would, if one of them is the very object at its place in {@code
     * given}.
     *
     * @param given a region of the same datatype in another array
     * @throws UnwritableException if an object cannot be serialized
     */
    @SuppressWarnings("ReferenceEquality") // Identity is the question.
    public void disown(Region given, int count) throws ReceiveException {
        if (base != Base.OBJECT || sharesArrayWith(given)) {
            return;
        }
        Object[] objects = (Object[]) store;
        Object[] others = (Object[]) given.store;
        int shift = given.index(0) - index(0);
        boolean[] same = {false};
        layout.walk(offset, 0, dataElements(count), (index, run) -> {
            for (int at = index; at < index + run; at++) {
                same[0] |= objects[at] != null && objects[at] == others[at + shift];
            }
        });
        if (same[0]) {
            pass(content(0, count), sink(0, count));
        }
    }

    /** Whether both are of the same datatype, and copying cannot change what is still to be copied. */
    @SuppressWarnings("ReferenceEquality") // The same layout is enough; an equal one is merely slower.
    private boolean isLike(Region target) {
        return layout == target.layout && unit == target.unit && !sharesArrayWith(target);
    }

    @SuppressWarnings("ReferenceEquality") // Arrays are compared by identity.
    private boolean isSame(int at, Region target, int targetAt) {
        return store == target.store && base == target.base && index(at) == target.index(targetAt);
    }

    private static void pass(Content content, Sink sink) throws ReceiveException {
        sink.begin(new Envelope(0, 0, content.bytes(), content.elements(), content.datatype()));
        long bytes = content.bytes();
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, bytes)).order(ByteOrder.LITTLE_ENDIAN);
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            content.write(at, piece.clear().limit((int) Math.min(PIECE_BYTES, bytes - at)));
            sink.read(at, piece.flip());
        }
        sink.end();
    }
}
