package org.posthouse.conformance;

import java.nio.ByteBuffer;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
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

    static void whatIsMadeOfAStructIsMeasuredInBytes(Intracomm world) {
        Datatype record = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 4}, new Datatype[] {MPI.INT, MPI.INT});
        Datatype three = Datatype.createContiguous(3, record);
        Check.equal("size of three", three.getSize(), 24);
        Check.equal("extent of three", three.getExtent(), 24);
        Check.equal("extent of a vector", Datatype.createVector(2, 1, 2, record).getExtent(), 24);
        Datatype behind = Datatype.createHIndexed(new int[] {1}, new int[] {8}, record);
        Check.equal("lower bound", behind.getLb(), 8);
        Check.equal("true lower bound", behind.getTrueLb(), 8);
        Datatype resized = Datatype.createResized(record, 0, 16);
        Check.equal("extent of what was resized", resized.getExtent(), 16);
        Check.equal("the same in elements", resized.Extent(), 4);
        Ring ring = Ring.of(world);
        ByteBuffer out = MPI.newByteBuffer(2 * resized.getExtent());
        out.put(16, (byte) ring.rank());
        byte[] in = new byte[out.capacity()];
        Request send = world.iSend(out, 2, resized, ring.right(), TAG);
        world.iRecv(in, 2, resized, ring.left(), TAG).waitFor();
        send.waitFor();
        Check.equal("the second", in[16], (byte) ring.left());
    }

    static void oneKindOfElementStaysWhatItIs(Intracomm world) {
        Ring ring = Ring.of(world);
        Datatype[] ints = {MPI.INT, MPI.INT};
        Datatype record = Datatype.createStruct(new int[] {1, 2}, new int[] {12, 0}, ints);
        Check.equal("extent", record.getExtent(), 16);
        Check.equal("size", record.getSize(), 12);
        Datatype[] types = {MPI.DOUBLE, MPI.INT, MPI.INT};
        Datatype behindNothing = Datatype.createStruct(new int[] {0, 1, 2}, new int[] {8, 16, 4}, types);
        Check.equal("lower bound", behindNothing.getLb(), 4);
        int[] ofRecord = new int[3];
        world.sendRecv(
                new int[] {1, 2, 3, 4}, 1, record, ring.right(), TAG, ofRecord, 3, MPI.INT, ring.left(), TAG);
        Check.equal("elements of a record", ofRecord, new int[] {4, 1, 2});
        int[] scattered = new int[5];
        world.sendRecv(ofRecord, 3, MPI.INT, ring.right(), TAG, scattered, 1, behindNothing, ring.left(), TAG);
        Check.equal("elements in a record", scattered, new int[] {0, 1, 2, 0, 4});
        Check.equal("lower bound", Datatype.createStruct(new int[] {1}, new int[] {6}, ints).getLb(), 6);
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
        Check.equal("ints in 7 bytes", receiveBytes(world, 7).Get_count(MPI.INT), MPI.UNDEFINED);
        Datatype[] types = {record, MPI.BYTE};
        Datatype twoAndByte = Datatype.createStruct(new int[] {2, 1}, new int[] {0, 32}, types);
        Check.equal("elements in 20 bytes", receiveBytes(world, 20).getElements(twoAndByte), 3);
        Check.equal("elements in 24 bytes", receiveBytes(world, 24).getElements(twoAndByte), 4);
        Datatype doublesAndInt = Datatype.createStruct(
                new int[] {2, 1}, new int[] {0, 16}, new Datatype[] {MPI.DOUBLE, MPI.INT});
        Check.equal("elements in 8 bytes", receiveBytes(world, 8).getElements(doublesAndInt), 1);
        Check.equal("elements in 12 bytes", receiveBytes(world, 12).getElements(doublesAndInt), MPI.UNDEFINED);
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
