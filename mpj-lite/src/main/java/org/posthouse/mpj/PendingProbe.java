package org.posthouse.mpj;

import org.posthouse.wire.Wire;

/** A probe that waits for the relay's answer. Guarded by its endpoint's lock. */
final class PendingProbe extends Operation {
    /** Flags of the PROBE frame. */
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
        return source(context, source, tag);
    }

    @Override
    int awaited() {
        return source == Wire.ANY ? -1 : source;
    }
}
