package org.posthouse.tunnel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import java.util.List;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.tunnel.stream.StreamAcceptor;
import org.posthouse.tunnel.stream.StreamPipe;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * The door through which lanes of links pass other relays. Confined to the relay's context. A request names all relays
 * of the path. The last relay accepts the stream as a connection, and each one before forwards it to the next.
 *
 * <p>A path uses direct links only, so no path consists of paths.
 */
final class PathTargets implements StreamAcceptor {
    private final Links links;
    private final EventLoop loop;

    /** All other doors. */
    private final StreamAcceptor others;

    PathTargets(Links links, EventLoop loop, StreamAcceptor others) {
        this.links = links;
        this.loop = loop;
        this.others = others;
    }

    /** Opens a connection to {@code relay}; returns the last handler of its pipeline. */
    Future<ChannelHandlerContext> open(String relay, LinkPath path) {
        assert loop.inEventLoop();
        StreamChannel channel = new StreamChannel(loop, relay, path);
        LinkStream stream = links.streams().open(path.first(), path.door(links.config().relay(), relay), channel);
        if (stream != null) {
            channel.join(stream);
        }
        return channel.connected().future();
    }

    @Override
    public void onAsked(LinkStream stream, String door) {
        assert loop.inEventLoop();
        if (!LinkPath.isDoor(door)) {
            others.onAsked(stream, door);
            return;
        }
        try {
            onPath(stream, door, LinkPath.relays(door));
        } catch (WireException e) {
            stream.end(e.reason(), e.getMessage());
        }
    }

    private void onPath(LinkStream stream, String door, List<String> relays) throws WireException {
        int own = relays.indexOf(links.config().relay());
        if (own < 1 || !relays.get(own - 1).equals(stream.relay()) || !links.table().isNeighbour(stream.relay())) {
            throw new WireException(
                    CloseReason.SITE_UNREACHABLE,
                    "relay " + stream.relay() + " leads a path over " + relays + " to relay " + links.config().relay());
        }
        if (own == relays.size() - 1) {
            accept(stream, relays);
        } else {
            leadOn(stream, door, relays.get(own + 1));
        }
    }

    private void accept(LinkStream stream, List<String> relays) {
        StreamChannel channel =
                new StreamChannel(loop, relays.getFirst(), new LinkPath(relays.subList(1, relays.size() - 1)));
        channel.join(stream);
        stream.accept(channel);
        channel.begin();
        links.acceptor().accept(channel.pipeline().lastContext());
    }

    private void leadOn(LinkStream stream, String door, String next) throws WireException {
        if (!links.table().isNeighbour(next)) {
            throw new WireException(
                    CloseReason.SITE_UNREACHABLE, "relay " + links.config().relay() + " has no straight link to relay " + next + " now");
        }
        StreamPipe pipe = links.streams().pipe();
        LinkStream onward = links.streams().open(next, door, pipe.from(stream));
        if (onward != null) {
            pipe.onto(onward);
        }
    }
}
