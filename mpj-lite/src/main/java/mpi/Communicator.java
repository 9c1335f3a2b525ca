package mpi;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.coll.Neighbours;
import org.posthouse.mpj.data.UnwritableException;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.FinalizedException;

/**
 * The base of every communicator: a context of its own, the group of the calling process, and the group that its calls
 * address. That is another group only for an intercommunicator. The calls themselves are in the classes above this one,
 * one class for each spelling, so that a program may use either.
 */
abstract class Communicator {
    /** Null for a communicator that is null. */
    final OwnProcess self;

    /** The machine; null for a communicator that is null. */
    final Endpoint endpoint;

    /** The calling process's group. Public for programs of MPJ Express, which must not free it: {@link Comm#Group} gives one to free. */
    public final Group group;

    /** The group whose ranks are sources and destinations. */
    final Group addressed;

    final ArgumentCheck check;

    /** The error of a call that waits, or asks, for what was under way at Finalize. */
    static final String FINALIZED = "Finalize came before it was done, expected that after all threads' calls";

    /** The {@link #id} of a communicator that is null. */
    static final int NO_ID = -1;

    /** The {@link #id} of a copy that was started, until somebody has seen that it is complete. */
    static final int PENDING = -2;

    /** Number among the communicators of the process ({@link Contexts}). Changes once at most, by {@link #numbered}. */
    int id;

    private boolean freed;

    /**
     * Number of references that keep the communicator's number. The program holds one until it frees the communicator.
     * Each persistent request holds one. So does each receive, and each send that may have to wait for its receive,
     * until the program has seen its end. Blocking ones hold none: the program may not free the communicator meanwhile.
     */
    private final AtomicInteger keepers = new AtomicInteger(1);

    Communicator(OwnProcess self, Group group, Group addressed, int id, String name) {
        this.self = self;
        endpoint = self == null ? null : self.endpoint();
        this.group = group;
        this.addressed = addressed;
        this.id = id;
        check = new ArgumentCheck(name, group, addressed);
        freed = endpoint == null;
        if (isOpen()) {
            tellMembers();
        }
    }

    /** Makes the members known where failures are. */
    private void tellMembers() {
        endpoint.failures().ifPresent(failures -> failures.opened(id, allMembers()));
    }

    /** World ranks of all that can use this communicator: both groups. */
    private int[] allMembers() {
        return IntStream.concat(Arrays.stream(group.worldRanks()), Arrays.stream(addressed.worldRanks())).distinct().toArray();
    }

    /** Context of the point-to-point messages. */
    final int context() {
        return 2 * id;
    }

    /** Context of the collectives' messages. */
    final int collectiveContext() {
        return 2 * id + 1;
    }

    /** @throws MPIException if the communicator is null or was freed, or after Finalize */
    final void requireLive(String call) {
        requireOpen(call);
        requireThere(call);
    }

    /** @throws MPIException after Finalize */
    final void requireOpen(String call) {
        if (endpoint != null && endpoint.isClosed()) {
            throw finalized(call, null);
        }
    }

    /**
     * As {@link #requireLive}, but after Finalize too: for calls that need nobody.
     *
     * @throws MPIException if the communicator is null or was freed
     */
    final void requireThere(String call) {
        if (id == PENDING) {
            throw check.error(
                    MPI.ERR_COMM, call,
                    "the communicator is a copy under way, as far as is known: wait for its getRequest() first");
        }
        if (freed) {
            throw check.error(MPI.ERR_COMM, call, endpoint == null ? "the communicator is null" : "the communicator was freed");
        }
    }

    /** The error of a call that Finalize has left nothing to ask, or that was inside when another thread called it. */
    final MPIException finalized(String call, FinalizedException cause) {
        if (cause != null && cause.isJointEnded()) {
            self.joints().observeEnd();
            return check.error(MPI.ERR_OTHER, call, "the communicator joins two jobs, and has come to its end: " + cause.getMessage(), cause);
        }
        return check.error(MPI.ERR_OTHER, call, cause == null ? "called after Finalize" : FINALIZED, cause);
    }

    /**
     * Blocks until the operation is done.
     *
     * @throws MPIException if Finalize comes before that
     */
    final void await(String call, Operation operation) {
        try {
            endpoint.await(operation, call);
        } catch (FinalizedException e) {
            throw finalized(call, e);
        } catch (PendingFailureException e) {
            throw pending(call, e);
        }
    }

    /** The error of a wait for a receive of any source that may come from a process that has died. The receive goes on. */
    final MPIException pending(String call, PendingFailureException cause) {
        return check.error(MPI.ERR_PROC_FAILED_PENDING, call, cause.getMessage(), cause);
    }

    /** The same of a call that gives up what it waits for. */
    final MPIException failed(String call, PendingFailureException cause) {
        return check.error(MPI.ERR_PROC_FAILED, call, cause.getMessage(), cause);
    }

    /** @throws MPIException if the communicator is known to be revoked */
    final void requireNotRevoked(String call, boolean background) {
        if (endpoint.failures().map(failures -> failures.isKnownRevoked(id, background)).orElse(false)) {
            throw check.error(MPI.ERR_REVOKED, call, "the communicator is revoked");
        }
    }

    /** Whether it is there to communicate: neither null nor a copy under way. */
    final boolean isOpen() {
        return id >= 0;
    }

    /** Ends a copy's pending state. Called by the thread that sees its completion, each time that it does. */
    final void numbered(int agreed) {
        if (id == PENDING) {
            id = agreed;
            tellMembers();
            opened();
        }
    }

    /** Makes what needs the number. */
    abstract void opened();

    final boolean isFreed() {
        return freed;
    }

    final void markFreed() {
        freed = true;
        leave();
    }

    /** The number stays until this one leaves too. */
    final void keep() {
        keepers.incrementAndGet();
    }

    final void leave() {
        if (keepers.decrementAndGet() == 0) {
            release();
        }
    }

    /** Gives the number back. */
    abstract void release();

    /**
     * The ranks that send to the calling process in a collective between neighbours.
     *
     * @throws MPIException of class ERR_TOPOLOGY if the communicator has no topology
     */
    int[] sources(String call) {
        requireLive(call);
        throw check.error(MPI.ERR_TOPOLOGY, call, "the communicator has no topology, expected a Cartesian or graph one");
    }

    /** The ranks to which the calling process sends in a collective between neighbours. */
    int[] destinations(String call) {
        return sources(call);
    }

    /** The calling process's neighbours. */
    Neighbours neighbours(String call) {
        return Neighbours.inGraph(sources(call), destinations(call));
    }

    final int worldSource(int source) {
        return source == MPI.ANY_SOURCE ? source : addressed.worldRank(source);
    }

    final Status status(Envelope envelope) {
        return Status.of(addressed.rankOf(envelope.source()), envelope);
    }

    /** The status of a complete operation, or the error that it ended with. */
    final Status outcome(String call, Operation operation) {
        requireSuccess(call, operation);
        Envelope envelope = operation.envelope();
        return envelope == null ? new Status() : status(envelope);
    }

    /** Throws the error that a complete operation ended with. */
    final void requireSuccess(String call, Operation operation) {
        ReceiveException failure = operation.failure();
        if (failure != null) {
            Envelope envelope = operation.envelope();
            String from = envelope == null
                    ? ""
                    : "from rank " + addressed.rankOf(envelope.source()) + " with tag " + Messages.given(envelope.tag()) + ", ";
            throw check.error(errorClass(failure), call, from + failure.getMessage(), failure);
        }
    }

    static int errorClass(UnwritableException failure) {
        return failure.isTooLong() ? MPI.ERR_COUNT : MPI.ERR_TYPE;
    }

    /** The class of a collective's error: others that a death or a revocation has stopped may be why it failed here. */
    final int collectiveErrorClass(ReceiveException failure) {
        int own = errorClass(failure);
        if (own == MPI.ERR_REVOKED || own == MPI.ERR_PROC_FAILED || endpoint.failures().isEmpty()) {
            return own;
        }
        ReceiveException.Kind stopped = endpoint.failures().get().stopped(id);
        return stopped == null ? own : stopped == ReceiveException.Kind.REVOKED ? MPI.ERR_REVOKED : MPI.ERR_PROC_FAILED;
    }

    static int errorClass(ReceiveException failure) {
        return switch (failure.kind()) {
            case TRUNCATE -> MPI.ERR_TRUNCATE;
            case COUNT -> MPI.ERR_COUNT;
            case TYPE -> MPI.ERR_TYPE;
            case MEMORY -> MPI.ERR_NO_MEM;
            case INTERNAL -> MPI.ERR_INTERN;
            case OBJECT, MISMATCH -> MPI.ERR_OTHER;
            case PROC_FAILED -> MPI.ERR_PROC_FAILED;
            case REVOKED -> MPI.ERR_REVOKED;
        };
    }
}
