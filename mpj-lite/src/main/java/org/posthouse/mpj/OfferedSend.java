package org.posthouse.mpj;

/** A send whose bytes wait for the relay's word. Guarded by its endpoint's lock. */
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

    /** Whether it has not begun: it is in the {@link SendBacklog}. */
    boolean isWaiting;

    /** Bytes that have left; the next chunk begins here. */
    long sent;

    /** Bytes that the relay has asked for; those of [sent, cleared) wait for the line to be open. */
    long cleared;

    /** How long the chunks of these are. */
    int chunkBytes;

    private boolean gone;

    /** Whether it is done though nobody has said so: it was sent whole, or its channel is believed to have it. */
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

    /** Ends it without a word of whoever has it. */
    void believed() {
        believed = true;
        done();
    }

    boolean isBelieved() {
        return believed;
    }

    /** Ends it, although its bytes may be asked for later. */
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

    /** It was taken back before the rank was started again: it waits for the program to do so again. */
    void gone() {
        gone = true;
    }

    /** Whether it is {@link #gone}, and waits. */
    boolean isGone() {
        return gone && !isDone();
    }

    @Override
    String arguments() {
        return BlockedCalls.destination(context, destination, tag);
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
