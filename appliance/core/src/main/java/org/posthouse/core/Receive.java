package org.posthouse.core;

import org.posthouse.wire.Wire;

/**
 * A receive or a blocking probe that a rank posted. Confined to the mailbox's owner.
 */
public sealed class Receive {
    /** Stands for the receive of a message that is pushed: its rank finds out which it is. */
    static final Receive PUSHED = new Receive(0, Wire.ANY, Wire.ANY, 0);

    /** Stands for the receive of a message that nobody will receive: it is taken and dropped, and its sender gets its credit back. */
    static final Receive DISCARDED = new Receive(0, Wire.ANY, Wire.ANY, 0);

    private final int context;
    private final int source;
    private final int tag;
    private final int request;
    private long order;
    private Receive next;

    private Receive(int context, int source, int tag, int request) {
        this.context = context;
        this.source = source;
        this.tag = tag;
        this.request = request;
    }

    /** A receive of a job that is logged: only there its number is needed, and 8 bytes a message count. */
    private static final class Numbered extends Receive {
        private final long ordinal;

        private Numbered(int context, int source, int tag, int request, long ordinal) {
            super(context, source, tag, request);
            this.ordinal = ordinal;
        }

        @Override
        public long ordinal() {
            return ordinal;
        }
    }

    /** A receive or probe; {@code source} and {@code tag} may be {@link Wire#ANY}. */
    static Receive of(int context, int source, int tag, int request) {
        return new Receive(context, source, tag, request);
    }

    /** A receive of a job that is logged; {@code source} and {@code tag} may be {@link Wire#ANY}. */
    static Receive numbered(int context, int source, int tag, int request, long ordinal) {
        return new Numbered(context, source, tag, request, ordinal);
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

    /** Which receive of its context it is, in the order of the program's calls, from 1; 0 of a probe, and without a log. */
    public long ordinal() {
        return 0;
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
