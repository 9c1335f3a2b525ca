package org.posthouse.conformance;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Status;

/** Every datatype that there is from the start, in messages. */
final class BasicDatatypes {
    private static final int TAG = 9;

    private BasicDatatypes() {}

    /** A program's own class. */
    @SuppressWarnings("ArrayRecordComponent") // Compared by what is in it.
    private record Particle(int id, double[] place) implements Serializable {}

    private static Status shift(Intracomm world, Object out, Object in, int offset, int count, Datatype type) {
        Ring ring = Ring.of(world);
        return world.Sendrecv(
                out, offset, count, type, ring.right(), TAG, in, offset, count, type, ring.left(), TAG);
    }

    static void everyTypeTravels(Intracomm world) {
        Ring ring = Ring.of(world);
        for (Sample sample : Sample.all()) {
            Object in = sample.room(6);
            Status status = shift(world, sample.array(6, i -> 7L * ring.rank() + i), in, 1, 4, sample.type());
            Object expected = sample.room(6);
            System.arraycopy(sample.array(6, i -> 7L * ring.left() + i), 1, expected, 1, 4);
            Check.equal("received " + sample.type(), in, expected);
            Check.equal("count of " + sample.type(), status.Get_count(sample.type()), 4);
        }
    }

    static void theEndsOfEveryRangeTravel(Intracomm world) {
        double[] doubles = {Double.MIN_VALUE, -Double.MAX_VALUE, Double.NaN, -0.0, Double.NEGATIVE_INFINITY};
        double[] in = new double[5];
        shift(world, doubles, in, 0, 5, MPI.DOUBLE);
        Check.equal("doubles", in, doubles);
        float[] floats = {Float.MIN_VALUE, -Float.MAX_VALUE, Float.NaN, -0f};
        float[] floatsIn = new float[4];
        shift(world, floats, floatsIn, 0, 4, MPI.FLOAT);
        Check.equal("floats", floatsIn, floats);
        long[] longs = {Long.MIN_VALUE, -1, Long.MAX_VALUE, 0x0102030405060708L};
        long[] longsIn = new long[4];
        shift(world, longs, longsIn, 0, 4, MPI.LONG);
        Check.equal("longs", longsIn, longs);
        char[] chars = {0, 0xffff, 'ż', 0xd83d};
        char[] charsIn = new char[4];
        shift(world, chars, charsIn, 0, 4, MPI.CHAR);
        Check.equal("chars", charsIn, chars);
    }

    static void pairsAreTwoElements(Intracomm world) {
        Object[][] pairs = {
            {MPI.SHORT2, new short[] {1, 2, 3, 4}, new short[4]},
            {MPI.INT2, new int[] {1, 2, 3, 4}, new int[4]},
            {MPI.LONG2, new long[] {1, 2, 3, 4}, new long[4]},
            {MPI.FLOAT2, new float[] {1, 2, 3, 4}, new float[4]},
            {MPI.DOUBLE2, new double[] {1, 2, 3, 4}, new double[4]},
            {MPI.FLOAT_COMPLEX, new float[] {1, 2, 3, 4}, new float[4]},
            {MPI.DOUBLE_COMPLEX, new double[] {1, 2, 3, 4}, new double[4]},
        };
        for (Object[] pair : pairs) {
            Datatype type = (Datatype) pair[0];
            Check.equal("size of " + type, type.Size(), 2);
            Check.equal("extent of " + type, type.Extent(), 2);
            Status status = shift(world, pair[1], pair[2], 0, 2, type);
            Check.equal("received " + type, pair[2], pair[1]);
            Check.equal("count of " + type, status.Get_count(type), 2);
            Check.equal("elements of " + type, status.Get_elements(type), 4);
        }
    }

    static void aBasicTypeIsOneElement(Intracomm world) {
        for (Sample sample : Sample.all()) {
            Datatype type = sample.type();
            Check.equal("size of " + type, type.Size(), 1);
            Check.equal("extent of " + type, type.Extent(), 1);
            Check.equal("lower bound of " + type, type.Lb(), 0);
            Check.equal("upper bound of " + type, type.Ub(), 1);
            Check.that(!type.isNull(), type + " is a datatype");
        }
        int[] bytes = {1, 2, 4, 8, 4, 8, 2, 1, 0};
        for (int i = 0; i < bytes.length; i++) {
            Datatype type = Sample.all().get(i).type();
            Check.equal("bytes of " + type, type.getByteSize(), bytes[i]);
        }
        Check.equal("base of pairs", MPI.INT2.baseType, MPI.INT.getType());
        Check.that(MPI.INT.baseType != MPI.LONG.baseType, "ints and longs have different bases");
        Check.equal("bytes of PACKED", MPI.PACKED.getByteSize(), 1);
        Check.that(MPI.NULL.isNull() && MPI.DATATYPE_NULL.isNull(), "the null datatypes are null");
    }

    static void objectsTravelByWhatIsInThem(Intracomm world) {
        Ring ring = Ring.of(world);
        Object[] out = {
            "rank " + ring.rank(), null, new double[][] {{1, ring.rank()}, {}}, List.of(ring.rank()), 'c',
        };
        Object[] in = new Object[5];
        shift(world, out, in, 0, 5, MPI.OBJECT);
        Check.equal("text", in[0], "rank " + ring.left());
        Check.equal("null", in[1], null);
        Check.equal("matrix", in[2], new double[][] {{1, ring.left()}, {}});
        Check.equal("list", in[3], List.of(ring.left()));
        Check.equal("char", in[4], 'c');
    }

    static void rowsOfAMatrixAreObjects(Intracomm world) {
        Ring ring = Ring.of(world);
        double[][] out = {{ring.rank(), 1}, {2, 3, 4}, {}};
        double[][] in = new double[3][];
        Status status = shift(world, out, in, 0, 3, MPI.OBJECT);
        Check.equal("rows", in, new double[][] {{ring.left(), 1}, {2, 3, 4}, {}});
        Check.equal("count", status.Get_count(MPI.OBJECT), 3);
    }

    static void objectsOfAProgramsOwnClassTravel(Intracomm world) {
        Ring ring = Ring.of(world);
        Particle[] out = {new Particle(ring.rank(), new double[] {0.5, ring.rank()})};
        Particle[] in = new Particle[1];
        shift(world, out, in, 0, 1, MPI.OBJECT);
        Check.equal("id", in[0].id(), ring.left());
        Check.equal("place", in[0].place(), new double[] {0.5, ring.left()});
    }

    static void largeObjectsTravel(Intracomm world) {
        Ring ring = Ring.of(world);
        int[][] out = new int[3][200_000];
        Arrays.fill(out[2], ring.rank());
        int[][] in = new int[3][];
        shift(world, out, in, 0, 3, MPI.OBJECT);
        Check.equal("last", in[2][199_999], ring.left());
    }
}
