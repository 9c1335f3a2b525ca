package org.posthouse.conformance;

import java.nio.ByteBuffer;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;

/** Sends from an attached buffer, in both spellings. In a job only: the buffer is the process's. */
final class BufferedSends {
    private static final int TAG = 2;
    private static final int ROOM = 10_000;

    private BufferedSends() {}

    /** Some buffered sends of one int to the right, with the tags 0, 1, ... */
    private interface Sender {
        void send(int[] out, int right);
    }

    private static void send(Intracomm world, int messages, Sender sender) {
        Ring ring = Ring.of(world);
        sender.send(new int[] {ring.rank()}, ring.right());
        for (int tag = messages - 1; tag >= 0; tag--) {
            int[] in = new int[1];
            world.Recv(in, 0, 1, MPI.INT, ring.left(), tag);
            Check.equal("received", in[0], ring.left());
        }
    }

    static void mpiJavaSpelling(Intracomm world) {
        byte[] room = new byte[ROOM];
        MPI.Buffer_attach(room);
        send(world, 3, (out, right) -> {
            world.Bsend(out, 0, 1, MPI.INT, right, 0);
            world.Ibsend(out, 0, 1, MPI.INT, right, 1).Wait();
            Prequest request = world.Bsend_init(out, 0, 1, MPI.INT, right, TAG);
            request.Start();
            request.Wait();
            request.Free();
        });
        Check.that(MPI.Buffer_detach() == room, "the buffer comes back");
    }

    static void openMpiSpelling(Intracomm world) {
        byte[] room = new byte[ROOM];
        MPI.attachBuffer(room);
        send(world, 3, (out, right) -> {
            world.bSend(out, 1, MPI.INT, right, 0);
            Request request = world.ibSend(out, 1, MPI.INT, right, 1);
            request.waitFor();
            Prequest persistent = world.bSendInit(out, 1, MPI.INT, right, TAG);
            persistent.start();
            persistent.waitFor();
            persistent.free();
        });
        Check.that(MPI.detachBuffer() == room, "the buffer comes back");
    }

    static void aBufferOfJavasOwn(Intracomm world) {
        MPI.Buffer_attach(ByteBuffer.allocateDirect(ROOM));
        send(world, 1, (out, right) -> world.Bsend(out, 0, 1, MPI.INT, right, 0));
        Check.equal("bytes", MPI.Buffer_detach().length, ROOM);
    }

    static void theMessageIsACopy(Intracomm world) {
        Ring ring = Ring.of(world);
        MPI.Buffer_attach(new byte[400_000 + MPI.BSEND_OVERHEAD]);
        int[] out = new int[100_000];
        out[99_999] = ring.rank();
        world.Bsend(out, 0, out.length, MPI.INT, ring.right(), TAG);
        out[99_999] = -1;
        int[] in = new int[100_000];
        world.Recv(in, 0, in.length, MPI.INT, ring.left(), TAG);
        Check.equal("last", in[99_999], ring.left());
        MPI.Buffer_detach();
    }

    static void nobodyTakesAnything(Intracomm world) {
        MPI.Buffer_attach(new byte[ROOM]);
        world.Bsend(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
        world.Ibsend(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, TAG).Wait();
        MPI.Buffer_detach();
    }

    /** As in MPJ Express: programs attach a new one for each message. */
    static void aBufferTakesThePlaceOfTheOneBefore(Intracomm world) {
        byte[] last = new byte[ROOM];
        send(world, 2, (out, right) -> {
            MPI.Buffer_attach(new byte[Integer.BYTES]);
            world.Bsend(out, 0, 1, MPI.INT, right, 0);
            MPI.Buffer_attach(last);
            world.Bsend(out, 0, 1, MPI.INT, right, 1);
        });
        Check.that(MPI.Buffer_detach() == last, "the last buffer comes back");
        Check.equal("what comes back of none", MPI.Buffer_detach(), null);
    }

    static void aMessageNeedsItsBytesAlone(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] values = new int[1000];
        MPI.Buffer_attach(new byte[world.Pack_size(values.length, MPI.INT)]);
        Request request = world.Ibsend(values, 0, values.length, MPI.INT, ring.right(), TAG);
        world.Recv(new int[1000], 0, values.length, MPI.INT, ring.left(), TAG);
        request.Wait();
        MPI.Buffer_detach();
    }

    static void wrongUse(Intracomm world) {
        int[] out = new int[100];
        Check.error(world, MPI.ERR_BUFFER, "Bsend", () -> world.Bsend(out, 0, 1, MPI.INT, 0, TAG));
        Check.error(MPI.ERR_BUFFER, "detachBuffer", MPI::detachBuffer);
        MPI.attachBuffer(new byte[103]);
        Check.error(MPI.ERR_BUFFER, "attachBuffer", () -> MPI.attachBuffer(new byte[1]));
        Check.error(world, MPI.ERR_BUFFER, "Bsend", () -> world.Bsend(out, 0, 26, MPI.INT, 0, TAG));
        MPI.Buffer_detach();
        Check.error(MPI.ERR_BUFFER, "Buffer_attach", () -> MPI.Buffer_attach((byte[]) null));
    }
}
