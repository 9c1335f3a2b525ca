package mpi;

import java.util.function.Supplier;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.FinalizedException;

/**
 * An operation under way. Once its completion was seen it is null: waiting for it returns at once. Confined to one
 * thread at a time. The calls on arrays are {@link Requests}.
 */
public class Request implements Freeable {
    /** Whose errors these are; null for a request that is complete by nature. */
    private final Communicator comm;

    private final String call;

    /** Null when there is nothing to wait for. */
    private Operation operation;

    /** The status of the operation, queried when it is done. */
    private Supplier<Status> outcome;

    /** The kind of operation that blocks a checkpoint until the program has seen its end; null if it blocks none. */
    private OutstandingOperations.Kind underWay;

    /** Whether it was to be taken back. */
    private boolean cancelled;

    /** Whether the program has seen its end and not its status, as another of the same call has failed. */
    private boolean untold;

    /** A send or receive. */
    Request(Communicator comm, String call, Operation operation) {
        this(comm, call);
        under(operation, () -> operation.isCancelled() ? Status.ofCancelled() : comm.outcome(call, operation));
    }

    /** Nothing under way yet. */
    Request(Communicator comm, String call) {
        this.comm = comm;
        this.call = call;
    }

    /** A receive, or a send that may have to wait for its receive; {@link OutstandingOperations} knows that it has begun. It keeps its communicator's number. */
    static Request underWay(OutstandingOperations.Kind kind, Communicator comm, String call, Operation operation) {
        Request request = new Request(comm, call, operation);
        request.underWay = kind;
        comm.keep();
        return request;
    }

    /** A null request. */
    static Request ofNothing() {
        return new Request(null, null);
    }

    /** A request that is complete, but nobody has seen it. */
    static Request complete(Status status) {
        Request request = ofNothing();
        request.outcome = () -> status;
        return request;
    }

    /** Something else that an endpoint's operation tells the end of. */
    static Request of(Communicator comm, String call, Operation operation, Supplier<Status> outcome) {
        Request request = new Request(comm, call);
        request.under(operation, outcome);
        return request;
    }

    /** The same request; {@code seen} is called whenever somebody sees that it is complete and has not failed. */
    final Request whenSeen(Runnable seen) {
        Supplier<Status> endsWith = outcome;
        outcome = () -> {
            Status status = endsWith.get();
            seen.run();
            return status;
        };
        return this;
    }

    private void under(Operation started, Supplier<Status> endsWith) {
        operation = started;
        outcome = endsWith;
    }

    /** Takes over what another request has under way. */
    final void takeOver(Request other) {
        under(other.operation, other.outcome);
        underWay = other.underWay;
        cancelled = false;
        untold = false;
    }

    // ---- one request

    /** Whether the request is complete and its completion was seen, or it never was anything. */
    public boolean Is_null() throws MPIException {
        return !isActive();
    }

    /**
     * Blocks until the operation is complete.
     *
     * @throws MPIException if the message did not fit, or after Finalize if the operation is still under way
     */
    public Status Wait() throws MPIException {
        return await("Wait").finish();
    }

    /** The status if the operation is complete, else null. */
    public Status Test() throws MPIException {
        return isComplete("Test") ? finish() : null;
    }

    /**
     * Takes the operation back if nothing has matched it. Either way it must be waited for, and the status tells
     * ({@link Status#Test_cancelled}).
     */
    public void Cancel() throws MPIException {
        cancel("Cancel");
    }

    private void cancel(String by) {
        if (operation == null) {
            return;
        }
        try {
            comm.endpoint.cancel(operation);
            cancelled = true;
        } catch (FinalizedException e) {
            throw comm.finalized(by, e);
        }
    }

    /**
     * Forgets the request; the operation goes on. Of a receive, or a send that may have to wait for its receive, nobody can know its end then, so
     * that this process cannot be saved any more ({@link Checkpoint}), and its communicator's number is not used again here; but of one that was to be
     * taken back, for whose end this waits.
     */
    public void Free() throws MPIException {
        if (underWay != null && cancelled) {
            await("Free").endSeen();
        } else if (underWay != null) {
            comm.self.underWay().forgotten(underWay);
            comm.self.freedRequests().add(comm, operation);
            underWay = null;
        }
        operation = null;
        outcome = null;
    }

    /** As {@link #Free}. */
    @Override
    public void free() throws MPIException {
        Free();
    }

    /** As {@link #Cancel}. */
    public final void cancel() throws MPIException {
        cancel("cancel");
    }

    /** As {@link #Is_null}. */
    public boolean isNull() {
        return !isActive();
    }

    /** As {@link #Wait}. */
    public final Status waitStatus() throws MPIException {
        return await("waitStatus").finish();
    }

    /** As {@link #Wait}, without the status. */
    public final void waitFor() throws MPIException {
        await("waitFor").finish();
    }

    /** As {@link #Test}. */
    public final Status testStatus() throws MPIException {
        return isComplete("testStatus") ? finish() : null;
    }

    /** Whether the operation is complete. */
    public final boolean test() throws MPIException {
        boolean complete = isComplete("test");
        if (complete) {
            finish();
        }
        return complete;
    }

    /** The status if the operation is complete, else null; the request stays what it is. */
    public final Status getStatus() throws MPIException {
        if (!isComplete("getStatus")) {
            return null;
        }
        endSeen();
        return outcome == null ? new Status() : outcome.get();
    }

    // ---- arrays of requests, in mpiJava's spelling

    /**
     * Blocks until all are complete.
     *
     * @param requests null elements count as null requests
     * @throws MPIException if a message did not fit: the first one's error, after all are complete. As with the other calls for several, those that have failed
     *     are null then; of the others nobody has been told, and any call still gives their statuses
     */
    public static Status[] Waitall(Request[] requests) throws MPIException {
        return Requests.waitAll("Waitall", requests);
    }

    /** Blocks until one is complete; the status tells which, or UNDEFINED if all are null. */
    public static Status Waitany(Request[] requests) throws MPIException {
        return Requests.waitAny("Waitany", requests);
    }

    /** Blocks until at least one is complete; the statuses of all that are, or none if all are null. */
    public static Status[] Waitsome(Request[] requests) throws MPIException {
        return Requests.waitSome("Waitsome", requests);
    }

    /** The statuses of all if all are complete, else null, and none has changed. */
    public static Status[] Testall(Request[] requests) throws MPIException {
        return Requests.testAll("Testall", requests);
    }

    /** The status of one that is complete, or null; its index is UNDEFINED if all are null. */
    public static Status Testany(Request[] requests) throws MPIException {
        return Requests.testAny("Testany", requests);
    }

    /** The statuses of all that are complete; of length 0 if none is. */
    public static Status[] Testsome(Request[] requests) throws MPIException {
        return Requests.testSome("Testsome", requests);
    }

    // ---- arrays of requests, in Open MPI's spelling

    /** As {@link #Waitall}, without the statuses. */
    public static void waitAll(Request[] requests) throws MPIException {
        Requests.waitAll("waitAll", requests);
    }

    /** As {@link #Waitall}. */
    public static Status[] waitAllStatus(Request[] requests) throws MPIException {
        return Requests.waitAll("waitAllStatus", requests);
    }

    /** The index of one that is complete, or UNDEFINED if all are null. */
    public static int waitAny(Request[] requests) throws MPIException {
        return Requests.waitAny("waitAny", requests).index;
    }

    /** As {@link #Waitany}. */
    public static Status waitAnyStatus(Request[] requests) throws MPIException {
        return Requests.waitAny("waitAnyStatus", requests);
    }

    /** The indices of all that are complete, at least one; null if all are null. */
    public static int[] waitSome(Request[] requests) throws MPIException {
        return Requests.anyActive("waitSome", requests) ? Requests.indices(Requests.waitSome("waitSome", requests)) : null;
    }

    /** As {@link #Waitsome}, but null if all are null. */
    public static Status[] waitSomeStatus(Request[] requests) throws MPIException {
        return Requests.anyActive("waitSomeStatus", requests) ? Requests.waitSome("waitSomeStatus", requests) : null;
    }

    /** Whether all are complete. */
    public static boolean testAll(Request[] requests) throws MPIException {
        return Requests.testAll("testAll", requests) != null;
    }

    /** As {@link #Testall}. */
    public static Status[] testAllStatus(Request[] requests) throws MPIException {
        return Requests.testAll("testAllStatus", requests);
    }

    /** The index of one that is complete, or UNDEFINED. */
    public static int testAny(Request[] requests) throws MPIException {
        Status status = Requests.testAny("testAny", requests);
        return status == null ? MPI.UNDEFINED : status.index;
    }

    /** As {@link #Testany}. */
    public static Status testAnyStatus(Request[] requests) throws MPIException {
        return Requests.testAny("testAnyStatus", requests);
    }

    /** The indices of all that are complete; null if all are null. */
    public static int[] testSome(Request[] requests) throws MPIException {
        return Requests.anyActive("testSome", requests) ? Requests.indices(Requests.testSome("testSome", requests)) : null;
    }

    /** As {@link #Testsome}, but null if all are null. */
    public static Status[] testSomeStatus(Request[] requests) throws MPIException {
        return Requests.anyActive("testSomeStatus", requests) ? Requests.testSome("testSomeStatus", requests) : null;
    }

    // ---- for Requests and Prequest

    /** Whether there is something to wait for, or an outcome that nobody has seen. */
    final boolean isActive() {
        return outcome != null;
    }

    /** Whether {@link #finish} may be called; a false is a failed poll. */
    final boolean isComplete(String by) {
        return isComplete(by, true);
    }

    /** The same. @param move false if it is one of several, and one before it was not complete: frames were moved then */
    final boolean isComplete(String by, boolean move) {
        try {
            return operation == null || comm.endpoint.test(operation, move);
        } catch (FinalizedException e) {
            throw comm.finalized(by, e);
        } catch (PendingFailureException e) {
            throw comm.pending(by, e);
        }
    }

    final Operation operation() {
        return operation;
    }

    final Communicator comm() {
        return comm;
    }

    final String call() {
        return call;
    }

    final Request await(String by) {
        if (operation != null) {
            comm.await(by, operation);
        }
        return this;
    }

    private void endSeen() {
        if (underWay != null) {
            comm.self.underWay().seen(underWay);
            underWay = null;
            comm.leave();
        }
    }

    /** Makes the next completion call return this result of {@link #finish} once more. */
    final void tellAgain(Status status) {
        status.index = MPI.UNDEFINED;
        outcome = () -> status;
        untold = true;
    }

    /** Whether there is something under way that can not be forgotten for a new start. */
    final boolean isBusy() {
        return isActive() && !untold;
    }

    /** Takes the outcome of a complete request, which is null from now on. */
    final Status finish() {
        Supplier<Status> endsWith = outcome;
        operation = null;
        outcome = null;
        untold = false;
        endSeen();
        return endsWith == null ? new Status() : endsWith.get();
    }
}
