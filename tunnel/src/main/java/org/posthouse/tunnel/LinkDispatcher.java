package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.posthouse.tunnel.stream.Streams;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * Dispatches between the links, the streams and the relay. Received frames of streams go to the streams. Both streams
 * and relay are notified of changes of a link. Confined to the relay's context.
 */
final class LinkDispatcher implements Links.Listener {
    private final Links.Listener relay;
    private final Streams streams;

    LinkDispatcher(Links.Listener relay, Streams streams) {
        this.relay = relay;
        this.streams = streams;
    }

    private static boolean isOfStreams(FrameType type) {
        return switch (type) {
            case STREAM_OPEN, STREAM_DATA, STREAM_TOKENS, STREAM_END -> true;
            default -> false;
        };
    }

    /** A stream's frame counts as handled on arrival, because its bytes die with this process, as its sockets do. */
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
        relay.onAcknowledged(from, frames);
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
    public void onDown(String from, CloseNotice why) {
        relay.onDown(from, why);
        streams.onDown(from);
    }

    @Override
    public void onWritable(String from) {
        relay.onWritable(from);
    }

    @Override
    public void onForgotten(String from, List<ByteBuf> frames) {
        relay.onForgotten(from, frames);
        streams.onForgotten(from);
    }

    @Override
    public void onLetGo(String from, List<ByteBuf> frames) {
        relay.onLetGo(from, frames);
        streams.onLetGo(from);
    }
}
