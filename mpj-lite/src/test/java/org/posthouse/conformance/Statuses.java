package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** What a status tells, in both spellings. */
final class Statuses {
    private static final int TAG = 12;

    private Statuses() {}

    static void bothSpellingsTellTheSame(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[6];
        Request[] requests = {null, world.Irecv(in, 0, 6, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG)};
        world.Send(new int[] {1, 2, 3, 4}, 0, 4, MPI.INT, ring.right(), TAG);
        Status status = Request.Waitany(requests);
        Check.equal("source", new int[] {status.source, status.getSource()}, new int[] {ring.left(), ring.left()});
        Check.equal("tag", new int[] {status.tag, status.getTag()}, new int[] {TAG, TAG});
        Check.equal("index", new int[] {status.index, status.getIndex()}, new int[] {1, 1});
        int[] counts = {status.Get_count(MPI.INT), status.getCount(MPI.INT), status.count};
        Check.equal("count", counts, new int[] {4, 4, 4});
        int[] pairs = {status.Get_count(MPI.INT2), status.getCount(MPI.INT2)};
        Check.equal("pairs", pairs, new int[] {2, 2});
        int[] elements = {status.Get_elements(MPI.INT2), status.getElements(MPI.INT2)};
        Check.equal("elements", elements, new int[] {4, 4});
        Check.that(!status.Test_cancelled() && !status.isCancelled(), "nothing was cancelled");
        Check.equal("error", status.getError(), MPI.SUCCESS);
        mpjdev.Status inner = status;
        int[] fields = {inner.source, inner.tag, inner.index, inner.count};
        Check.equal("fields by their other name", fields, new int[] {ring.left(), TAG, 1, 4});
    }

    static void anEmptyStatusTellsNothing(Intracomm world) {
        for (Status status : new Status[] {new Status(), MPI.EMPTY_STATUS}) {
            Check.equal("source", status.source, MPI.ANY_SOURCE);
            Check.equal("tag", status.tag, MPI.ANY_TAG);
            Check.equal("count", status.Get_count(MPI.DOUBLE), 0);
            Check.that(!status.Test_cancelled(), "it is not cancelled");
            status.free();
        }
    }

    static void theSourceIsARankOfTheCommunicator(Intracomm world) {
        Ring ring = Ring.of(world);
        Intracomm reversed = world.Split(0, -ring.rank());
        Ring there = Ring.of(reversed);
        Check.equal("rank", there.rank(), ring.size() - 1 - ring.rank());
        reversed.Send(new int[1], 0, 1, MPI.INT, there.right(), TAG);
        Status status = reversed.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
        Check.equal("source", status.source, there.left());
        reversed.Free();
    }

    static void cancelledOnesSaySo(Intracomm world) {
        Request receive = world.Irecv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
        receive.cancel();
        Status status = receive.waitStatus();
        Check.that(status.isCancelled() && status.Test_cancelled(), "the receive was cancelled");
        world.Barrier();
    }
}
