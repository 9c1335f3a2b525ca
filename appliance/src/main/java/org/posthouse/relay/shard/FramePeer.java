package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import org.posthouse.core.Peer;
import org.posthouse.relay.io.FrameBuilder;

/**
 * A peer core that is reached by frames, in this relay or another. Called inside the strand of the shard whose peer it
 * is.
 */
public abstract class FramePeer implements Peer {
    private final FrameBuilder frames = new FrameBuilder();

    /** Sends a frame of which no rank keeps a copy; takes it over. */
    public abstract void send(ByteBuf frame);

    @Override
    public void offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
        send(frames.offerAgain(job, context, source, destination, sequence, bytes));
    }

    @Override
    public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
        send(frames.clear(job, context, source, destination, sequence, upTo));
    }

    @Override
    public void withdraw(long job, int context, int source, int destination, long sequence) {
        send(frames.withdraw(job, context, source, destination, sequence));
    }

    @Override
    public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
        send(frames.withdrawn(job, context, source, destination, sequence, gone));
    }

    @Override
    public void credit(long job, int rank, long bytes, int messages) {
        send(frames.credit(job, rank, bytes, messages));
    }
}
