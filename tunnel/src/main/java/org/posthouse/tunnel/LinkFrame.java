package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;

/** A frame in a link's window, and what became of it. Confined to its window. */
final class LinkFrame {
    private final ByteBuf bytes;
    private final long place;
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

    boolean isAcknowledged() {
        return acknowledged;
    }

    void acknowledged() {
        acknowledged = true;
    }
}
