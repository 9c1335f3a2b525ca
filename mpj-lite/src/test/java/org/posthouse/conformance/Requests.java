package org.posthouse.conformance;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Waiting for one request and for many, in mpiJava's spelling. */
final class Requests {
    private static final int TAG = 8;

    private Requests() {}

    /** Does something with one receive from each rank, of which int p goes to index p. */
    private interface Collector {
        void collect(Request[] requests, int[] room);
    }

    /** All ranks send between {@code early} and {@code late}. */
    private static void collect(Intracomm world, Collector early, Collector late) {
        int size = world.Size();
        int[] room = new int[size];
        Request[] requests = new Request[size];
        Arrays.setAll(requests, from -> world.Irecv(room, from, 1, MPI.INT, from, TAG));
        early.collect(requests, room);
        world.Barrier();
        for (int to = 0; to < size; to++) {
            world.Send(new int[] {100 * world.Rank() + to}, 0, 1, MPI.INT, to, TAG);
        }
        late.collect(requests, room);
        for (int from = 0; from < size; from++) {
            Check.equal("from rank " + from, room[from], 100 * from + world.Rank());
            Check.that(requests[from].Is_null(), "request " + from + " is null");
        }
    }

    private static void requireWhole(Status status, int[] room) {
        Check.equal("source", status.source, status.index);
        Check.equal("received", room[status.index] / 100, status.source);
    }

    static void waitOneByOne(Intracomm world) {
        collect(world, (requests, room) -> {}, (requests, room) -> {
            for (int from = 0; from < requests.length; from++) {
                Status status = requests[from].Wait();
                Check.equal("source", status.source, from);
                Check.equal("index of a single Wait", status.index, MPI.UNDEFINED);
                Check.equal("source of a second Wait", requests[from].Wait().source, MPI.ANY_SOURCE);
            }
        });
    }

    static void testOneByOne(Intracomm world) {
        collect(world, (requests, room) -> {
            for (Request request : requests) {
                Check.equal("test of what nobody sent", request.Test(), null);
                Check.that(!request.Is_null(), "a request under way is not null");
            }
        }, (requests, room) -> {
            for (int from = 0; from < requests.length; from++) {
                Status status = requests[from].Test();
                while (status == null) {
                    Thread.onSpinWait();
                    status = requests[from].Test();
                }
                Check.equal("source", status.source, from);
            }
        });
    }

    static void waitall(Intracomm world) {
        collect(world, (requests, room) -> {}, (requests, room) -> {
            Status[] statuses = Request.Waitall(requests);
            Check.equal("statuses", statuses.length, requests.length);
            for (int from = 0; from < statuses.length; from++) {
                Check.equal("source", statuses[from].source, from);
            }
        });
    }

    static void waitany(Intracomm world) {
        collect(world, (requests, room) -> {}, (requests, room) -> {
            for (int i = 0; i < requests.length; i++) {
                requireWhole(Request.Waitany(requests), room);
            }
            Check.equal("index when all are null", Request.Waitany(requests).index, MPI.UNDEFINED);
        });
    }

    static void waitsome(Intracomm world) {
        collect(world, (requests, room) -> {}, (requests, room) -> {
            int left = requests.length;
            while (left > 0) {
                Status[] statuses = Request.Waitsome(requests);
                Check.that(statuses.length > 0, "at least one status");
                Arrays.stream(statuses).forEach(status -> requireWhole(status, room));
                left -= statuses.length;
            }
            Check.equal("requests beyond those there are", left, 0);
        });
    }

    static void testall(Intracomm world) {
        Collector early = (requests, room) -> Check.equal("Testall before any", Request.Testall(requests), null);
        collect(world, early, (requests, room) -> {
            Status[] statuses = Request.Testall(requests);
            while (statuses == null) {
                Thread.onSpinWait();
                statuses = Request.Testall(requests);
            }
            for (int from = 0; from < statuses.length; from++) {
                Check.equal("source", statuses[from].source, from);
            }
        });
    }

    static void testany(Intracomm world) {
        Collector early = (requests, room) -> Check.equal("Testany before any", Request.Testany(requests), null);
        collect(world, early, (requests, room) -> {
            for (int left = requests.length; left > 0;) {
                Status status = Request.Testany(requests);
                if (status != null) {
                    requireWhole(status, room);
                    left--;
                }
            }
            Check.equal("index when all are null", Request.Testany(requests).index, MPI.UNDEFINED);
        });
    }

    static void testsome(Intracomm world) {
        collect(
                world,
                (requests, room) -> Check.equal("Testsome before any", Request.Testsome(requests).length, 0),
                (requests, room) -> {
                    for (int left = requests.length; left > 0;) {
                        Status[] statuses = Request.Testsome(requests);
                        Arrays.stream(statuses).forEach(status -> requireWhole(status, room));
                        left -= statuses.length;
                    }
                });
    }

    static void nullRequestsAreComplete(Intracomm world) {
        Check.that(MPI.REQUEST_NULL.Is_null(), "REQUEST_NULL is null");
        Check.equal("tag of its status", MPI.REQUEST_NULL.Wait().tag, MPI.ANY_TAG);
        Check.that(MPI.REQUEST_NULL.Test() != null, "REQUEST_NULL is complete");
        Request[] none = {null, MPI.REQUEST_NULL};
        Check.equal("statuses of Waitall", Request.Waitall(none).length, 2);
        Check.equal("statuses of Testall", Request.Testall(none).length, 2);
        Check.equal("index of Waitany", Request.Waitany(none).index, MPI.UNDEFINED);
        Check.equal("index of Testany", Request.Testany(none).index, MPI.UNDEFINED);
        Check.equal("statuses of Waitsome", Request.Waitsome(none).length, 0);
        Check.equal("statuses of Testsome", Request.Testsome(none).length, 0);
    }

    static void sendsAndReceivesMixInOneArray(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] in = new int[1];
        Request[] requests = {
            null,
            world.Irecv(in, 0, 1, MPI.INT, ring.left(), TAG),
            world.Isend(new int[] {ring.rank()}, 0, 1, MPI.INT, ring.right(), TAG),
            world.Irecv(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, TAG),
        };
        Status[] statuses = Request.Waitall(requests);
        Check.equal("source of the receive", statuses[1].source, ring.left());
        Check.equal("source of the receive from nobody", statuses[3].source, MPI.PROC_NULL);
        Check.equal("received", in[0], ring.left());
    }

    static void aFreedRequestGoesOn(Intracomm world) {
        Ring ring = Ring.of(world);
        Request send = world.Isend(new int[] {ring.rank()}, 0, 1, MPI.INT, ring.right(), TAG);
        send.Free();
        Check.that(send.Is_null(), "a freed request is null");
        int[] in = new int[1];
        world.Recv(in, 0, 1, MPI.INT, ring.left(), TAG);
        Check.equal("received", in[0], ring.left());
    }

    static void whatNobodySentCanBeTakenBack(Intracomm world) {
        Request receive = world.Irecv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
        receive.Cancel();
        Check.that(receive.Wait().Test_cancelled(), "a receive of what nobody sent is cancelled");
        Check.that(receive.Is_null(), "it is null after Wait");
        world.Barrier();
    }

    static void whatNobodyReceivedCanBeTakenBack(Intracomm world) {
        Ring ring = Ring.of(world);
        Request send = world.Issend(new int[1], 0, 1, MPI.INT, ring.right(), TAG);
        send.Cancel();
        Check.that(send.Wait().Test_cancelled(), "a synchronous send that nobody received is cancelled");
        world.Barrier();
        Check.equal("probe of what was taken back", world.Iprobe(ring.left(), TAG), null);
    }

    static void whatMatchedStays(Intracomm world) {
        Ring ring = Ring.of(world);
        world.Send(new int[] {ring.rank()}, 0, 1, MPI.INT, ring.right(), TAG);
        world.Probe(ring.left(), TAG);
        int[] in = new int[1];
        Request receive = world.Irecv(in, 0, 1, MPI.INT, ring.left(), TAG);
        receive.Cancel();
        Check.that(!receive.Wait().Test_cancelled(), "a receive that matched is not cancelled");
        Check.equal("received", in[0], ring.left());
    }
}
