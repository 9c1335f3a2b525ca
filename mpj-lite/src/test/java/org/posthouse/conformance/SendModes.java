package org.posthouse.conformance;

import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Blocking and non-blocking sends of each mode, in mpiJava's spelling. Buffered ones are {@link BufferedSends}. */
final class SendModes {
    private static final int TAG = 3;

    private SendModes() {}

    /** One send of two ints from index 1 of {@code out} to the right. */
    private interface Sender {
        Request send(int[] out, int right);
    }

    private static void passOn(Intracomm world, Sender sender) {
        Ring ring = Ring.of(world);
        int[] out = {-1, 10 * ring.rank(), 10 * ring.rank() + 1, -1};
        int[] in = new int[5];
        Request receive = world.Irecv(in, 2, 2, MPI.INT, ring.left(), TAG);
        world.Barrier();
        sender.send(out, ring.right()).Wait();
        Status status = receive.Wait();
        Check.equal("received", in, new int[] {0, 0, 10 * ring.left(), 10 * ring.left() + 1, 0});
        Check.equal("source", status.source, ring.left());
        Check.equal("tag", status.tag, TAG);
    }

    static void standard(Intracomm world) {
        passOn(world, (out, right) -> {
            world.Send(out, 1, 2, MPI.INT, right, TAG);
            return MPI.REQUEST_NULL;
        });
    }

    static void synchronous(Intracomm world) {
        passOn(world, (out, right) -> {
            world.Ssend(out, 1, 2, MPI.INT, right, TAG);
            return MPI.REQUEST_NULL;
        });
    }

    static void ready(Intracomm world) {
        passOn(world, (out, right) -> {
            world.Rsend(out, 1, 2, MPI.INT, right, TAG);
            return MPI.REQUEST_NULL;
        });
    }

    static void nonBlockingStandard(Intracomm world) {
        passOn(world, (out, right) -> world.Isend(out, 1, 2, MPI.INT, right, TAG));
    }

    static void nonBlockingSynchronous(Intracomm world) {
        passOn(world, (out, right) -> world.Issend(out, 1, 2, MPI.INT, right, TAG));
    }

    static void nonBlockingReady(Intracomm world) {
        passOn(world, (out, right) -> world.Irsend(out, 1, 2, MPI.INT, right, TAG));
    }

    static void synchronousSendsEndWithTheReceive(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[1];
        Request send = world.Issend(new int[] {ring.rank()}, 0, 1, MPI.INT, ring.right(), TAG);
        for (int poll = 0; poll < 5; poll++) {
            Check.equal("status of a synchronous send that nobody received", send.Test(), null);
        }
        world.Barrier();
        world.Recv(in, 0, 1, MPI.INT, ring.left(), TAG);
        send.Wait();
        Check.that(send.Is_null(), "the request is null after Wait");
        Check.equal("received", in[0], ring.left());
    }

    static void messagesOfOneSenderStayInOrder(Intracomm world) {
        Ring ring = Ring.of(world);
        for (int i = 0; i < 20; i++) {
            world.Send(new int[] {i}, 0, 1, MPI.INT, ring.right(), i % 2);
        }
        int[] in = new int[1];
        for (int i = 1; i < 20; i += 2) {
            world.Recv(in, 0, 1, MPI.INT, ring.left(), 1);
            Check.equal("message with tag 1", in[0], i);
        }
        for (int i = 0; i < 20; i += 2) {
            world.Recv(in, 0, 1, MPI.INT, ring.left(), MPI.ANY_TAG);
            Check.equal("message with tag 0", in[0], i);
        }
    }

    static void emptyMessagesAreMessages(Intracomm world) {
        Ring ring = Ring.of(world);
        world.Send(new double[0], 0, 0, MPI.DOUBLE, ring.right(), TAG);
        double[] in = {1.5};
        Status status = world.Recv(in, 0, 1, MPI.DOUBLE, ring.left(), TAG);
        Check.equal("count", status.Get_count(MPI.DOUBLE), 0);
        Check.equal("buffer", in, new double[] {1.5});
    }

    static void eagerMessagesLeaveBeforeTheyAreReceived(Intracomm world) {
        Ring ring = Ring.of(world);
        byte[] out = new byte[128 * 1024];
        out[out.length - 1] = (byte) ring.rank();
        world.Send(out, 0, out.length, MPI.BYTE, ring.right(), TAG);
        byte[] in = new byte[out.length];
        world.Recv(in, 0, in.length, MPI.BYTE, ring.left(), TAG);
        Check.equal("last byte", in[in.length - 1], (byte) ring.left());
    }

    private static int[] largeMessage(int rank) {
        return IntStream.range(0, 500_000).map(i -> i * 31 + rank).toArray();
    }

    static void largeMessagesArriveWhole(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] out = largeMessage(ring.rank());
        int[] in = new int[out.length + 2];
        Request send = world.Isend(out, 0, out.length, MPI.INT, ring.right(), TAG);
        Status status = world.Recv(in, 1, in.length - 1, MPI.INT, ring.left(), TAG);
        send.Wait();
        Check.equal("count", status.Get_count(MPI.INT), out.length);
        boolean same = Arrays.equals(in, 1, in.length - 1, largeMessage(ring.left()), 0, out.length);
        Check.that(same, "what rank " + ring.left() + " sent");
        Check.equal("element in front", in[0], 0);
        Check.equal("element behind", in[in.length - 1], 0);
    }

    static void nobodyTakesAnything(Intracomm world) {
        int[] out = {1};
        world.Send(out, 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
        world.Ssend(out, 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
        world.Rsend(out, 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
        world.Isend(out, 0, 1, MPI.INT, MPI.PROC_NULL, TAG).Wait();
        world.Issend(out, 0, 1, MPI.INT, MPI.PROC_NULL, TAG).Wait();
        int[] in = {7};
        Status status = world.Recv(in, 0, 1, MPI.INT, MPI.PROC_NULL, TAG);
        Check.equal("source", status.source, MPI.PROC_NULL);
        Check.equal("tag", status.tag, MPI.ANY_TAG);
        Check.equal("count", status.Get_count(MPI.INT), 0);
        Check.equal("buffer", in, new int[] {7});
        Check.equal("source of Irecv", world.Irecv(in, 0, 1, MPI.INT, MPI.PROC_NULL, TAG).Wait().source, MPI.PROC_NULL);
    }

    static void everyRankSendsToEveryRank(Intracomm world) {
        Ring ring = Ring.of(world);
        for (int to = 0; to < ring.size(); to++) {
            world.Send(new long[] {1000L * ring.rank() + to}, 0, 1, MPI.LONG, to, TAG);
        }
        for (int from = ring.size() - 1; from >= 0; from--) {
            long[] in = new long[1];
            world.Recv(in, 0, 1, MPI.LONG, from, TAG);
            Check.equal("from rank " + from, in[0], 1000L * from + ring.rank());
        }
    }
}
