package org.posthouse.mpj;

/**
 * One send or receive under way. Written by its endpoint under the endpoint's lock; read through
 * {@link Endpoint#test} and {@link Endpoint#await}, which order the reads after the writes.
 */
public class Operation {
    private boolean done;
    private Envelope envelope;
    private ReceiveException failure;

    /** Ends the operation. Called once, by the endpoint. */
    protected final void complete(Envelope envelope, ReceiveException failure) {
        if (done) {
            throw new IllegalStateException("an operation ended twice: " + this.envelope + ", then " + envelope);
        }
        this.envelope = envelope;
        this.failure = failure;
        done = true;
    }

    /** Whether the program's buffer may be used again. Meaningful after test or await. */
    public final boolean isDone() {
        return done;
    }

    /** The message that a receive got; null for a send, and until done. */
    public final Envelope envelope() {
        return envelope;
    }

    /** Why a receive failed; null if it did not. */
    public final ReceiveException failure() {
        return failure;
    }
}
