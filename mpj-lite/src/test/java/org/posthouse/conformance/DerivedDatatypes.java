package org.posthouse.conformance;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Status;

/** Datatypes that a program makes: their measures, and which array elements a message of them takes. */
final class DerivedDatatypes {
    private static final int TAG = 10;

    private DerivedDatatypes() {}

    private static void requireMeasures(Datatype type, int lb, int ub, int size) {
        type.Commit();
        Check.equal("lower bound of " + type, type.Lb(), lb);
        Check.equal("upper bound of " + type, type.Ub(), ub);
        Check.equal("extent of " + type, type.Extent(), ub - lb);
        Check.equal("size of " + type, type.Size(), size);
    }

    /** Sends {@code count} elements of the type from {@code offset} of 0, 1, 2, ...: they arrive at these indexes. */
    private static void requireIndexes(Intracomm world, Datatype type, int offset, int count, int... indexes) {
        Ring ring = Ring.of(world);
        int[] out = IntStream.range(0, 40).map(i -> 1000 * (ring.rank() + 1) + i).toArray();
        int[] in = new int[40];
        Status status = world.Sendrecv(
                out, offset, count, type, ring.right(), TAG, in, 0, 40, MPI.INT, ring.left(), TAG);
        Check.equal("elements of " + type, status.Get_elements(type), indexes.length);
        Check.equal("count of " + type, status.Get_count(type), count);
        for (int i = 0; i < indexes.length; i++) {
            Check.equal("element " + i + " of " + type, in[i], 1000 * (ring.left() + 1) + indexes[i]);
        }
        int[] back = new int[40];
        world.Sendrecv(in, 0, indexes.length, MPI.INT, ring.left(), TAG, back, offset, count, type, ring.right(), TAG);
        int[] expected = new int[40];
        for (int index : indexes) {
            expected[index] = out[index];
        }
        Check.equal("spread by " + type, back, expected);
    }

    static void contiguous(Intracomm world) {
        Datatype three = Datatype.Contiguous(3, MPI.INT);
        requireMeasures(three, 0, 3, 3);
        requireIndexes(world, three, 2, 2, 2, 3, 4, 5, 6, 7);
    }

    static void vector(Intracomm world) {
        Datatype columns = Datatype.Vector(3, 2, 5, MPI.INT);
        requireMeasures(columns, 0, 12, 6);
        requireIndexes(world, columns, 1, 2, 1, 2, 6, 7, 11, 12, 13, 14, 18, 19, 23, 24);
    }

    static void vectorOfWiderElements(Intracomm world) {
        Datatype pair = Datatype.Contiguous(2, MPI.INT);
        requireMeasures(Datatype.Vector(2, 1, 3, pair), 0, 8, 4);
        Datatype strideInArrayElements = Datatype.Hvector(2, 1, 3, pair);
        requireMeasures(strideInArrayElements, 0, 5, 4);
        requireIndexes(world, strideInArrayElements, 0, 1, 0, 1, 3, 4);
        requireIndexes(world, Datatype.Vector(2, 1, 3, pair), 0, 1, 0, 1, 6, 7);
    }

    static void negativeDisplacements(Intracomm world) {
        Datatype backwards = Datatype.Hvector(3, 1, -2, MPI.INT);
        requireMeasures(backwards, -4, 1, 3);
        requireIndexes(world, backwards, 10, 2, 10, 8, 6, 15, 13, 11);
        requireIndexes(world, Datatype.Vector(2, 1, -1, MPI.INT), 9, 1, 9, 8);
    }

    static void indexed(Intracomm world) {
        Datatype blocks = Datatype.Indexed(new int[] {2, 2}, new int[] {1, 10}, MPI.INT);
        requireMeasures(blocks, 1, 12, 4);
        requireIndexes(world, blocks, 0, 2, 1, 2, 10, 11, 12, 13, 21, 22);
        requireIndexes(world, Datatype.Indexed(new int[] {1, 2}, new int[] {3, -1}, MPI.INT), 5, 1, 8, 4, 5);
    }

    static void indexedInArrayElements(Intracomm world) {
        Datatype pair = Datatype.Contiguous(2, MPI.INT);
        int[] lengths = {1, 0, 2};
        int[] displacements = {4, 77, 0};
        requireMeasures(Datatype.Indexed(lengths, displacements, pair), 0, 10, 6);
        Datatype blocks = Datatype.Hindexed(lengths, displacements, pair);
        requireMeasures(blocks, 0, 6, 6);
        requireIndexes(world, blocks, 3, 1, 7, 8, 3, 4, 5, 6);
    }

    static void structOfOneBase(Intracomm world) {
        Datatype spread = Datatype.Vector(2, 1, 2, MPI.INT);
        Datatype record = Datatype.Struct(new int[] {1, 2}, new int[] {0, 4}, new Datatype[] {MPI.INT, spread});
        requireMeasures(record, 0, 10, 5);
        requireIndexes(world, record, 1, 1, 1, 5, 7, 8, 10);
    }

    static void markersSetTheBounds(Intracomm world) {
        Datatype wide = Datatype.Struct(
                new int[] {1, 1, 1}, new int[] {-2, 0, 7}, new Datatype[] {MPI.LB, MPI.INT, MPI.UB});
        requireMeasures(wide, -2, 7, 1);
        requireIndexes(world, wide, 3, 3, 3, 12, 21);
        Datatype narrow = Datatype.Struct(new int[] {3, 1}, new int[] {0, 1}, new Datatype[] {MPI.INT, MPI.UB});
        requireMeasures(narrow, 0, 1, 3);
        requireMeasures(Datatype.Contiguous(2, wide), -2, 16, 2);
    }

    static void emptyTypes(Intracomm world) {
        Ring ring = Ring.of(world);
        Datatype nothing = Datatype.Contiguous(0, MPI.INT);
        requireMeasures(nothing, 0, 0, 0);
        int[] in = {5};
        Status status = world.Sendrecv(
                in, 0, 1, nothing, ring.right(), TAG, in, 0, 1, nothing, ring.left(), TAG);
        Check.equal("elements", status.Get_elements(nothing), 0);
        Check.equal("buffer", in[0], 5);
    }

    static void aPartOfAnElementIsNoCount(Intracomm world) {
        Ring ring = Ring.of(world);
        Datatype pair = Datatype.Contiguous(2, MPI.INT);
        int[] in = new int[4];
        Status status = world.Sendrecv(
                new int[] {1, 2, 3}, 0, 3, MPI.INT, ring.right(), TAG, in, 0, 2, pair, ring.left(), TAG);
        Check.equal("count", status.Get_count(pair), MPI.UNDEFINED);
        Check.equal("elements", status.Get_elements(pair), 3);
        Check.equal("received", in, new int[] {1, 2, 3, 0});
    }

    static void objectsAndCollectives(Intracomm world) {
        Datatype everySecond = Datatype.Vector(2, 1, 2, MPI.OBJECT);
        String[] texts = world.Rank() == 0 ? new String[] {"a", "b", "c"} : new String[3];
        world.Bcast(texts, 0, 1, everySecond, 0);
        Check.equal("texts", texts, new String[] {"a", world.Rank() == 0 ? "b" : null, "c"});
    }

    @SuppressWarnings({"deprecation", "removal"}) // The API has finalize.
    static void freedTypesAreNull(Intracomm world) {
        Datatype type = Datatype.Contiguous(2, MPI.INT);
        type.finalize();
        Check.that(!type.isNull(), "finalize changes nothing");
        type.Free();
        Check.that(type.isNull(), "a freed datatype is null");
        Datatype other = Datatype.Contiguous(2, MPI.INT);
        other.free();
        Check.that(other.isNull(), "a freed datatype is null");
    }

    // ---- Open MPI's spelling

    private static void requireMeasuresOf(Datatype type, int lb, int extent, int trueLb, int trueExtent, int size) {
        type.commit();
        Check.equal("lower bound of " + type, type.getLb(), lb);
        Check.equal("extent of " + type, type.getExtent(), extent);
        Check.equal("true lower bound of " + type, type.getTrueLb(), trueLb);
        Check.equal("true extent of " + type, type.getTrueExtent(), trueExtent);
        Check.equal("size of " + type, type.getSize(), size);
    }

    static void openMpiMakers(Intracomm world) {
        requireIndexes(world, Datatype.createContiguous(2, MPI.INT), 1, 1, 1, 2);
        requireIndexes(world, Datatype.createVector(2, 1, 3, MPI.INT), 0, 1, 0, 3);
        requireIndexes(world, Datatype.createIndexed(new int[] {1, 1}, new int[] {2, 0}, MPI.INT), 0, 1, 2, 0);
    }

    static void openMpiMakersInBytes(Intracomm world) {
        requireIndexes(world, Datatype.createHVector(2, 1, 12, MPI.INT), 0, 1, 0, 3);
        requireIndexes(world, Datatype.createHIndexed(new int[] {1, 2}, new int[] {16, 4}, MPI.INT), 0, 1, 4, 1, 2);
        Datatype resized = Datatype.createResized(MPI.INT, -4, 12);
        requireMeasuresOf(resized, -1, 3, 0, 1, 1);
        requireIndexes(world, resized, 1, 3, 1, 4, 7);
        requireMeasuresOf(Datatype.createVector(2, 2, 3, MPI.LONG), 0, 5, 0, 5, 4);
    }

    static void openMpiStructOfSeveralTypes(Intracomm world) {
        Ring ring = Ring.of(world);
        Datatype record = Datatype.createStruct(
                new int[] {1, 2}, new int[] {8, 0}, new Datatype[] {MPI.DOUBLE, MPI.SHORT});
        requireMeasuresOf(record, 0, 16, 0, 16, 12);
        ByteBuffer out = MPI.newByteBuffer(16);
        out.putShort(0, (short) 3).putShort(2, (short) 4).putInt(4, -1).putDouble(8, ring.rank() + 0.5);
        ByteBuffer in = MPI.newByteBuffer(16);
        world.sendRecv(out, 1, record, ring.right(), TAG, in, 1, record, ring.left(), TAG);
        Check.equal("shorts", new short[] {in.getShort(0), in.getShort(2)}, new short[] {3, 4});
        Check.equal("gap", in.getInt(4), 0);
        Check.equal("double", in.getDouble(8), ring.left() + 0.5);
    }
}
