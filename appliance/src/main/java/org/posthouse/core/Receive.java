package org.posthouse.core;

import org.posthouse.wire.Wire;

/**
 * A receive or a blocking probe that a rank posted. Confined to the mailbox's owner.
 */
public final class Receive {
    private final int context;
    private final int source;
    private final int tag;
    private final int request;
    private final long ordinal;
    private long order;
    private Receive next;

    private Receive(int context, int source, int tag, int request, long ordinal) {
        this.context = context;
        this.source = source;
        this.tag = tag;
        this.request = request;
        this.ordinal = ordinal;
    }

    /** A probe, or a receive that has no ordinal; {@code source} and {@code tag} may be {@link Wire#ANY}. */
    static Receive of(int context, int source, int tag, int request) {
        return new Receive(context, source, tag, request, 0);
    }

    /** A receive; {@code source} and {@code tag} may be {@link Wire#ANY}. */
    static Receive of(int context, int source, int tag, int request, long ordinal) {
        return new Receive(context, source, tag, request, ordinal);
    }

    public int context() {
        return context;
    }

    public int source() {
        return source;
    }

    public int tag() {
        return tag;
    }

    /** The library's number for it; it comes back with the message. */
    public int request() {
        return request;
    }

    /** Which receive of its context it is, in the order of the program's calls, from 1; 0 of a probe. */
    public long ordinal() {
        return ordinal;
    }

    boolean takesTag(int messageTag) {
        return tag == Wire.ANY || tag == messageTag;
    }

    /** Place among the mailbox's posted receives: the lower one was posted earlier. It is the time of that, in nanoseconds. */
    long order() {
        return order;
    }

    void order(long order) {
        this.order = order;
    }

    Receive next() {
        return next;
    }

    void next(Receive next) {
        this.next = next;
    }
}
