package org.posthouse.mpj.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Wire;

/** Elements in arrays and buffers, with gaps and without, on their way through messages. */
class RegionTest {
    private static final Layout GAPS = new LayoutBuilder()
            .add(2, 1, Layout.ONE)
            .add(0, 1, Layout.ONE)
            .add(5, 3, Layout.ONE)
            .build();

    /** Carries elements as the wire does, in pieces of one frame. */
    private static void carry(Content content, Sink sink) throws ReceiveException {
        sink.begin(new Envelope(0, 0, content.bytes(), content.elements(), content.datatype()));
        for (long at = 0; at < content.bytes(); at += Wire.PAYLOAD_BYTES_MAX) {
            int bytes = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, content.bytes() - at);
            ByteBuffer piece = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            content.write(at, piece);
            assertThat(piece.hasRemaining()).isFalse();
            sink.read(at, piece.flip());
            assertThat(piece.hasRemaining()).isFalse();
        }
        sink.end();
    }

    /** The bytes that a content says to lie ready, piece by piece, are those that it writes. */
    private static boolean liesReady(Content content) {
        boolean ready = true;
        for (long at = 0; at < content.bytes(); at += Wire.PAYLOAD_BYTES_MAX) {
            int bytes = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, content.bytes() - at);
            ByteBuffer inPlace = content.inPlace(at, bytes);
            ByteBuffer written = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            content.write(at, written);
            ready &= inPlace != null;
            assertThat(inPlace == null || inPlace.isDirect() && inPlace.equals(written.flip())).isTrue();
        }
        return ready;
    }

    @Test
    void contentInWireFormatIsNotCopied() {
        ByteBuffer memory = ByteBuffer.allocateDirect(300_000).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer other = ByteBuffer.allocateDirect(300_000).order(ByteOrder.BIG_ENDIAN);
        ByteBuffer heap = ByteBuffer.allocate(300_000).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, (byte) (i * 31 + i / 256));
            other.put(i, memory.get(i));
            heap.put(i, memory.get(i));
        }
        memory.position(17).limit(100); // Neither counts.
        assertThat(liesReady(new Region(Base.INT, Layout.ONE, memory, 5).content(3, 50_000))).isTrue();
        assertThat(liesReady(new Region(Base.BYTE, Layout.ONE, other, 5).content(3, 250_000))).isTrue();
        assertThat(liesReady(new Region(Base.DOUBLE, Layout.dense(3), memory, 1).content(2, 10_000))).isTrue();
        assertThat(liesReady(new Region(Base.INT, Layout.ONE, other, 5).content(3, 50_000))).isFalse();
        assertThat(liesReady(new Region(Base.INT, Layout.ONE, heap, 5).content(3, 50_000))).isFalse();
        assertThat(liesReady(new Region(Base.INT, GAPS, memory, 0).content(0, 9_000))).isFalse();
    }

    @Test
    void aBuffersPositionAndLimitAreNeitherUsedNorChanged() throws ReceiveException {
        int[] values = random(40);
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            for (int limit : new int[] {160, 100, 8}) {
                ByteBuffer sent = ByteBuffer.allocateDirect(160).order(order);
                sent.asIntBuffer().put(values);
                sent.limit(limit).position(7);
                ByteBuffer room = ByteBuffer.allocateDirect(160).order(order).limit(limit).position(5);
                carry(Plain.content(Base.INT, sent, 1, 38), Plain.sink(Base.INT, room, 1, 38));
                assertThat(new int[] {sent.position(), sent.limit(), room.position(), room.limit()}).containsExactly(7, limit, 5, limit);
                int[] got = new int[40];
                room.clear().asIntBuffer().get(got);
                int[] expected = values.clone();
                expected[0] = 0;
                expected[39] = 0;
                assertThat(got).isEqualTo(expected);
            }
        }
    }

    @Test
    void aSinkHasAPlaceWhereTheBytesMayStayAsTheyCome() {
        ByteBuffer memory = ByteBuffer.allocateDirect(400_000).order(ByteOrder.LITTLE_ENDIAN);
        memory.position(17).limit(100); // Neither counts.
        Envelope message = new Envelope(0, 0, 200_000, 50_000, Base.INT.code());
        ByteBuffer place = new Region(Base.INT, Layout.ONE, memory, 5).sink(3, 60_000).inPlace(message);
        assertThat(place.remaining()).isEqualTo(200_000);
        place.put(0, (byte) 9).put(199_999, (byte) 8);
        memory.clear();
        assertThat(new byte[] {memory.get(32), memory.get(32 + 199_999)}).containsExactly(9, 8);
        assertThat(new Region(Base.INT, Layout.ONE, memory, 5).exactSink(3, 50_000).inPlace(message)).isNotNull();

        assertThat(new Region(Base.INT, Layout.ONE, memory, 5).sink(3, 49_999).inPlace(message)).isNull();
        assertThat(new Region(Base.INT, Layout.ONE, memory, 5).exactSink(3, 50_001).inPlace(message)).isNull();
        assertThat(new Region(Base.FLOAT, Layout.ONE, memory, 5).sink(3, 60_000).inPlace(message)).isNull();
        assertThat(new Region(Base.INT, GAPS, memory, 0).sink(0, 60_000).inPlace(message)).isNull();
        Envelope odd = new Envelope(0, 0, 199_999, 50_000, Base.INT.code());
        assertThat(new Region(Base.INT, Layout.ONE, memory, 5).sink(3, 60_000).inPlace(odd)).isNull();
        for (Object store : new Object[] {
            new int[100_000], memory.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN), memory.duplicate().order(ByteOrder.BIG_ENDIAN),
            ByteBuffer.allocate(400_000).order(ByteOrder.LITTLE_ENDIAN), memory.asIntBuffer()
        }) {
            assertThat(new Region(Base.INT, Layout.ONE, store, 5).sink(3, 60_000).inPlace(message)).isNull();
        }
    }

    private static int[] random(int length) {
        return new Random(3).ints(length).toArray();
    }

    @Test
    void gapsAreNeverTouchedAndPiecesMeet() throws ReceiveException {
        int elements = 20_000;
        int[] sent = random(GAPS.extent() * elements);
        int[] room = new int[sent.length];
        carry(new Region(Base.INT, GAPS, sent, 0).content(0, elements), new Region(Base.INT, GAPS, room, 0).sink(0, elements));
        int[] expected = new int[sent.length];
        GAPS.walk(0, 0, elements * GAPS.size(), (index, run) -> System.arraycopy(sent, index, expected, index, run));
        assertThat(room).isEqualTo(expected);
        int[] packed = new int[elements * GAPS.size()];
        carry(new Region(Base.INT, GAPS, sent, 0).content(0, elements), Plain.sink(Base.INT, packed, 0, packed.length));
        assertThat(Arrays.copyOf(packed, 3)).containsExactly(sent[2], sent[0], sent[5]);
    }

    @Test
    void everyStoreGivesTheSameMessage() throws ReceiveException {
        int[] values = random(40_000);
        Object[] stores = {
            values,
            IntBuffer.wrap(values),
            ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.LITTLE_ENDIAN),
            ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.BIG_ENDIAN),
            ByteBuffer.allocate(4 * values.length).order(ByteOrder.BIG_ENDIAN),
            ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.BIG_ENDIAN).asIntBuffer()
        };
        for (Object store : stores) {
            if (store instanceof ByteBuffer bytes) {
                bytes.asIntBuffer().put(values);
            } else if (store instanceof IntBuffer ints && ints.isDirect()) {
                ints.duplicate().put(values);
            }
            for (int offset : new int[] {0, 3}) {
                int[] room = new int[values.length];
                carry(new Region(Base.INT, Layout.ONE, store, offset).content(0, values.length - offset),
                        Plain.sink(Base.INT, room, offset, values.length - offset));
                assertThat(Arrays.copyOfRange(room, offset, room.length))
                        .isEqualTo(Arrays.copyOfRange(values, offset, values.length));
            }
            if (store instanceof Buffer buffer) {
                assertThat(buffer.position()).isZero();
            }
        }
    }

    @Test
    void everyStoreTakesTheSameMessage() throws ReceiveException {
        double[] values = new Random(5).doubles(9_000).toArray();
        DoubleBuffer typed = ByteBuffer.allocateDirect(8 * 9_002).order(ByteOrder.nativeOrder()).asDoubleBuffer();
        ByteBuffer turned = ByteBuffer.allocate(8 * 9_002).order(ByteOrder.BIG_ENDIAN);
        carry(Plain.content(Base.DOUBLE, values, 0, 9_000), new Region(Base.DOUBLE, Layout.ONE, typed, 1).sink(0, 9_001));
        carry(Plain.content(Base.DOUBLE, values, 0, 9_000), new Region(Base.DOUBLE, Layout.ONE, turned, 1).sink(0, 9_001));
        for (int i = 0; i < 9_000; i++) {
            assertThat(typed.get(i + 1)).isEqualTo(values[i]).isEqualTo(turned.getDouble(8 * (i + 1)));
        }
        assertThat(typed.get(0)).isZero();
        assertThat(typed.get(9_001)).isZero();
    }

    @Test
    void scratchHoldsTheSameElementsWhereverTheirBoundsAre() {
        Layout below = new LayoutBuilder().add(-4, 2, Layout.ONE).add(3, 1, Layout.ONE).build();
        int[] values = random(100);
        Region region = new Region(Base.INT, below, values, 20);
        Region scratch = region.scratch(5);
        region.moveTo(1, scratch, 0, 5);
        int[] back = values.clone();
        Arrays.fill(back, 0);
        scratch.moveTo(0, new Region(Base.INT, below, back, 20), 1, 5);
        int[] expected = new int[100];
        below.walk(20, 3, 15, (index, run) -> System.arraycopy(values, index, expected, index, run));
        assertThat(back).isEqualTo(expected);
    }

    @Test
    void movesBetweenArraysAndBuffers() {
        int[] values = random(50_000);
        Region array = new Region(Base.INT, Layout.ONE, values, 0);
        ByteBuffer memory = ByteBuffer.allocateDirect(4 * values.length);
        Region buffer = new Region(Base.INT, Layout.ONE, memory, 0);
        array.moveTo(0, buffer, 0, values.length);
        assertThat(memory.getInt(4 * 49_999)).isEqualTo(values[49_999]);
        assertThat((int[]) buffer.inArray(values.length).array()).isEqualTo(values);
        assertThat(array.inArray(7)).isSameAs(array);
    }

    @ParameterizedTest
    @ValueSource(ints = {-70_000, -30_000, -1, 0, 1, 30_000, 70_000})
    void deliversToARangeThatOverlaps(int shift) throws ReceiveException {
        int count = 100_000;
        int[] values = random(3 * count);
        ByteBuffer memory = ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.nativeOrder());
        ByteBuffer heap = ByteBuffer.allocate(4 * values.length).order(ByteOrder.nativeOrder());
        Layout gaps = Layout.ONE.resized(0, 2);
        for (Layout layout : new Layout[] {Layout.ONE, gaps}) {
            int elements = count / layout.extent();
            int[] expected = values.clone();
            for (int i = 0; i < elements; i++) {
                expected[count + shift + i * layout.extent()] = values[count + i * layout.extent()];
            }
            int[] array = values.clone();
            int[] wrapped = values.clone();
            memory.asIntBuffer().put(values);
            Object[][] stores = {
                {array, array},
                {memory, memory},
                {memory.asIntBuffer(), memory},
                {wrapped, IntBuffer.wrap(wrapped)},
                {heap.asIntBuffer(), heap.asIntBuffer()},
                {heap.asReadOnlyBuffer().order(heap.order()), heap},
                {IntBuffer.wrap(wrapped).asReadOnlyBuffer(), wrapped},
            };
            for (Object[] pair : stores) {
                memory.asIntBuffer().put(values);
                heap.asIntBuffer().put(values);
                System.arraycopy(values, 0, wrapped, 0, values.length);
                Region from = new Region(Base.INT, layout, pair[0], count);
                Region to = new Region(Base.INT, layout, pair[1], count + shift);
                from.deliver(0, elements, to, 0, elements);
                assertThat(ints(pair[1])).isEqualTo(expected);
            }
        }
    }

    private static int[] ints(Object store) {
        if (store instanceof int[] array) {
            return array;
        }
        IntBuffer buffer = store instanceof ByteBuffer bytes ? bytes.asIntBuffer() : (IntBuffer) store;
        int[] all = new int[buffer.capacity()];
        buffer.get(0, all);
        return all;
    }

    @Test
    void knowsWhichStoresMayBeOne() {
        int[] values = new int[4];
        Region array = new Region(Base.INT, Layout.ONE, values, 0);
        Region wrapped = new Region(Base.INT, Layout.ONE, IntBuffer.wrap(values), 0);
        Region direct = new Region(Base.INT, Layout.ONE, ByteBuffer.allocateDirect(16), 0);
        Region other = new Region(Base.INT, Layout.ONE, ByteBuffer.allocateDirect(16), 0);
        assertThat(array.sharesArrayWith(wrapped)).isTrue();
        assertThat(wrapped.sharesArrayWith(array)).isTrue();
        assertThat(direct.sharesArrayWith(other)).isTrue();
        // Nobody can tell which array is behind it.
        Region readOnly = new Region(Base.INT, Layout.ONE, IntBuffer.wrap(values).asReadOnlyBuffer(), 0);
        assertThat(readOnly.sharesArrayWith(array)).isTrue();
        assertThat(wrapped.sharesArrayWith(readOnly)).isTrue();
        assertThat(readOnly.sharesArrayWith(direct)).isFalse();
        assertThat(array.sharesArrayWith(direct)).isFalse();
        assertThat(array.sharesArrayWith(new Region(Base.INT, Layout.ONE, new int[4], 0))).isFalse();
    }
}
