package org.posthouse.conformance;

import java.nio.ByteBuffer;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Status;
import mpi.Struct;

/** Datatypes of several kinds of element in bytes, as C lays them out, and what a status counts in them. */
final class Structs {
    private static final int TAG = 24;

    private Structs() {}

    private static Datatype doubleAndInt() {
        return Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.DOUBLE, MPI.INT});
    }

    static void extentsArePaddedAsInC(Intracomm world) {
        Datatype record = doubleAndInt();
        Check.equal("extent of double, int", record.getExtent(), 16);
        Check.equal("true extent of double, int", record.getTrueExtent(), 12);
        Check.equal("size of double, int", record.getSize(), 12);
        Datatype[] types = {MPI.INT, MPI.CHAR};
        Datatype intAndChar = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 4}, types);
        Check.equal("extent of int, char", intAndChar.getExtent(), 8);
        Datatype nested = Datatype.createStruct(
                new int[] {1, 1}, new int[] {0, 16}, new Datatype[] {record, MPI.BYTE});
        Check.equal("extent of a struct, byte", nested.getExtent(), 24);
        Datatype resized = Datatype.createResized(record, 0, 12);
        Check.equal("extent of what was resized", resized.getExtent(), 12);
        Check.equal("extent of three", Datatype.createContiguous(3, record).getExtent(), 48);
        Datatype mpiJava = Datatype.Struct(new int[] {1, 1}, new int[] {0, 2}, new Datatype[] {MPI.INT, MPI.INT});
        Check.equal("mpiJava's extent", mpiJava.Extent(), 3);
    }

    /** A byte, and a datatype with a double inside. */
    private static final class Nested extends Struct {
        private final int first = addByte();
        private final int second = addData(doubleAndInt());

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void put(byte one) {
                putByte(first, one);
                putDouble(second, one);
            }
        }
    }

    static void aRecordIsPaddedForWhatIsInItsParts(Intracomm world) {
        Nested nested = new Nested();
        Check.equal("extent", nested.getExtent(), 24);
        Nested.Data data = nested.getData(ByteBuffer.allocate(48), 1);
        data.put((byte) 3);
        Check.equal("first byte", data.getBuffer().get(0), (byte) 3);
    }

    private static Status receiveBytes(Intracomm world, int bytes) {
        Ring ring = Ring.of(world);
        byte[] buffer = new byte[bytes];
        return world.sendRecv(buffer, bytes, MPI.BYTE, ring.right(), TAG, buffer, bytes, MPI.BYTE, ring.left(), TAG);
    }

    static void aStatusCountsElementsOfAnyWidth(Intracomm world) {
        Datatype record = doubleAndInt();
        Check.equal("elements in 56 bytes", receiveBytes(world, 56).getElements(record), 9);
        Check.equal("elements in 33 bytes", receiveBytes(world, 33).getElements(record), MPI.UNDEFINED);
        Check.equal("elements in 36 bytes", receiveBytes(world, 36).getElements(record), 6);
        Check.equal("structs in 36 bytes", receiveBytes(world, 36).getCount(record), 3);
        Check.equal("structs in 56 bytes", receiveBytes(world, 56).getCount(record), MPI.UNDEFINED);
        Datatype two = Datatype.createContiguous(2, record);
        Check.equal("elements in 36 bytes", receiveBytes(world, 36).getElements(two), 6);
        Check.equal("elements in 18 bytes", receiveBytes(world, 18).getElements(MPI.SHORT_INT), 6);
        Check.equal("elements in a record", receiveBytes(world, 13).getElements(new Nested().getType()), 3);
        Check.equal("bytes", receiveBytes(world, 7).getElements(MPI.BYTE), 7);
    }

    static void aStructOfNothing(Intracomm world) {
        Ring ring = Ring.of(world);
        Datatype[] empty = {
            Datatype.Struct(new int[0], new int[0], new Datatype[0]),
            Datatype.createStruct(new int[0], new int[0], new Datatype[] {MPI.INT})
        };
        for (Datatype nothing : empty) {
            nothing.Commit();
            Check.equal("size", nothing.Size(), 0);
            Check.equal("extent", nothing.Extent(), 0);
            int[] in = {7};
            world.Sendrecv(
                    new double[1], 0, 5, nothing, ring.right(), TAG, in, 0, 2, nothing, ring.left(), TAG);
            world.Bcast(new Object[1], 0, 1, nothing, 0);
            Check.equal("untouched", in, new int[] {7});
        }
    }
}
