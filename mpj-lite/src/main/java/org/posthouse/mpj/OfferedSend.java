package org.posthouse.mpj;

/** A send that waits for CLEAR from the relay. Guarded by its endpoint's lock. */
final class OfferedSend extends Operation {
    final Content content;
    final int context;
    final int destination;
    final int tag;
    final SendMode mode;

    /** Its number in its channel, once it has begun. */
    long sequence;

    /** Whether the relay has it as an offer that it has not cleared. */
    boolean isUncleared;

    /** Whether the send has not started: it is in the {@link SendBacklog}. */
    boolean isWaiting;

    /** Bytes that have been sent; the next chunk begins here. */
    long sent;

    /** Bytes that the relay has cleared. Those of [sent, cleared) wait for the connection to be open. */
    long cleared;

    /** Length of their chunks. */
    int chunkBytes;

    private boolean gone;

    /** Whether the send counts as done without confirmation: it was sent whole, or its channel is known to have it. */
    private boolean believed;

    OfferedSend(Content content, int context, int destination, int tag, SendMode mode) {
        this.content = content;
        this.context = context;
        this.destination = destination;
        this.tag = tag;
        this.mode = mode;
    }

    void done() {
        if (!isDone()) {
            complete(null, null);
        }
    }

    /** Ends the send without confirmation from its destination. */
    void believed() {
        believed = true;
        done();
    }

    boolean isBelieved() {
        return believed;
    }

    /** Ends the send, although its bytes may be requested later. */
    void abandon(ReceiveException why) {
        if (!isDone()) {
            complete(null, why);
        }
    }

    void withdrawn() {
        if (believed) {
            neverHappened();
        } else {
            cancelled();
        }
    }

    /** Marks a send that an earlier process cancelled. It waits until the program cancels it again. */
    void gone() {
        gone = true;
    }

    /** Whether it is {@link #gone}, and waits. */
    boolean isGone() {
        return gone && !isDone();
    }

    @Override
    String arguments() {
        return destination(context, destination, tag);
    }

    @Override
    int awaited() {
        return destination;
    }

    @Override
    boolean isPassedOver() {
        return isGone();
    }
}
