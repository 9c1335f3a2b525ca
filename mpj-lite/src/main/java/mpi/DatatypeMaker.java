package mpi;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.LayoutBuilder;
import org.posthouse.mpj.data.Unit;

/** One call that derives a datatype from others: checks its arguments, and puts the layout together. For one use. */
final class DatatypeMaker {
    private final String call;
    private final Datatype[] parts;
    /** The first part that is more than a marker, or the first. */
    private final Datatype first;

    /** @throws MPIException if there is no old datatype, or one that is null or freed */
    DatatypeMaker(String call, Datatype... parts) {
        this.call = call;
        this.parts = parts;
        if (parts == null || parts.length == 0) {
            throw error(MPI.ERR_TYPE, "there is no old datatype");
        }
        for (Datatype part : parts) {
            if (part == null || part.isNull()) {
                throw error(MPI.ERR_TYPE, "an old datatype is " + (part == null ? "null" : part.whyUnusable()));
            }
        }
        first = Arrays.stream(parts).filter(Datatype::isUsable).findFirst().orElse(parts[0]);
    }

    MPIException error(int errorClass, String what) {
        return new MPIException(errorClass, call + ": " + what);
    }

    Datatype contiguous(int count) {
        notNegative("count", count);
        return make(builder -> builder.add(0, count, first.layout()));
    }

    /** @param stride from the start of one block to that of the next, in {@code unit} base elements */
    Datatype vector(int count, int blockLength, int stride, int unit) {
        notNegative("count", count);
        notNegative("blocklength", blockLength);
        return make(builder -> {
            Layout block = new LayoutBuilder().add(0, blockLength, first.layout()).build();
            builder.addEach(0, count, count > 1 ? (long) stride * unit : 0, block);
        });
    }

    /** As {@link #vector}, with the stride in bytes. */
    Datatype vectorInBytes(int count, int blockLength, int stride) {
        DatatypeMaker maker = takingBytes(stride);
        return maker.vector(count, blockLength, maker.inElements("stride", stride), 1);
    }

    /** @param unit base elements of a displacement of 1 */
    Datatype indexed(int[] lengths, int[] displacements, int unit) {
        return indexed(lengths, displacements, at -> Math.multiplyExact(at, unit));
    }

    /** Displacements in bytes. */
    Datatype indexedInBytes(int[] lengths, int[] displacements) {
        DatatypeMaker maker = takingBytes(displacements);
        return maker.indexed(lengths, displacements, at -> maker.inElements("displacement", at));
    }

    private Datatype indexed(int[] lengths, int[] displacements, IntUnaryOperator inElements) {
        blocks(lengths, displacements);
        return make(builder -> {
            for (int block = 0; block < lengths.length; block++) {
                builder.add(inElements.applyAsInt(displacements[block]), lengths[block], first.layout());
            }
        });
    }

    /** Displacements in base elements; all parts but markers have one base type. */
    static Datatype struct(String call, int[] lengths, int[] displacements, Datatype[] parts) {
        return isEmpty(lengths)
                ? ofNothing(call)
                : new DatatypeMaker(call, used(lengths, parts)).struct(lengths, displacements, false);
    }

    /** Displacements in bytes; parts of several base types become one of bytes. */
    static Datatype structInBytes(String call, int[] lengths, int[] displacements, Datatype[] parts) {
        return isEmpty(lengths)
                ? ofNothing(call)
                : new DatatypeMaker(call, used(lengths, parts)).structInBytes(lengths, displacements);
    }

    private static boolean isEmpty(int[] lengths) {
        return lengths != null && lengths.length == 0;
    }

    /** No data, and so of any buffer. */
    private static Datatype ofNothing(String call) {
        return new Datatype(
                call + " of nothing", Base.PACKED, new LayoutBuilder().build(), Unit.NONE, PackedElements.of(1), false);
    }

    private static Datatype[] used(int[] lengths, Datatype[] parts) {
        return lengths != null && parts != null && parts.length > lengths.length
                ? Arrays.copyOf(parts, lengths.length)
                : parts;
    }

    private Datatype struct(int[] lengths, int[] displacements, boolean padded) {
        blocks(lengths, displacements);
        parts(lengths);
        for (Datatype part : parts) {
            if (!sharesBase(part)) {
                throw error(
                        MPI.ERR_TYPE,
                        "the components are of base types " + first.base() + " and " + part.base() + ", expected one");
            }
        }
        Layout layout = layout(builder -> {
            for (int block = 0; block < lengths.length; block++) {
                builder.add(displacements[block], lengths[block], parts[block].layout());
            }
        });
        PackedElements packedElements = inRange(() -> PackedElements.of(lengths, parts));
        return make(padded ? inRange(() -> layout.padded(Math.max(1, packedElements.widest() / first.bytes()))) : layout, packedElements);
    }

    private Datatype structInBytes(int[] lengths, int[] displacements) {
        blocks(lengths, displacements);
        parts(lengths);
        int[] used = IntStream.range(0, lengths.length).filter(block -> lengths[block] > 0).toArray();
        if (used.length > 0) {
            DatatypeMaker maker = new DatatypeMaker(
                    call, Arrays.stream(used).mapToObj(block -> parts[block]).toArray(Datatype[]::new));
            int bytes = maker.first.bytes();
            if (Arrays.stream(used).allMatch(block -> maker.sharesBase(parts[block]) && displacements[block] % bytes == 0)) {
                return maker.struct(
                        Arrays.stream(used).map(block -> lengths[block]).toArray(),
                        Arrays.stream(used).map(block -> displacements[block] / bytes).toArray(),
                        true)
                        .openMpiStruct();
            }
        }
        return new DatatypeMaker(call, Arrays.stream(parts).map(this::inBytes).toArray(Datatype[]::new))
                .struct(lengths, displacements, true);
    }

    private boolean sharesBase(Datatype part) {
        return part.base() == null || part.base() == first.base();
    }

    private Datatype inBytes(Datatype part) {
        if (part.base() == Base.OBJECT) {
            throw error(MPI.ERR_TYPE, "OBJECT has no place among bytes");
        }
        return part.base() == null
                ? part
                : new Datatype(
                        part.toString(), Base.BYTE, inRange(() -> part.layout().scaled(part.bytes())), Unit.NONE, part.pieces(), false);
    }

    /** The old datatype with other bounds, in bytes. */
    Datatype resized(int lower, int extent) {
        DatatypeMaker maker = takingBytes(lower, extent);
        Layout layout = inRange(() -> maker.first.layout().resized(maker.inElements("lb", lower), maker.inElements("extent", extent)));
        return maker.make(layout, maker.first.pieces());
    }

    /** This one, or for a record, which may lie anywhere, one of its bytes, if a number of bytes is no whole number of its elements. */
    private DatatypeMaker takingBytes(int... numbers) {
        boolean whole = numbers == null || Arrays.stream(numbers).allMatch(bytes -> bytes % first.bytes() == 0);
        return whole || !first.isOpenMpiStruct() ? this : new DatatypeMaker(call, inBytes(first));
    }

    private int inElements(String what, int bytes) {
        if (bytes % first.bytes() != 0) {
            throw error(
                    MPI.ERR_ARG,
                    what + " is " + bytes + " bytes, expected a multiple of the " + first.bytes() + " of " + first.base());
        }
        return bytes / first.bytes();
    }

    private void blocks(int[] lengths, int[] displacements) {
        if (lengths == null || displacements == null || displacements.length < lengths.length) {
            throw error(
                    MPI.ERR_ARG,
                    "there are " + length(lengths) + " blocklengths and " + length(displacements)
                            + " displacements, expected one for each block");
        }
        for (int length : lengths) {
            notNegative("blocklength", length);
        }
    }

    private void parts(int[] lengths) {
        if (parts.length < lengths.length) {
            throw error(
                    MPI.ERR_ARG,
                    "there are " + parts.length + " datatypes, expected one for each of " + lengths.length + " blocks");
        }
    }

    private static String length(int[] values) {
        return values == null ? "no" : Integer.toString(values.length);
    }

    private void notNegative(String what, int value) {
        if (value < 0) {
            throw error(MPI.ERR_ARG, what + " is " + value + ", expected 0 or more");
        }
    }

    /** Adds the parts. */
    private interface Steps {
        void add(LayoutBuilder builder);
    }

    private Datatype make(Steps steps) {
        return make(layout(steps), first.pieces());
    }

    private Layout layout(Steps steps) {
        return inRange(() -> {
            LayoutBuilder builder = new LayoutBuilder();
            steps.add(builder);
            return builder.build();
        });
    }

    private <T> T inRange(Supplier<T> made) {
        try {
            return made.get();
        } catch (ArithmeticException e) {
            throw error(MPI.ERR_ARG, "a displacement, the size or the extent is beyond the range of int");
        }
    }

    private Datatype make(Layout layout, PackedElements packedElements) {
        String name = ArgumentCheck.made(call, first.toString());
        Datatype made = new Datatype(name, first.base(), layout, first.unit().whenDerived(), packedElements, false);
        return first.isOpenMpiStruct() ? made.openMpiStruct() : made;
    }
}
