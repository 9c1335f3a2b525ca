package mpi;

import java.util.ArrayDeque;
import java.util.Deque;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.operation.Operation;

/**
 * The receives and sends that the program has freed before their end: each keeps its communicator's number until that. Nobody waits for
 * them, so their end is looked for where a number is wanted, which is a point in the program: the look is a poll as any of the program's, and a replay gives it the
 * same answer. Thread-safe.
 */
final class FreedRequests {
    /** Most that one look asks for; those that are not done come last in the next. */
    static final int LOOK = 16;

    private final Deque<Freed> freed = new ArrayDeque<>();

    private record Freed(Communicator comm, Operation operation) {
        boolean isOver() {
            try {
                return comm.endpoint.test(operation);
            } catch (PendingFailureException e) {
                return false; // The receive goes on, and nobody waits for it who could acknowledge the failure.
            }
        }
    }

    synchronized void add(Communicator comm, Operation operation) {
        freed.add(new Freed(comm, operation));
    }

    /** Gives back the numbers of what is over by now, of some. */
    void look() {
        for (int left = Math.min(LOOK, size()); left > 0; left--) {
            Freed next = poll();
            if (next == null) {
                return; // Another thread looks too.
            }
            if (next.isOver()) {
                next.comm.leave();
            } else {
                add(next.comm, next.operation);
            }
        }
    }

    synchronized int size() {
        return freed.size();
    }

    private synchronized Freed poll() {
        return freed.poll();
    }
}
