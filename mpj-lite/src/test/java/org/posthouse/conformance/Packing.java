package org.posthouse.conformance;

import java.util.Arrays;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Status;

/** Values of several types in one message of PACKED. */
final class Packing {
    private static final int TAG = 11;

    private Packing() {}

    static void valuesOfSeveralTypesInOneMessage(Intracomm world) {
        Ring ring = Ring.of(world);
        byte[] out = new byte[100];
        int end = world.Pack(new int[] {-1, ring.rank(), 7}, 1, 2, MPI.INT, out, 0);
        end = world.Pack(new double[] {0.25}, 0, 1, MPI.DOUBLE, out, end);
        end = world.Pack(new char[] {'x', 'y', 'z'}, 0, 1, Datatype.Vector(2, 1, 2, MPI.CHAR), out, end);
        byte[] in = new byte[100];
        Status status = world.Sendrecv(
                out, 0, end, MPI.PACKED, ring.right(), TAG, in, 0, in.length, MPI.PACKED, ring.left(), TAG);
        Check.equal("bytes", status.Get_count(MPI.PACKED), end);
        int[] ints = new int[3];
        int at = world.Unpack(in, 0, ints, 1, 2, MPI.INT);
        double[] doubles = new double[1];
        at = world.Unpack(in, at, doubles, 0, 1, MPI.DOUBLE);
        char[] chars = new char[2];
        at = world.Unpack(in, at, chars, 0, 2, MPI.CHAR);
        Check.equal("ints", ints, new int[] {0, ring.left(), 7});
        Check.equal("doubles", doubles, new double[] {0.25});
        Check.equal("chars", chars, new char[] {'x', 'z'});
        Check.equal("end", at, end);
    }

    static void sizesAreEnough(Intracomm world) {
        for (Sample sample : Sample.all()) {
            byte[] room = new byte[world.Pack_size(3, sample.type())];
            int end = world.Pack(sample.array(3, i -> i), 0, 3, sample.type(), room, 0);
            Check.that(end <= room.length, end + " bytes of " + sample.type() + " fit in " + room.length);
            Object back = sample.room(3);
            Check.equal("end of Unpack", world.Unpack(room, 0, back, 0, 3, sample.type()), end);
            Check.equal("unpacked " + sample.type(), back, sample.array(3, i -> i));
        }
        Check.that(world.Pack_size(1, MPI.INT) >= 4, "4 bytes or more for an int");
    }

    static void packedBytesArriveAsWhatTheyWere(Intracomm world) {
        Ring ring = Ring.of(world);
        byte[] out = new byte[16];
        int end = world.Pack(new int[] {ring.rank(), 5}, 0, 2, MPI.INT, out, 4);
        Check.equal("end", end, 12);
        world.Send(Arrays.copyOfRange(out, 4, end), 0, 8, MPI.PACKED, ring.right(), TAG);
        int[] in = new int[2];
        world.Recv(in, 0, 2, MPI.INT, ring.left(), TAG);
        Check.equal("received", in, new int[] {ring.left(), 5});
    }

    static void whatDoesNotFitIsAnError(Intracomm world) {
        byte[] room = new byte[7];
        Check.error(world, MPI.ERR_TRUNCATE, "Pack", () -> world.Pack(new int[2], 0, 2, MPI.INT, room, 0));
        Check.error(world, MPI.ERR_TRUNCATE, "Unpack", () -> world.Unpack(room, 4, new int[1], 0, 1, MPI.INT));
        Check.error(world, MPI.ERR_ARG, "Pack", () -> world.Pack(new int[1], 0, 1, MPI.INT, room, 8));
        Check.error(world, MPI.ERR_BUFFER, "Unpack", () -> world.Unpack(null, 0, new int[1], 0, 1, MPI.INT));
        Check.error(world, MPI.ERR_COUNT, "Pack_size", () -> world.Pack_size(-1, MPI.INT));
    }

    static void openMpiSpelling(Intracomm world) {
        Ring ring = Ring.of(world);
        byte[] out = new byte[world.packSize(2, MPI.LONG) + world.packSize(1, MPI.BOOLEAN)];
        int end = world.pack(new long[] {ring.rank(), -1}, 2, MPI.LONG, out, 0);
        end = world.pack(new boolean[] {true}, 1, MPI.BOOLEAN, out, end);
        byte[] in = new byte[out.length];
        world.sendRecv(out, end, MPI.PACKED, ring.right(), TAG, in, end, MPI.PACKED, ring.left(), TAG);
        long[] longs = new long[2];
        boolean[] booleans = new boolean[1];
        int at = world.unpack(in, 0, longs, 2, MPI.LONG);
        Check.equal("end", world.unpack(in, at, booleans, 1, MPI.BOOLEAN), end);
        Check.equal("longs", longs, new long[] {ring.left(), -1});
        Check.equal("booleans", booleans, new boolean[] {true});
    }
}
