package org.posthouse.mpj.operation;

import org.posthouse.wire.Wire;

/** A probe that waits for the relay's answer. Guarded by its endpoint's lock. */
public final class PendingProbe extends Operation {
    /** Flags of the PROBE frame. */
    public final int flags;

    /** The context of the messages. */
    public final int context;

    /** The world rank of the sender, or {@link Wire#ANY}. */
    public final int source;

    /** The tag, or {@link Wire#ANY}. */
    public final int tag;
    private int request;

    /** Creates a probe that was not asked yet. */
    public PendingProbe(int flags, int context, int source, int tag) {
        this.flags = flags;
        this.context = context;
        this.source = source;
        this.tag = tag;
    }

    /** Its number on the wire, once it was asked. */
    public int request() {
        return request;
    }

    /** Sets its number on the wire. */
    public void asked(int request) {
        this.request = request;
    }

    /** The relay's answer; {@code found} is null if no message matches. */
    public void answer(Envelope found) {
        if (!isDone()) {
            complete(found, null);
        }
    }

    /** Ends the probe with an error; a later answer means nothing. */
    public void abandon(ReceiveException why) {
        if (!isDone()) {
            complete(null, why);
        }
    }

    @Override
    public String arguments() {
        return source(context, source, tag);
    }

    @Override
    public int awaited() {
        return source == Wire.ANY ? -1 : source;
    }
}
