package org.posthouse.conformance;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import mpi.DoubleComplex;
import mpi.DoubleInt;
import mpi.FloatComplex;
import mpi.FloatInt;
import mpi.Int2;
import mpi.Intracomm;
import mpi.LongInt;
import mpi.MPI;
import mpi.ShortInt;
import mpi.Struct;

/** Open MPI's views of records, pairs and complex numbers in buffers. */
final class Records {
    private static final int TAG = 18;

    private Records() {}

    /** A point, as a record inside of others. */
    private static final class Point extends Struct {
        private final int x = addInt();
        private final int y = addInt();

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            int sum() {
                return getInt(x) + getInt(y);
            }

            void put(int newX, int newY) {
                putInt(x, newX);
                putInt(y, newY);
            }
        }
    }

    /** A field of every kind, alone and as an array. */
    private static final class Everything extends Struct {
        private final Point point = new Point();
        private final int oneDouble = addDouble();
        private final int doubles = addDouble(2);
        private final int oneLong = addLong();
        private final int longs = addLong(2);
        private final int oneInt = addInt();
        private final int ints = addInt(3);
        private final int oneFloat = addFloat();
        private final int floats = addFloat(3);
        private final int points = addStruct(point, 2);
        private final int onePoint = addStruct(point);
        private final int oneShort = addShort();
        private final int shorts = addShort(2);
        private final int oneChar = addChar();
        private final int chars = addChar(2);
        private final int oneByte = addByte();
        private final int bytes = addByte(3);
        private final int end = setOffset(200).addData(MPI.INT);
        private final int more = addData(MPI.SHORT, 2);

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void fill(int seed) {
                putDouble(oneDouble, seed + 0.5);
                putDouble(doubles, 1, seed + 1.5);
                putLong(oneLong, seed + 2L);
                putLong(longs, 1, seed + 3L);
                putInt(oneInt, seed + 4);
                putInt(ints, 2, seed + 5);
                putFloat(oneFloat, seed + 6);
                putFloat(floats, 2, seed + 7);
                putShort(oneShort, (short) (seed + 8));
                putShort(shorts, 1, (short) (seed + 9));
                putChar(oneChar, (char) (seed + 10));
                putChar(chars, 1, (char) (seed + 11));
                putByte(oneByte, (byte) (seed + 12));
                putByte(bytes, 2, (byte) (seed + 13));
                Point.Data inside = getData(point, onePoint);
                inside.put(seed, 1);
                Point.Data second = getData(point, points, 1);
                second.put(seed, 2);
                getBuffer(MPI.INT, end).putInt(0, seed + 14);
                getBuffer(MPI.SHORT, more, 1).putShort(0, (short) (seed + 15));
            }

            void require(int seed) {
                double[] doubleValues = {getDouble(oneDouble), getDouble(doubles, 1)};
                Check.equal("doubles", doubleValues, new double[] {seed + 0.5, seed + 1.5});
                Check.equal("longs", new long[] {getLong(oneLong), getLong(longs, 1)}, new long[] {seed + 2, seed + 3});
                Check.equal("ints", new int[] {getInt(oneInt), getInt(ints, 2)}, new int[] {seed + 4, seed + 5});
                float[] floatValues = {getFloat(oneFloat), getFloat(floats, 2)};
                Check.equal("floats", floatValues, new float[] {seed + 6, seed + 7});
                Check.equal("shorts", getShort(oneShort) * 1000 + getShort(shorts, 1), (seed + 8) * 1000 + seed + 9);
                Check.equal("chars", getChar(oneChar) * 1000 + getChar(chars, 1), (seed + 10) * 1000 + seed + 11);
                Check.equal("bytes", getByte(oneByte) * 1000 + getByte(bytes, 2), (seed + 12) * 1000 + seed + 13);
                Point.Data inside = getData(point, onePoint);
                Point.Data second = getData(point, points, 1);
                Check.equal("points", inside.sum() * 1000 + second.sum(), (seed + 1) * 1000 + seed + 2);
                Check.equal("data", getBuffer(MPI.INT, end).getInt(0), seed + 14);
                Check.equal("data", getBuffer(MPI.SHORT, more, 1).getShort(0), (short) (seed + 15));
            }
        }
    }

    static void recordsTravel(Intracomm world) {
        Ring ring = Ring.of(world);
        Everything record = new Everything();
        int extent = record.getExtent();
        Check.equal("extent of the datatype", record.getType().getExtent(), extent);
        Check.that(extent >= 208 && extent % 8 == 0, "a multiple of the widest field, not " + extent);
        ByteBuffer out = MPI.newByteBuffer(2 * extent);
        Everything.Data first = record.getData(out);
        first.fill(ring.rank());
        Everything.Data second = record.getData(out, 1);
        second.fill(20 + ring.rank());
        byte[] in = new byte[2 * extent];
        world.sendRecv(out, 2, record.getType(), ring.right(), TAG, in, 2, record.getType(), ring.left(), TAG);
        Everything.Data firstIn = record.getData(in);
        firstIn.require(ring.left());
        Everything.Data secondIn = record.getData(in, 1);
        secondIn.require(20 + ring.left());
        Check.equal("second record's buffer", second.getBuffer().capacity(), extent);
    }

    static void wrongFieldsAreRefused(Intracomm world) {
        Point point = new Point();
        try {
            point.setOffset(3);
            throw new AssertionError("a field inside of another was accepted");
        } catch (IllegalArgumentException e) {
            Check.that(e.getMessage().contains("3"), "the message tells the offset");
        }
        Check.error(MPI.ERR_TYPE, "addData", () -> new Point().addData(MPI.OBJECT));
        Check.equal("extent", point.getExtent(), 8);
    }

    /** The lowest values, with the ranks that gave them. */
    static void pairsOfIntValues(Intracomm world) {
        ByteBuffer out = MPI.newByteBuffer(MPI.int2.getExtent());
        Int2.Data pair = MPI.int2.getData(out);
        pair.putValue(-world.Rank());
        pair.putIndex(world.Rank());
        ByteBuffer in = MPI.newByteBuffer(MPI.int2.getExtent());
        world.allReduce(out, in, 1, MPI.INT2, MPI.MINLOC);
        Int2.Data lowest = MPI.int2.getData(in);
        Check.equal("value", lowest.getValue(), 1 - world.Size());
        Check.equal("index", lowest.getIndex(), world.Size() - 1);
    }

    static void pairsOfShortValues(Intracomm world) {
        byte[] out = new byte[MPI.shortInt.getExtent()];
        ShortInt.Data pair = MPI.shortInt.getData(out);
        pair.putValue((short) -world.Rank());
        pair.putIndex(world.Rank());
        byte[] in = new byte[out.length];
        world.allReduce(out, in, 1, MPI.SHORT_INT, MPI.MINLOC);
        ShortInt.Data lowest = MPI.shortInt.getData(in);
        Check.equal("value", lowest.getValue(), (short) (1 - world.Size()));
        Check.equal("index", lowest.getIndex(), world.Size() - 1);
    }

    static void pairsOfLongValues(Intracomm world) {
        ByteBuffer out = MPI.newByteBuffer(2 * MPI.longInt.getExtent());
        LongInt.Data pair = MPI.longInt.getData(out, 1);
        pair.putValue(1L << 40 + world.Rank());
        pair.putIndex(world.Rank());
        ByteBuffer in = MPI.newByteBuffer(2 * MPI.longInt.getExtent());
        world.allReduce(out, in, 2, MPI.LONG_INT, MPI.MAXLOC);
        LongInt.Data highest = MPI.longInt.getData(in, 1);
        Check.equal("value", highest.getValue(), 1L << 40 + world.Size() - 1);
        Check.equal("index", highest.getIndex(), world.Size() - 1);
    }

    static void pairsOfFloatValues(Intracomm world) {
        ByteBuffer out = MPI.newByteBuffer(MPI.floatInt.getExtent());
        FloatInt.Data pair = MPI.floatInt.getData(out);
        pair.putValue(0.5f);
        pair.putIndex(world.Rank() + 3);
        ByteBuffer in = MPI.newByteBuffer(MPI.floatInt.getExtent());
        world.allReduce(out, in, 1, MPI.FLOAT_INT, MPI.MAXLOC);
        FloatInt.Data highest = MPI.floatInt.getData(in);
        Check.equal("value", highest.getValue(), 0.5f);
        Check.equal("lowest index of equal values", highest.getIndex(), 3);
    }

    static void pairsOfDoubleValues(Intracomm world) {
        ByteBuffer out = MPI.newByteBuffer(MPI.doubleInt.getExtent());
        DoubleInt.Data pair = MPI.doubleInt.getData(out);
        pair.putValue(world.Rank() == 0 ? 2.5 : 1.5);
        pair.putIndex(world.Rank());
        ByteBuffer in = MPI.newByteBuffer(MPI.doubleInt.getExtent());
        world.allReduce(out, in, 1, MPI.DOUBLE_INT, MPI.MAXLOC);
        DoubleInt.Data highest = MPI.doubleInt.getData(in);
        Check.equal("value", highest.getValue(), 2.5);
        Check.equal("index", highest.getIndex(), 0);
    }

    static void doubleComplexNumbers(Intracomm world) {
        double[] array = {1, 2, 3, 4};
        DoubleComplex second = DoubleComplex.get(array, 1);
        second.putReal(5);
        second.putImag(6);
        Check.equal("array", array, new double[] {1, 2, 5, 6});
        Check.equal("parts", new double[] {second.getReal(), second.getImag()}, new double[] {5, 6});
        Check.equal("buffer's imaginary part", second.getBuffer().get(1), 6.0);
        Check.equal("first in the array", DoubleComplex.get(array).getImag(), 2.0);
        DoubleBuffer doubles = DoubleBuffer.wrap(array);
        Check.equal("first in the buffer", DoubleComplex.get(doubles).getReal(), 1.0);
        Check.equal("second in the buffer", DoubleComplex.get(doubles, 1).getReal(), 5.0);
        ByteBuffer bytes = MPI.newByteBuffer(32).putDouble(8, 7).putDouble(16, 8);
        Check.equal("first in the bytes", DoubleComplex.get(bytes).getImag(), 7.0);
        Check.equal("second in the bytes", DoubleComplex.get(bytes, 1).getReal(), 8.0);
    }

    static void floatComplexNumbers(Intracomm world) {
        float[] array = {1, 2, 3, 4};
        FloatComplex second = FloatComplex.get(array, 1);
        second.putReal(5);
        second.putImag(6);
        Check.equal("array", array, new float[] {1, 2, 5, 6});
        Check.equal("parts", new float[] {second.getReal(), second.getImag()}, new float[] {5, 6});
        Check.equal("buffer's imaginary part", second.getBuffer().get(1), 6f);
        Check.equal("first in the array", FloatComplex.get(array).getImag(), 2f);
        FloatBuffer floats = FloatBuffer.wrap(array);
        Check.equal("first in the buffer", FloatComplex.get(floats).getReal(), 1f);
        Check.equal("second in the buffer", FloatComplex.get(floats, 1).getReal(), 5f);
        ByteBuffer bytes = MPI.newByteBuffer(16).putFloat(4, 7).putFloat(8, 8);
        Check.equal("first in the bytes", FloatComplex.get(bytes).getImag(), 7f);
        Check.equal("second in the bytes", FloatComplex.get(bytes, 1).getReal(), 8f);
    }
}
