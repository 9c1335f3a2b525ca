package org.posthouse.conformance;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;

/** Buffers of java.nio in place of arrays: direct ones, and slices of buffers and arrays. */
final class NioBuffers {
    private static final int TAG = 14;

    private NioBuffers() {}

    private static void shift(Intracomm world, Object out, Object in, int count, Datatype type) {
        Ring ring = Ring.of(world);
        Request receive = world.iRecv(in, count, type, ring.left(), TAG);
        world.send(out, count, type, ring.right(), TAG);
        receive.waitFor();
    }

    /** Requires a new direct buffer of 4 zeros in native order. */
    private static void requireNew(Buffer buffer, ByteOrder order) {
        Check.that(buffer.isDirect(), "a direct buffer");
        Check.equal("capacity", buffer.capacity(), 4);
        Check.equal("order", order, ByteOrder.nativeOrder());
    }

    static void bytes(Intracomm world) {
        ByteBuffer out = MPI.newByteBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, (byte) 7).put(2, (byte) Ring.of(world).rank());
        byte[] in = new byte[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.BYTE);
        Check.equal("received", in, new byte[] {0, 0, 7, 0, (byte) Ring.of(world).left()});
    }

    static void chars(Intracomm world) {
        CharBuffer out = MPI.newCharBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, 'p').put(2, (char) Ring.of(world).rank());
        char[] in = new char[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.CHAR);
        Check.equal("received", in, new char[] {0, 0, 'p', 0, (char) Ring.of(world).left()});
    }

    static void shorts(Intracomm world) {
        ShortBuffer out = MPI.newShortBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, (short) -7).put(2, (short) Ring.of(world).rank());
        short[] in = new short[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.SHORT);
        Check.equal("received", in, new short[] {0, 0, -7, 0, (short) Ring.of(world).left()});
    }

    static void ints(Intracomm world) {
        IntBuffer out = MPI.newIntBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, -70_000).put(2, Ring.of(world).rank());
        int[] in = new int[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.INT);
        Check.equal("received", in, new int[] {0, 0, -70_000, 0, Ring.of(world).left()});
    }

    static void longs(Intracomm world) {
        LongBuffer out = MPI.newLongBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, Long.MIN_VALUE).put(2, Ring.of(world).rank());
        long[] in = new long[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.LONG);
        Check.equal("received", in, new long[] {0, 0, Long.MIN_VALUE, 0, Ring.of(world).left()});
    }

    static void floats(Intracomm world) {
        FloatBuffer out = MPI.newFloatBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, 0.5f).put(2, Ring.of(world).rank());
        float[] in = new float[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.FLOAT);
        Check.equal("received", in, new float[] {0, 0, 0.5f, 0, Ring.of(world).left()});
    }

    static void doubles(Intracomm world) {
        DoubleBuffer out = MPI.newDoubleBuffer(4);
        requireNew(out, out.order());
        MPI.slice(out, 1).put(0, 1e300).put(2, Ring.of(world).rank());
        double[] in = new double[5];
        shift(world, MPI.slice(out, 1), MPI.slice(in, 2), 3, MPI.DOUBLE);
        Check.equal("received", in, new double[] {0, 0, 1e300, 0, Ring.of(world).left()});
    }

    static void bytesHoldAnyType(Intracomm world) {
        ByteBuffer out = MPI.newByteBuffer(16).putDouble(0, 2.5).putDouble(8, Ring.of(world).rank());
        ByteBuffer in = MPI.newByteBuffer(16);
        shift(world, out, in, 2, MPI.DOUBLE);
        Check.equal("first", in.getDouble(0), 2.5);
        Check.equal("second", in.getDouble(8), (double) Ring.of(world).left());
    }

    static void positionsAndLimitsDoNotMatter(Intracomm world) {
        IntBuffer out = MPI.newIntBuffer(3).put(0, 1).put(1, 2).put(2, Ring.of(world).rank());
        out.position(2).limit(2);
        IntBuffer in = IntBuffer.allocate(4);
        in.position(1).limit(1);
        shift(world, out, in, 3, MPI.INT);
        Check.equal("received", in.array(), new int[] {1, 2, Ring.of(world).left(), 0});
        Check.equal("position", in.position(), 1);
    }

    static void largeMessagesFromOneBufferToAnother(Intracomm world) {
        Ring ring = Ring.of(world);
        int elements = 300_000;
        LongBuffer out = MPI.newLongBuffer(elements);
        out.duplicate().put(LongStream.range(0, elements).map(i -> 3 * i + ring.rank()).toArray());
        LongBuffer in = MPI.newLongBuffer(elements);
        Request send = world.iSend(out, elements, MPI.LONG, ring.right(), TAG);
        world.recv(in, elements, MPI.LONG, ring.left(), TAG);
        send.waitFor();
        LongBuffer expected = LongBuffer.wrap(LongStream.range(0, elements).map(i -> 3 * i + ring.left()).toArray());
        Check.equal("first element that differs", in.mismatch(expected), -1);
    }

    static void collectivesTakeThem(Intracomm world) {
        int size = world.Size();
        DoubleBuffer values = MPI.newDoubleBuffer(2).put(0, world.Rank()).put(1, 0.5);
        DoubleBuffer sums = MPI.newDoubleBuffer(2);
        world.allReduce(values, sums, 2, MPI.DOUBLE, MPI.SUM);
        Check.equal("sums", new double[] {sums.get(0), sums.get(1)}, new double[] {size * (size - 1) / 2, size * 0.5});
        IntBuffer all = MPI.newIntBuffer(size);
        world.allGather(MPI.newIntBuffer(1).put(0, world.Rank()), 1, MPI.INT, all, 1, MPI.INT);
        for (int rank = 0; rank < size; rank++) {
            Check.equal("gathered", all.get(rank), rank);
        }
    }

    /** One buffer of each kind, of 6 elements: direct in both orders, and on the heap. */
    private static List<Buffer> ofEachKind(ByteOrder order) {
        List<Buffer> all = new ArrayList<>();
        for (boolean direct : new boolean[] {true, false}) {
            Supplier<ByteBuffer> memory = () -> (direct ? ByteBuffer.allocateDirect(48) : ByteBuffer.allocate(48)).order(order);
            all.add(memory.get());
            all.add(memory.get().limit(12).slice().order(order).asCharBuffer());
            all.add(memory.get().limit(12).slice().order(order).asShortBuffer());
            all.add(memory.get().limit(24).slice().order(order).asIntBuffer());
            all.add(memory.get().asLongBuffer());
            all.add(memory.get().limit(24).slice().order(order).asFloatBuffer());
            all.add(memory.get().asDoubleBuffer());
        }
        return all;
    }

    private static int capacityBytes(Buffer buffer) {
        return buffer instanceof ByteBuffer ? 48
                : buffer instanceof CharBuffer || buffer instanceof ShortBuffer ? 12 : buffer instanceof IntBuffer || buffer instanceof FloatBuffer ? 24 : 48;
    }

    private static final Datatype[] TYPES = {MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE, MPI.BOOLEAN};

    /** A buffer is memory of any type: what one has as one type, another one gets. */
    static void buffersAreMemoryOfAnyType(Intracomm world) {
        for (Datatype type : TYPES) {
            int width = type.getByteSize();
            for (Buffer buffer : ofEachKind(ByteOrder.nativeOrder())) {
                int count = capacityBytes(buffer) / width;
                ByteBuffer bytes = MPI.newByteBuffer(count * width);
                for (int i = 0; i < count * width; i++) {
                    // As exponents of no NaN, which Java may change; and a boolean is 0 or 1.
                    bytes.put(i, (byte) (type == MPI.BOOLEAN ? i % 3 % 2 : 1 + i % 5));
                }
                ByteBuffer back = MPI.newByteBuffer(count * width);
                String what = buffer.getClass().getName() + " as " + type;
                world.sendRecv(bytes, count, type, world.getRank(), TAG, buffer, count, type, world.getRank(), TAG);
                Request receive = world.iRecv(back, count, type, world.getRank(), TAG);
                world.send(buffer, count, type, world.getRank(), TAG);
                receive.waitFor();
                Check.equal(what, back.mismatch(bytes), -1);
                Check.error(world, MPI.ERR_BUFFER, "send", () -> world.send(buffer, count + 1, type, world.getRank(), TAG));
                Check.error(world, MPI.ERR_TRUNCATE, "recv", () -> sendAndReceive(world, count + 1, buffer, type));
            }
        }
    }

    private static void sendAndReceive(Intracomm world, int count, Buffer room, Datatype type) {
        world.send(MPI.newByteBuffer(count * type.getByteSize()), count, type, world.getRank(), TAG);
        world.recv(room, count, type, world.getRank(), TAG);
    }

    /** Whatever the order of a buffer, an element of its own bytes has the same value at the other end. */
    static void otherOrdersKeepValues(Intracomm world) {
        Ring ring = Ring.of(world);
        ByteOrder other = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        DoubleBuffer out = ByteBuffer.allocateDirect(16).order(other).asDoubleBuffer();
        out.put(0, Double.longBitsToDouble(ring.rank() + 5)).put(1, Double.longBitsToDouble(77));
        long[] in = new long[2];
        shift(world, out, in, 2, MPI.LONG);
        Check.equal("longs", in, new long[] {ring.left() + 5, 77});
        DoubleBuffer back = ByteBuffer.allocateDirect(16).order(other).asDoubleBuffer();
        shift(world, in, back, 2, MPI.LONG);
        Check.equal("double", Double.doubleToRawLongBits(back.get(0)), (ring.left() + ring.size() - 1) % ring.size() + 5L);
    }

    static void partsOfElements(Intracomm world) {
        Ring ring = Ring.of(world);
        IntBuffer ints = MPI.newIntBuffer(3).put(0, 0x01020304).put(1, 0x05060708).put(2, 0x090a0b0c);
        ints.position(2).limit(2);
        CharBuffer in = MPI.newCharBuffer(8);
        world.sendRecv(ints, 7, MPI.BYTE, ring.right(), TAG, in, 7, MPI.BYTE, ring.left(), TAG);
        int first = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0x0304 : 0x0102;
        Check.equal("first char", (int) in.get(0), first);
        Check.equal("fourth char, half of it", Integer.bitCount(in.get(3)) > 0, true);
        Check.equal("behind the message", (int) in.get(4), 0);
        Check.equal("position", ints.position(), 2);
        Request send = world.iSend(MPI.slice(ints, 1), 2, MPI.INT, ring.right(), TAG);
        LongBuffer one = MPI.newLongBuffer(1);
        world.recv(one, 2, MPI.INT, ring.left(), TAG);
        send.waitFor();
        long expected = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0x090a0b0c05060708L : 0x05060708090a0b0cL;
        Check.equal("a slice as ints in a long", one.get(0), expected);
    }

    static void collectivesTakeThemAsMemory(Intracomm world) {
        int size = world.Size();
        DoubleBuffer sums = MPI.newDoubleBuffer(2);
        world.allReduce(MPI.newFloatBuffer(4).put(0, Float.intBitsToFloat(3)), sums, 4, MPI.INT, MPI.SUM);
        int low = (int) (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Double.doubleToRawLongBits(sums.get(0))
                : Double.doubleToRawLongBits(sums.get(0)) >>> 32);
        Check.equal("sum", low, 3 * size);
        IntBuffer inPlace = MPI.newIntBuffer(2).put(0, 1).put(1, 0);
        world.allReduce(inPlace, 1, MPI.LONG, MPI.SUM);
        Check.equal("sum in place", ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? inPlace.get(0) : size, size);
        CharBuffer text = MPI.newCharBuffer(4);
        if (world.Rank() == size - 1) {
            text.duplicate().put("post");
        }
        world.iBcast(text, 8, MPI.BYTE, size - 1).waitFor();
        Check.equal("broadcast", text.toString(), "post");
        ShortBuffer all = MPI.newShortBuffer(2 * size);
        world.allGather(MPI.newIntBuffer(1).put(0, world.Rank() + 1), 4, MPI.BYTE, all, 4, MPI.BYTE);
        for (int rank = 0; rank < size; rank++) {
            Check.equal("gathered", all.get(2 * rank) + all.get(2 * rank + 1), rank + 1);
        }
        Prequest receive = world.recvInit(all, 1, MPI.INT, world.Rank(), TAG);
        receive.start();
        world.send(MPI.newFloatBuffer(1).put(0, 1f), 1, MPI.FLOAT, world.Rank(), TAG);
        Check.error(world, MPI.ERR_TYPE, "recvInit", receive::waitFor);
        receive.free();
        IntBuffer matrix = MPI.newIntBuffer(8);
        world.sendRecv(new byte[] {1, 2, 3, 4}, 4, MPI.BYTE, world.Rank(), TAG, matrix, 1, Datatype.createVector(4, 1, 4, MPI.BYTE), world.Rank(), TAG);
        int lowest = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 24;
        Check.equal("a column of bytes", new int[] {matrix.get(0) >>> lowest, matrix.get(1) >>> lowest, matrix.get(3) >>> lowest, matrix.get(4)},
                new int[] {1, 2, 4, 0});
    }

    static void readOnlyBuffersAreNoRoom(Intracomm world) {
        IntBuffer readOnly = IntBuffer.allocate(2).asReadOnlyBuffer();
        Check.error(world, MPI.ERR_BUFFER, "recv", () -> world.recv(readOnly, 1, MPI.INT, 0, TAG));
        IntBuffer room = IntBuffer.allocate(world.Size()).asReadOnlyBuffer();
        int[] ones = new int[world.Size()];
        Arrays.fill(ones, 1);
        Check.error(world, MPI.ERR_BUFFER, "allGather", () -> world.allGather(readOnly, 1, MPI.INT, room, 1, MPI.INT));
        Check.error(world, MPI.ERR_BUFFER, "allGatherv", () -> world.allGatherv(readOnly, 1, MPI.INT, room, ones, new int[ones.length], MPI.INT));
    }
}
