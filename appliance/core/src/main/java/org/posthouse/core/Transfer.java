package org.posthouse.core;

import org.posthouse.wire.FrameView;

/** Names a message of a rank, which may still be arriving. {@code peer} is its source, or the destination of one that the rank has sent. */
record Transfer(int context, int peer, long sequence) {
    /** A message to the rank. */
    static Transfer of(Message message) {
        return new Transfer(message.context(), message.source(), message.sequence());
    }

    /** The same of what a frame is about. */
    static Transfer incoming(FrameView view) {
        return new Transfer(view.context(), view.source(), view.sequence());
    }

    /** Of what the rank has sent. */
    static Transfer outgoing(FrameView view) {
        return new Transfer(view.context(), view.destination(), view.sequence());
    }
}
