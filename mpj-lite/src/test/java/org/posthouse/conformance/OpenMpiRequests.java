package org.posthouse.conformance;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Waiting for one request and for many, in Open MPI's spelling. */
final class OpenMpiRequests {
    private static final int TAG = 16;

    private OpenMpiRequests() {}

    /** Does something with one receive from each rank, of which int p goes to index p. */
    private interface Collector {
        void collect(Request[] requests, int[] room);
    }

    /** All ranks send between {@code early} and {@code late}. */
    private static void collect(Intracomm world, Collector early, Collector late) {
        int size = world.Size();
        int[] room = new int[size];
        Request[] requests = new Request[size];
        Arrays.setAll(requests, from -> world.iRecv(MPI.slice(room, from), 1, MPI.INT, from, TAG));
        early.collect(requests, room);
        world.barrier();
        for (int to = 0; to < size; to++) {
            world.send(new int[] {100 * world.getRank() + to}, 1, MPI.INT, to, TAG);
        }
        late.collect(requests, room);
        for (int from = 0; from < size; from++) {
            Check.equal("from rank " + from, room[from], 100 * from + world.getRank());
            Check.that(requests[from].isNull(), "request " + from + " is null");
        }
    }

    private static void early(Request[] requests, int[] room) {}

    private static void requireWhole(Status status) {
        Check.equal("source", status.getSource(), status.getIndex());
    }

    static void oneByOne(Intracomm world) {
        collect(world, OpenMpiRequests::early, (requests, room) -> {
            for (int from = 0; from < requests.length; from++) {
                Check.equal("source", requests[from].waitStatus().getSource(), from);
                requests[from].waitFor();
            }
        });
    }

    static void testOneByOne(Intracomm world) {
        collect(world, (requests, room) -> {
            Check.equal("status of what nobody sent", requests[0].testStatus(), null);
            Check.equal("status of what nobody sent", requests[0].getStatus(), null);
            Check.that(!requests[0].test(), "what nobody sent is not complete");
        }, (requests, room) -> {
            for (int from = 0; from < requests.length; from++) {
                while (requests[from].getStatus() == null) {
                    Thread.onSpinWait();
                }
                Check.that(!requests[from].isNull(), "getStatus leaves the request");
                Check.equal("source", requests[from].getStatus().getSource(), from);
                if (from % 2 == 0) {
                    Check.that(requests[from].test(), "the request is complete");
                } else {
                    Check.equal("source", requests[from].testStatus().getSource(), from);
                }
            }
        });
    }

    static void waitAll(Intracomm world) {
        collect(world, OpenMpiRequests::early, (requests, room) -> Request.waitAll(requests));
        collect(world, OpenMpiRequests::early, (requests, room) -> {
            Status[] statuses = Request.waitAllStatus(requests);
            for (int from = 0; from < statuses.length; from++) {
                Check.equal("source", statuses[from].getSource(), from);
            }
        });
    }

    static void waitAny(Intracomm world) {
        collect(world, OpenMpiRequests::early, (requests, room) -> {
            boolean[] seen = new boolean[requests.length];
            for (int i = 0; i < requests.length; i++) {
                int index = i % 2 == 0 ? Request.waitAny(requests) : Request.waitAnyStatus(requests).getIndex();
                Check.that(!seen[index], "request " + index + " is seen once");
                seen[index] = true;
            }
            Check.equal("index when all are null", Request.waitAny(requests), MPI.UNDEFINED);
            Check.equal("index when all are null", Request.waitAnyStatus(requests).getIndex(), MPI.UNDEFINED);
        });
    }

    static void waitSome(Intracomm world) {
        collect(world, OpenMpiRequests::early, (requests, room) -> {
            boolean[] seen = new boolean[requests.length];
            for (int[] some = Request.waitSome(requests); some != null; some = Request.waitSome(requests)) {
                Check.that(some.length > 0, "at least one");
                Arrays.stream(some).forEach(index -> seen[index] = true);
            }
            for (boolean each : seen) {
                Check.that(each, "each request is seen");
            }
        });
        collect(world, OpenMpiRequests::early, (requests, room) -> {
            Status[] some = Request.waitSomeStatus(requests);
            while (some != null) {
                Check.that(some.length > 0, "at least one");
                Arrays.stream(some).forEach(OpenMpiRequests::requireWhole);
                some = Request.waitSomeStatus(requests);
            }
        });
    }

    static void testAll(Intracomm world) {
        collect(world, (requests, room) -> {
            Check.that(!Request.testAll(requests), "not all are complete");
            Check.equal("statuses", Request.testAllStatus(requests), null);
        }, (requests, room) -> {
            while (!Request.testAll(requests)) {
                Thread.onSpinWait();
            }
            Check.equal("statuses of null requests", Request.testAllStatus(requests).length, requests.length);
        });
    }

    static void testAny(Intracomm world) {
        collect(world, (requests, room) -> {
            Check.equal("index before any", Request.testAny(requests), MPI.UNDEFINED);
            Check.equal("status before any", Request.testAnyStatus(requests), null);
        }, (requests, room) -> {
            for (int left = requests.length; left > 0;) {
                Status status = left % 2 == 0 ? Request.testAnyStatus(requests) : null;
                boolean found = status != null || left % 2 != 0 && Request.testAny(requests) != MPI.UNDEFINED;
                left -= found ? 1 : 0;
            }
            Check.equal("index when all are null", Request.testAnyStatus(requests).getIndex(), MPI.UNDEFINED);
        });
    }

    static void testSome(Intracomm world) {
        collect(world, (requests, room) -> {
            Check.equal("number before any", Request.testSome(requests).length, 0);
            Check.equal("number before any", Request.testSomeStatus(requests).length, 0);
        }, (requests, room) -> {
            int seen = 0;
            for (int[] some = Request.testSome(requests); some != null; some = Request.testSome(requests)) {
                seen += some.length;
            }
            Check.equal("requests seen", seen, requests.length);
            Check.equal("statuses when all are null", Request.testSomeStatus(requests), null);
        });
    }
}
