package mpi;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.FinalizedException;

/** The calls on arrays of requests, under whichever name a program makes them. Null elements are null requests. */
final class Requests {
    /** Between two looks at requests of several jobs. */
    private static final long POLL_NANOS = 20_000;

    private Requests() {}

    static Status[] waitAll(String call, Request[] requests) {
        check(call, requests);
        int first = nextOfOther(requests, 0, null);
        while (first < requests.length) {
            Communicator comm = requests[first].comm();
            int next = nextOfOther(requests, first, comm.endpoint);
            awaitRange(call, requests, first, next, comm);
            first = next;
        }
        return finishAll(requests);
    }

    /** The index of the first request from here on whose operation is of another endpoint: each job, the own one or a joint one, has its own. */
    private static int nextOfOther(Request[] requests, int from, Endpoint endpoint) {
        int at = from;
        while (at < requests.length && (requests[at] == null || requests[at].operation() == null || requests[at].comm().endpoint == endpoint)) {
            at++;
        }
        return at;
    }

    private static void awaitRange(String call, Request[] requests, int from, int to, Communicator comm) {
        Operation[] operations = new Operation[to - from];
        for (int i = from; i < to; i++) {
            operations[i - from] = requests[i] == null ? null : requests[i].operation();
        }
        try {
            comm.endpoint.awaitAll(operations, call);
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        } catch (PendingFailureException e) {
            throw comm.pending(call, e);
        }
    }

    static Status waitAny(String call, Request[] requests) {
        check(call, requests);
        int index = awaitAny(call, requests);
        return index == MPI.UNDEFINED ? new Status() : finish(requests, index);
    }

    static Status[] waitSome(String call, Request[] requests) {
        check(call, requests);
        awaitAny(call, requests);
        return finishComplete(call, requests);
    }

    static Status[] testAll(String call, Request[] requests) {
        check(call, requests);
        for (Request request : requests) {
            if (request != null && !request.isComplete(call)) {
                return null;
            }
        }
        return finishAll(requests);
    }

    static Status testAny(String call, Request[] requests) {
        check(call, requests);
        boolean active = false;
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i])) {
                if (requests[i].isComplete(call, !active)) {
                    return finish(requests, i);
                }
                active = true;
            }
        }
        return active ? null : new Status();
    }

    static Status[] testSome(String call, Request[] requests) {
        check(call, requests);
        return finishComplete(call, requests);
    }

    static boolean anyActive(String call, Request[] requests) {
        check(call, requests);
        return Arrays.stream(requests).anyMatch(Requests::isActive);
    }

    static int[] indices(Status[] statuses) {
        return Arrays.stream(statuses).mapToInt(status -> status.index).toArray();
    }

    private static Status finish(Request[] requests, int index) {
        Status status = requests[index] == null ? new Status() : requests[index].finish();
        status.index = index;
        return status;
    }

    private static Status[] finishAll(Request[] requests) {
        Status[] statuses = new Status[requests.length];
        boolean[] active = new boolean[requests.length];
        Throwable first = null;
        for (int i = 0; i < requests.length; i++) {
            active[i] = isActive(requests[i]);
            try {
                statuses[i] = finish(requests, i);
            } catch (RuntimeException | Error e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            for (int i = 0; i < requests.length; i++) {
                if (active[i] && statuses[i] != null) {
                    requests[i].tellAgain(statuses[i]);
                }
            }
            throw CollectiveSequencer.unchecked(first);
        }
        return statuses;
    }

    private static Status[] finishComplete(String call, Request[] requests) {
        Request[] complete = new Request[requests.length];
        boolean moved = false;
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i])) {
                complete[i] = requests[i].isComplete(call, !moved) ? requests[i] : null;
                moved |= complete[i] == null;
            }
        }
        Status[] all = finishAll(complete);
        return Arrays.stream(all).filter(status -> complete[status.index] != null).toArray(Status[]::new);
    }

    /** The lowest index of an active request that is complete, or UNDEFINED if none is active. */
    private static int awaitAny(String call, Request[] requests) {
        Operation[] operations = new Operation[requests.length];
        Communicator comm = null;
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i])) {
                if (requests[i].operation() == null) {
                    return i;
                }
                if (comm != null && comm.endpoint != requests[i].comm().endpoint) {
                    return pollAny(call, requests);
                }
                operations[i] = requests[i].operation();
                comm = requests[i].comm();
            }
        }
        try {
            return comm == null ? MPI.UNDEFINED : comm.endpoint.awaitAny(operations, call);
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        } catch (PendingFailureException e) {
            throw comm.pending(call, e);
        }
    }

    /** As {@link #awaitAny}, of requests of several jobs, each with an endpoint of its own: asks one after the other. */
    private static int pollAny(String call, Request[] requests) {
        while (true) {
            for (int i = 0; i < requests.length; i++) {
                if (isActive(requests[i]) && requests[i].isComplete(call)) {
                    return i;
                }
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static boolean isActive(Request request) {
        return request != null && request.isActive();
    }

    private static void check(String call, Request[] requests) {
        if (requests == null) {
            throw new MPIException(MPI.ERR_REQUEST, call + ": the array of requests is null");
        }
    }
}
