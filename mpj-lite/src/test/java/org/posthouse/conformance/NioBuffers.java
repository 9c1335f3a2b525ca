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
import java.util.Arrays;
import java.util.stream.LongStream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
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
