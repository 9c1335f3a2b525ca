package mpi;

import org.posthouse.mpj.operation.ReceiveException;

/** One call of a collective, its arguments checked: to be made now, or started. For one use. */
final class Collective {
    /** A rank's part in the collective. */
    interface Body {
        void run() throws ReceiveException;
    }

    static final int NO_ROOT = -1;

    final String call;
    final int root;
    private final CollectiveSequencer turns;
    final Body body;

    Collective(String call, int root, CollectiveSequencer turns, Body body) {
        this.call = call;
        this.root = root;
        this.turns = turns;
        this.body = body;
    }

    /** Takes part; returns when this rank's part is over. */
    void run() {
        turns.take(this);
    }

    /**
     * Takes part, unless the joint job has come to its end. For callers that do not tell the program of that: another process might be told later, or
     * never, so what the program can see must not depend on it.
     *
     * @return whether this rank's part is over; false if the joint job has come to its end
     */
    boolean runToEnd() {
        return turns.takeToEnd(this);
    }

    /** Takes part in the background. The buffers must not be used before the request is complete. */
    Request start() {
        return turns.queue(this);
    }
}
