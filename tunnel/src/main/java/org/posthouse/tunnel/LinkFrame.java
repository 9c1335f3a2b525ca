package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;

/** A frame in a link's window, and what became of it. Confined to its window. */
final class LinkFrame {
    private final ByteBuf bytes;
    private final long place;

    /** The flow in whose turn it goes; null if it is a head. */
    private Flow flow;

    /** Nothing that is sent later in its flow may overtake it. */
    private boolean ordered = true;

    private boolean acknowledged;

    /** @param place how many frames were handed in before it since the stream began */
    LinkFrame(ByteBuf bytes, long place) {
        this.bytes = bytes;
        this.place = place;
    }

    ByteBuf bytes() {
        return bytes;
    }

    long place() {
        return place;
    }

    /** It is bulk of {@code flow}. */
    void bulkOf(Flow flow, boolean ordered) {
        this.flow = flow;
        this.ordered = ordered;
    }

    Flow flow() {
        return flow;
    }

    boolean isOrderedBulk() {
        return flow != null && ordered;
    }

    boolean isAcknowledged() {
        return acknowledged;
    }

    void acknowledged() {
        acknowledged = true;
    }
}
