package org.posthouse.mpj;

/**
 * One send or receive under way. Written by its endpoint under the endpoint's lock; read through
 * {@link Endpoint#test} and {@link Endpoint#await}, which order the reads after the writes.
 */
public class Operation {
    private boolean done;
    private boolean cancelled;
    private Envelope envelope;

    /** Guarded by this object, not by the endpoint's lock: whoever asks for the failure may have to run the sink. */
    private ReceiveException failure;

    /** Takes the message's end when somebody asks for the outcome; null if there is nothing (more) to take. */
    private Sink unended;

    /** Whether {@link Endpoint#cancel} waits for the relay's word. Guarded by the endpoint's lock. */
    private boolean beingCancelled;

    /** Whether the program knows that it is done, so that the answer to a further test is none of time. As that. */
    private boolean seen;

    /** Ends the operation. Called once, by the endpoint. */
    protected final void complete(Envelope envelope, ReceiveException failure) {
        complete(envelope, failure, null);
    }

    /** Ends a receive whose bytes have all arrived; {@code sink} is told so by {@link #failure}. Called once. */
    protected final void arrived(Envelope envelope, Sink sink) {
        complete(envelope, null, sink);
    }

    /** Ends an operation that never happened. Called once, by the endpoint. */
    protected final void cancelled() {
        complete(null, null, null);
        cancelled = true;
    }

    /** An operation that is done had never happened. */
    protected final void neverHappened() {
        cancelled = true;
    }

    private void complete(Envelope envelope, ReceiveException failure, Sink sink) {
        if (done) {
            throw new IllegalStateException("an operation ended twice: " + this.envelope + ", then " + envelope);
        }
        this.envelope = envelope;
        synchronized (this) {
            this.failure = failure;
            unended = sink;
        }
        done = true;
    }

    /** Whether the program's buffer may be used again. Meaningful after test or await. */
    public final boolean isDone() {
        return done;
    }

    /** Whether it ended by {@link Endpoint#cancel}: nothing was sent or received. */
    public final boolean isCancelled() {
        return cancelled;
    }

    /** The message that a receive got; null for a send, a cancelled receive, and until done. */
    public final Envelope envelope() {
        return envelope;
    }

    /**
     * Why an operation that is done failed; null if it did not. The first call ends a receive's {@link Sink}: objects
     * are read here, by the program's own code, in the caller's thread and without any lock of the endpoint. Another
     * thread that asks meanwhile waits. The buffer has the message's content afterwards, not before.
     */
    public final synchronized ReceiveException failure() {
        Sink sink = unended;
        unended = null;
        if (sink != null) {
            try {
                sink.end();
            } catch (ReceiveException e) {
                failure = e;
            } catch (RuntimeException | Error e) {
                failure = ReceiveException.of(e, envelope);
            }
        }
        return failure;
    }

    /** Whether nothing ends it but a cancel, since the process before had taken it back. */
    boolean isPassedOver() {
        return false;
    }

    /** What message it waits for, in the words of {@link BlockedCalls}; null if for none. */
    String arguments() {
        return null;
    }

    /** The one rank that it waits for, or -1. */
    int awaited() {
        return -1;
    }

    final boolean isSeen() {
        return seen;
    }

    final void seen() {
        seen = true;
    }

    final boolean isBeingCancelled() {
        return beingCancelled;
    }

    final void beingCancelled(boolean beingCancelled) {
        this.beingCancelled = beingCancelled;
    }
}
