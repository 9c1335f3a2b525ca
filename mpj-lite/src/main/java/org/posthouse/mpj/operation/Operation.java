package org.posthouse.mpj.operation;

import org.posthouse.wire.Wire;

/**
 * A send or receive under way. Written by its endpoint under the endpoint's lock. Read through {@code Endpoint.test}
 * and {@code Endpoint.await}, which order the reads after the writes.
 */
public class Operation {
    /** Context of the messages of COMM_WORLD. */
    private static final int WORLD = 0;

    private boolean done;
    private boolean cancelled;
    private Envelope envelope;

    /**
     * Guarded by this object, not by the endpoint's lock: the caller who asks for the failure may have to run the sink.
     */
    private ReceiveException failure;

    /** The sink to end when somebody asks for the outcome; null if nothing is left to end. */
    private Sink unended;

    /** Whether {@code Endpoint.cancel} waits for the relay's answer. Guarded by the endpoint's lock. */
    private boolean beingCancelled;

    private ReceiveException failing;

    /**
     * Whether the program knows that it is done, so that the result of a further test does not depend on time. Guarded
     * by the endpoint's lock.
     */
    private boolean seen;

    /** Ends the operation. Called once, by the endpoint. */
    protected final void complete(Envelope envelope, ReceiveException failure) {
        complete(envelope, failure, null);
    }

    /** Ends a receive whose bytes have all arrived; {@link #failure} ends {@code sink}. Called once. */
    protected final void arrived(Envelope envelope, Sink sink) {
        complete(envelope, null, sink);
    }

    /** Ends an operation that was cancelled. Called once, by the endpoint. */
    protected final void cancelled() {
        complete(null, null, null);
        cancelled = true;
    }

    /** Marks a done operation as cancelled. */
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

    /** Whether it ended by {@code Endpoint.cancel}: nothing was sent or received. */
    public final boolean isCancelled() {
        return cancelled;
    }

    /** The message of a receive; null for a send, a cancelled receive, and until done. */
    public final Envelope envelope() {
        return envelope;
    }

    /**
     * The failure of a done operation; null if it succeeded. The first call ends a receive's {@link Sink}: it reads
     * objects here, by the program's own code, in the caller's thread and without any lock of the endpoint. Another
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

    /** Whether only a cancel ends it, since the earlier process had cancelled it. */
    public boolean isPassedOver() {
        return false;
    }

    /** The message that it waits for, in the terms of the reports about blocked calls; null if none. */
    public String arguments() {
        return null;
    }

    /** The text of a receive or probe of this source and tag. */
    protected static String source(int context, int source, int tag) {
        String peer = source == Wire.ANY ? "any source" : "source " + source;
        return arguments(context, peer, tag == Wire.ANY ? "any tag" : "tag " + tag);
    }

    /** The text of a send to this destination with this tag. */
    protected static String destination(int context, int destination, int tag) {
        return arguments(context, "destination " + destination, "tag " + Wire.tag(tag));
    }

    private static String arguments(int context, String peer, String tag) {
        return "(" + peer + ", " + tag + (context == WORLD ? ")" : "; another communicator, world ranks)");
    }

    /** The only rank that it waits for, or -1. */
    public int awaited() {
        return -1;
    }

    /** Whether the program knows that it is done. */
    public final boolean isSeen() {
        return seen;
    }

    /** Sets that the program knows that it is done. */
    public final void seen() {
        seen = true;
    }

    /** The failure with which it ends if the relay has nothing for it; null if it is not to end. Guarded by the endpoint's lock. */
    public final ReceiveException failing() {
        return failing;
    }

    /** It is to end with this failure, unless a message was matched with it before. */
    public final void fails(ReceiveException why) {
        failing = why;
    }

    /** Whether a cancel waits for the relay's answer. */
    public final boolean isBeingCancelled() {
        return beingCancelled;
    }

    /** Sets whether a cancel waits for the relay's answer. */
    public final void beingCancelled(boolean beingCancelled) {
        this.beingCancelled = beingCancelled;
    }
}
