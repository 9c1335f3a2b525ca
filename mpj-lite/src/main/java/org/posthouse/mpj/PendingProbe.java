package org.posthouse.mpj;

import org.posthouse.wire.Wire;

/** A probe on its way to the relay and back. Guarded by its endpoint's lock. */
final class PendingProbe extends Operation {
    /** As in the frame that asks. */
    final int flags;

    final int context;
    final int source;
    final int tag;
    private int request;

    PendingProbe(int flags, int context, int source, int tag) {
        this.flags = flags;
        this.context = context;
        this.source = source;
        this.tag = tag;
    }

    /** Its number on the wire, once it was asked. */
    int request() {
        return request;
    }

    void asked(int request) {
        this.request = request;
    }

    /** The relay's answer; {@code found} is null if no message matches. */
    void answer(Envelope found) {
        complete(found, null);
    }

    @Override
    String arguments() {
        return BlockedCalls.source(context, source, tag);
    }

    @Override
    int awaited() {
        return source == Wire.ANY ? -1 : source;
    }
}
