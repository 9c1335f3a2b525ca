package org.posthouse.mpj.operation;

/** A send that waits for CLEAR from the relay. Guarded by its endpoint's lock. */
public final class OfferedSend extends Operation {
    /** The message's bytes. */
    public Content content;

    /** The context of the message. */
    public final int context;

    /** The world rank of the receiver. */
    public final int destination;

    /** The tag as on the wire. */
    public final int tag;

    /** The point at which the send is complete. */
    public final SendMode mode;

    /** Its number in its channel, once it has begun. */
    public long sequence;

    /** Whether the relay has it as an offer that it has not cleared. */
    public boolean isUncleared;

    /** Whether the send has not started: it is in the {@code SendBacklog}. */
    public boolean isWaiting;

    /** Bytes that have been sent; the next chunk begins here. */
    public long sent;

    /** Bytes that the relay has cleared. Those of [sent, cleared) wait for the connection to be open. */
    public long cleared;

    /** Length of their chunks. */
    public int chunkBytes;

    /** Whether the message is still to be sent, although the program's buffer may be used again. */
    public boolean isOwed;

    private boolean gone;

    /** Whether it has failed in the earlier process, and fails again whatever becomes of its message. */
    private boolean failsAgain;

    /** Whether the send counts as done without confirmation: it was sent whole, or its channel is known to have it. */
    private boolean believed;

    /** Creates a send that has not begun. */
    public OfferedSend(Content content, int context, int destination, int tag, SendMode mode) {
        this.content = content;
        this.context = context;
        this.destination = destination;
        this.tag = tag;
        this.mode = mode;
    }

    /** Ends the send, unless it has ended. */
    public void done() {
        if (!isDone()) {
            complete(null, failsAgain ? failing() : null);
        }
    }

    /** It has failed so in the earlier process. */
    public void failsAgain(ReceiveException why) {
        failsAgain = true;
        fails(why);
    }

    /** Whether an event of the history says that it fails. */
    public boolean isFailingAgain() {
        return failsAgain;
    }

    /** Ends the send without confirmation from its destination. */
    public void believed() {
        believed = true;
        done();
    }

    /** Whether the send ended without confirmation. */
    public boolean isBelieved() {
        return believed;
    }

    /** Ends the send, although its bytes may be requested later. */
    public void abandon(ReceiveException why) {
        if (!isDone()) {
            complete(null, why);
        }
    }

    /** Marks the send as cancelled: the relay has confirmed it. */
    public void withdrawn() {
        if (believed) {
            neverHappened();
        } else if (failing() != null) {
            abandon(failing());
        } else {
            cancelled();
        }
    }

    /** Marks a send that an earlier process cancelled. It waits until the program cancels it again. */
    public void gone() {
        gone = true;
    }

    /** Whether it is {@link #gone}, and waits. */
    public boolean isGone() {
        return gone && !isDone();
    }

    @Override
    public String arguments() {
        return destination(context, destination, tag);
    }

    @Override
    public int awaited() {
        return destination;
    }

    @Override
    public boolean isPassedOver() {
        return isGone();
    }
}
