package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Requests that are started again and again, in both spellings. Buffered ones are {@link BufferedSends}. */
final class Persistent {
    private static final int TAG = 4;
    private static final int ROUNDS = 3;

    private Persistent() {}

    /** Sends one more than the round's number to the right, in each round. */
    private static void rounds(Intracomm world, int[] out, Prequest send, int[] in, Prequest receive) {
        Ring ring = Ring.of(world);
        for (int round = 0; round < ROUNDS; round++) {
            out[0] = 10 * ring.rank() + round;
            Prequest.Startall(new Prequest[] {receive});
            world.Barrier();
            send.Start();
            Status[] statuses = Request.Waitall(new Request[] {send, receive});
            Check.equal("source", statuses[1].source, ring.left());
            Check.equal("received in round " + round, in[0], 10 * ring.left() + round);
            Check.that(!send.Is_null() && !receive.Is_null(), "inactive requests are not null");
        }
        send.Free();
        receive.Free();
        Check.that(send.Is_null() && receive.Is_null(), "freed requests are null");
        Check.error(world, MPI.ERR_REQUEST, "Start", send::Start);
    }

    private static Prequest receive(Intracomm world, int[] in) {
        return world.Recv_init(in, 0, 1, MPI.INT, Ring.of(world).left(), TAG);
    }

    static void standard(Intracomm world) {
        int[] out = new int[1];
        int[] in = new int[1];
        rounds(world, out, world.Send_init(out, 0, 1, MPI.INT, Ring.of(world).right(), TAG), in, receive(world, in));
    }

    static void synchronous(Intracomm world) {
        int[] out = new int[1];
        int[] in = new int[1];
        rounds(world, out, world.Ssend_init(out, 0, 1, MPI.INT, Ring.of(world).right(), TAG), in, receive(world, in));
    }

    static void ready(Intracomm world) {
        int[] out = new int[1];
        int[] in = new int[1];
        rounds(world, out, world.Rsend_init(out, 0, 1, MPI.INT, Ring.of(world).right(), TAG), in, receive(world, in));
    }

    static void startsOnlyWhenInactive(Intracomm world) {
        Prequest receive = world.Recv_init(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
        Check.that(receive.Test() != null, "an inactive request is complete");
        receive.Start();
        Check.error(world, MPI.ERR_REQUEST, "Start", receive::Start);
        receive.Cancel();
        Check.that(receive.Wait().Test_cancelled(), "the receive is cancelled");
        receive.Free();
        world.Barrier();
    }

    static void openMpiSpelling(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] out = new int[1];
        int[] in = new int[3];
        Prequest[] requests = {
            world.recvInit(MPI.slice(in, 0), 1, MPI.INT, ring.left(), 0),
            world.recvInit(MPI.slice(in, 1), 1, MPI.INT, ring.left(), 1),
            world.recvInit(MPI.slice(in, 2), 1, MPI.INT, ring.left(), 2),
            world.sendInit(out, 1, MPI.INT, ring.right(), 0),
            world.sSendInit(out, 1, MPI.INT, ring.right(), 1),
            world.rSendInit(out, 1, MPI.INT, ring.right(), 2),
        };
        for (int round = 0; round < ROUNDS; round++) {
            out[0] = 10 * ring.rank() + round;
            for (int i = 0; i < 3; i++) {
                requests[i].start();
            }
            world.barrier();
            Prequest.startAll(new Prequest[] {requests[3], requests[4], requests[5]});
            Request.waitAll(requests);
            int expected = 10 * ring.left() + round;
            Check.equal("received", in, new int[] {expected, expected, expected});
        }
        for (Prequest request : requests) {
            Check.that(!request.isNull(), "an inactive request is not null");
            request.free();
            Check.that(request.isNull(), "a freed request is null");
        }
    }
}
