package org.posthouse.core;

import org.posthouse.wire.FrameView;

/** Names a message of a rank, which may still be arriving. {@code peer} is its source, or the destination of one that the rank has sent. */
public record TransferId(int context, int peer, long sequence) {
    /** A message to the rank. */
    static TransferId of(Message message) {
        return new TransferId(message.context(), message.source(), message.sequence());
    }

    /** The same of what a frame is about. */
    static TransferId incoming(FrameView view) {
        return new TransferId(view.context(), view.source(), view.sequence());
    }

    /** Of what the rank has sent. */
    static TransferId outgoing(FrameView view) {
        return new TransferId(view.context(), view.destination(), view.sequence());
    }
}
