package org.posthouse.conformance;

import java.nio.IntBuffer;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Message;
import mpi.Request;
import mpi.Status;

/** Messages in Open MPI's spelling: sends of each mode, receives, probes and matched probes. */
final class OpenMpiMessages {
    private static final int TAG = 15;

    private OpenMpiMessages() {}

    /** One send of one int to the right. */
    private interface Sender {
        Request send(int[] out, int right);
    }

    private static void passOn(Intracomm world, Sender sender) {
        Ring ring = Ring.of(world);
        int[] in = new int[2];
        Request receive = world.iRecv(in, 2, MPI.INT, ring.left(), TAG);
        world.barrier();
        sender.send(new int[] {ring.rank()}, ring.right()).waitFor();
        Status status = receive.waitStatus();
        Check.equal("source", status.getSource(), ring.left());
        Check.equal("tag", status.getTag(), TAG);
        Check.equal("count", status.getCount(MPI.INT), 1);
        Check.equal("received", in, new int[] {ring.left(), 0});
    }

    static void standard(Intracomm world) {
        passOn(world, (out, right) -> {
            world.send(out, 1, MPI.INT, right, TAG);
            return MPI.REQUEST_NULL;
        });
    }

    static void synchronous(Intracomm world) {
        passOn(world, (out, right) -> {
            world.sSend(out, 1, MPI.INT, right, TAG);
            return MPI.REQUEST_NULL;
        });
    }

    static void ready(Intracomm world) {
        passOn(world, (out, right) -> {
            world.rSend(out, 1, MPI.INT, right, TAG);
            return MPI.REQUEST_NULL;
        });
    }

    static void nonBlocking(Intracomm world) {
        passOn(world, (out, right) -> world.iSend(out, 1, MPI.INT, right, TAG));
        passOn(world, (out, right) -> world.isSend(out, 1, MPI.INT, right, TAG));
        passOn(world, (out, right) -> world.irSend(out, 1, MPI.INT, right, TAG));
    }

    static void receive(Intracomm world) {
        Ring ring = Ring.of(world);
        world.send(new double[] {ring.rank() + 0.5}, 1, MPI.DOUBLE, ring.right(), TAG);
        double[] in = new double[2];
        Status status = world.recv(in, 2, MPI.DOUBLE, MPI.ANY_SOURCE, MPI.ANY_TAG);
        Check.equal("source", status.getSource(), ring.left());
        Check.equal("received", in, new double[] {ring.left() + 0.5, 0});
    }

    static void exchange(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[1];
        Status status = world.sendRecv(
                new int[] {ring.rank()}, 1, MPI.INT, ring.right(), TAG, in, 1, MPI.INT, ring.left(), TAG);
        Check.equal("source", status.getSource(), ring.left());
        Check.equal("received", in[0], ring.left());
        int[] values = {ring.rank() + 10};
        world.sendRecvReplace(values, 1, MPI.INT, ring.right(), TAG, ring.left(), TAG);
        Check.equal("received", values[0], ring.left() + 10);
    }

    static void probes(Intracomm world) {
        Ring ring = Ring.of(world);
        Check.equal("probe of what nobody sends", world.iProbe(MPI.ANY_SOURCE, TAG), null);
        world.barrier();
        world.send(new int[3], 3, MPI.INT, ring.right(), TAG);
        Check.equal("count", world.probe(ring.left(), TAG).getCount(MPI.INT), 3);
        Check.equal("count", world.iProbe(MPI.ANY_SOURCE, MPI.ANY_TAG).getCount(MPI.INT), 3);
        world.recv(new int[3], 3, MPI.INT, ring.left(), TAG);
    }

    static void matchedProbes(Intracomm world) {
        Ring ring = Ring.of(world);
        for (int i = 0; i < 2; i++) {
            world.send(new int[] {ring.rank(), i}, 2, MPI.INT, ring.right(), TAG);
        }
        Message first = new Message();
        Check.that(first.isNull(), "a message that was not probed for is null");
        Status status = first.mProbe(MPI.ANY_SOURCE, TAG, world);
        Check.equal("source", status.getSource(), ring.left());
        Check.equal("count", status.getCount(MPI.INT), 2);
        Check.that(!first.isNull() && !first.isNoProc(), "there is a message");
        int[] in = new int[2];
        world.recv(in, 2, MPI.INT, ring.left(), TAG);
        Check.equal("the second message, as the first is taken", in, new int[] {ring.left(), 1});
        Check.equal("source", first.mRecv(in, 2, MPI.INT).getSource(), ring.left());
        Check.equal("the first message", in, new int[] {ring.left(), 0});
        Check.that(first.isNull(), "a message that was received is null");
        Check.error(MPI.ERR_REQUEST, "mRecv", () -> first.mRecv(in, 2, MPI.INT));
    }

    static void matchedProbesThatDoNotWait(Intracomm world) {
        Ring ring = Ring.of(world);
        Message message = new Message();
        Check.equal("probe of what nobody sends", message.imProbe(ring.left(), TAG, world), null);
        world.barrier();
        world.send(new int[] {ring.rank()}, 1, MPI.INT, ring.right(), TAG);
        Status status = message.imProbe(ring.left(), TAG, world);
        while (status == null) {
            Thread.onSpinWait();
            status = message.imProbe(ring.left(), TAG, world);
        }
        IntBuffer in = MPI.newIntBuffer(1);
        Check.equal("count", message.imRecv(in, 1, MPI.INT).waitStatus().getCount(MPI.INT), 1);
        Check.equal("received", in.get(0), ring.left());
    }

    static void matchedProbesOfNobody(Intracomm world) {
        Message message = new Message();
        message.mProbe(MPI.PROC_NULL, TAG, world);
        Check.that(message.isNoProc() && !message.isNull(), "a message from nobody");
        Check.equal("source", message.mRecv(new int[1], 1, MPI.INT).getSource(), MPI.PROC_NULL);
        Check.that(message.isNull(), "a message that was received is null");
    }

    static void freedRequestsGoOn(Intracomm world) {
        Ring ring = Ring.of(world);
        Request send = world.iSend(new int[] {ring.rank()}, 1, MPI.INT, ring.right(), TAG);
        send.free();
        Check.that(send.isNull(), "a freed request is null");
        int[] in = new int[1];
        world.recv(in, 1, MPI.INT, ring.left(), TAG);
        Check.equal("received", in[0], ring.left());
    }
}
