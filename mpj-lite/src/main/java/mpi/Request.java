package mpi;

import org.posthouse.mpj.Operation;

/**
 * A send or receive under way. Once its completion was seen it is null: waiting for it returns at once. Confined to one
 * thread at a time.
 */
public class Request {
    private final Comm comm;
    private final String call;
    /** Null when the request is null, or complete by nature. */
    private Operation operation;

    /** What a request to or from PROC_NULL ends with; null otherwise. */
    private Status ready;

    Request(Comm comm, String call, Operation operation) {
        this.comm = comm;
        this.call = call;
        this.operation = operation;
    }

    /** A null request. */
    static Request ofNothing() {
        return new Request(null, null, null);
    }

    /** A request to or from PROC_NULL. */
    static Request ofNobody() {
        Request request = ofNothing();
        request.ready = Status.ofNobody();
        return request;
    }

    /** Whether the request is complete and its completion was seen, or it never was anything. */
    public boolean Is_null() throws MPIException {
        return operation == null && ready == null;
    }

    /**
     * Blocks until the operation is complete.
     *
     * @throws MPIException if the message did not fit
     */
    public Status Wait() throws MPIException {
        if (operation != null) {
            comm.endpoint.await(operation);
        }
        return finish();
    }

    /** The status if the operation is complete, else null. */
    public Status Test() throws MPIException {
        return isComplete() ? finish() : null;
    }

    /**
     * Blocks until all are complete.
     *
     * @param requests null elements count as null requests
     * @throws MPIException if a message did not fit: the first one's error, after all are complete
     */
    public static Status[] Waitall(Request[] requests) throws MPIException {
        check("Waitall", requests);
        for (Request request : requests) {
            if (request != null && request.operation != null) {
                request.comm.endpoint.await(request.operation);
            }
        }
        return finishAll(requests);
    }

    /** Blocks until one is complete; the status tells which, or UNDEFINED if all are null. */
    public static Status Waitany(Request[] requests) throws MPIException {
        check("Waitany", requests);
        int index = awaitAny(requests);
        return index == MPI.UNDEFINED ? new Status() : finish(requests, index);
    }

    /** Blocks until at least one is complete; the statuses of all that are, or none if all are null. */
    public static Status[] Waitsome(Request[] requests) throws MPIException {
        check("Waitsome", requests);
        awaitAny(requests);
        return finishComplete(requests);
    }

    /** The statuses of all if all are complete, else null, and none has changed. */
    public static Status[] Testall(Request[] requests) throws MPIException {
        check("Testall", requests);
        for (Request request : requests) {
            if (request != null && !request.isComplete()) {
                return null;
            }
        }
        return finishAll(requests);
    }

    /** The status of one that is complete, or null; its index is UNDEFINED if all are null. */
    public static Status Testany(Request[] requests) throws MPIException {
        check("Testany", requests);
        boolean active = false;
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i])) {
                if (requests[i].isComplete()) {
                    return finish(requests, i);
                }
                active = true;
            }
        }
        return active ? null : new Status();
    }

    /** The statuses of all that are complete; of length 0 if none is. */
    public static Status[] Testsome(Request[] requests) throws MPIException {
        check("Testsome", requests);
        return finishComplete(requests);
    }

    private boolean isComplete() {
        return operation == null || comm.endpoint.test(operation);
    }

    /** Takes the outcome of a complete request, which is null from now on. */
    private Status finish() {
        Operation done = operation;
        Status nobody = ready;
        operation = null;
        ready = null;
        if (done != null) {
            return comm.outcome(call, done);
        }
        return nobody == null ? new Status() : nobody;
    }

    private static Status finish(Request[] requests, int index) {
        Status status = requests[index] == null ? new Status() : requests[index].finish();
        status.index = index;
        return status;
    }

    private static Status[] finishAll(Request[] requests) {
        Status[] statuses = new Status[requests.length];
        MPIException first = null;
        for (int i = 0; i < requests.length; i++) {
            try {
                statuses[i] = finish(requests, i);
            } catch (MPIException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
        return statuses;
    }

    private static Status[] finishComplete(Request[] requests) {
        Request[] complete = new Request[requests.length];
        int count = 0;
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i]) && requests[i].isComplete()) {
                complete[i] = requests[i];
                count++;
            }
        }
        Status[] all = finishAll(complete);
        Status[] statuses = new Status[count];
        int filled = 0;
        for (int i = 0; i < all.length; i++) {
            if (complete[i] != null) {
                statuses[filled++] = all[i];
            }
        }
        return statuses;
    }

    /** The lowest index of an active request that is complete, or UNDEFINED if none is active. */
    private static int awaitAny(Request[] requests) {
        Operation[] operations = new Operation[requests.length];
        Comm any = null;
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i])) {
                if (requests[i].ready != null) {
                    return i;
                }
                operations[i] = requests[i].operation;
                any = requests[i].comm;
            }
        }
        return any == null ? MPI.UNDEFINED : any.endpoint.awaitAny(operations);
    }

    private static boolean isActive(Request request) {
        return request != null && !request.Is_null();
    }

    private static void check(String call, Request[] requests) {
        if (requests == null) {
            throw new MPIException(MPIException.ERR_REQUEST, call + ": the array of requests is null");
        }
    }
}
