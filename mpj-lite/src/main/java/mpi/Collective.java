package mpi;

import org.posthouse.mpj.ReceiveException;

/** One call of a collective, its arguments checked: to be made now, or started. For one use. */
final class Collective {
    /** What a rank does. */
    interface Body {
        void run() throws ReceiveException;
    }

    final String call;
    private final Turns turns;
    private final Body body;

    Collective(String call, Turns turns, Body body) {
        this.call = call;
        this.turns = turns;
        this.body = body;
    }

    /** Takes part; returns when this rank's part is over. */
    void run() {
        turns.take(call, body);
    }

    /** Takes part in the background. The buffers must not be used before the request is complete. */
    Request start() {
        return turns.queue(call, body);
    }
}
