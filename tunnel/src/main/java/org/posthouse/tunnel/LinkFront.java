package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Notice;
import org.posthouse.wire.WireException;

/**
 * Stands between links and the relay: what is of streams goes to them, and the relay hears of its own frames only. Confined to the
 * relay's context.
 */
final class LinkFront implements Links.Listener {
    private final Links links;
    private final Links.Listener relay;
    private final Streams streams;

    LinkFront(Links links, Links.Listener relay, Streams streams) {
        this.links = links;
        this.relay = relay;
        this.streams = streams;
    }

    /** Whether {@code frame}, one whole frame, is of a stream. */
    static boolean isOfStreams(ByteBuf frame) {
        return isOfStreams(FrameType.of(frame.getByte(frame.readerIndex() + FrameView.TYPE_AT)));
    }

    private static boolean isOfStreams(FrameType type) {
        return switch (type) {
            case STREAM_OPEN, STREAM_DATA, STREAM_TOKENS, STREAM_END -> true;
            default -> false;
        };
    }

    /** What came on a stream dies with this process, as its sockets do: so it is handled when it is here. */
    @Override
    public boolean onFrame(String from, long number, ByteBuf buffer, int index, int length, FrameView view)
            throws WireException {
        if (isOfStreams(view.type())) {
            streams.onFrame(from, buffer, index, length, view);
            return true;
        }
        return relay.onFrame(from, number, buffer, index, length, view);
    }

    @Override
    public void onReadEnd() {
        relay.onReadEnd();
    }

    @Override
    public void onAcknowledged(String from, long frames) {
        long own = links.shares(from).take(frames);
        if (own < frames) {
            streams.onAcknowledged(from, frames - own);
        }
        if (own > 0) {
            relay.onAcknowledged(from, own);
        }
    }

    @Override
    public void onUp(String from, long epoch) {
        relay.onUp(from, epoch);
        streams.onUp(from);
    }

    @Override
    public void onEpoch(long epoch) {
        relay.onEpoch(epoch);
    }

    @Override
    public void onDown(String from, Notice why) {
        relay.onDown(from, why);
        streams.onDown(from);
    }

    @Override
    public void onWritable(String from) {
        relay.onWritable(from);
        streams.onWritable(from);
    }

    @Override
    public void onForgotten(String from, List<ByteBuf> frames) {
        links.shares(from).clear();
        List<ByteBuf> own = new ArrayList<>(frames.size());
        for (ByteBuf frame : frames) {
            if (isOfStreams(frame)) {
                frame.release();
            } else {
                own.add(frame);
            }
        }
        relay.onForgotten(from, own);
        streams.onForgotten(from);
    }
}
