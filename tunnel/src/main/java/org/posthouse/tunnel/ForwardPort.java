package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.HostAndPort;
import java.net.InetSocketAddress;
import org.posthouse.wire.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port here that leads to a door of another relay. Confined to the relay's context.
 *
 * <p>It listens while the link is up and not otherwise: so whoever connects while the way is down is refused by the system at once, and
 * does not wait for an answer that cannot come. Connections that it has taken stay through a cut.
 */
final class ForwardPort {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardPort.class);

    private final ForwardConfig.Via via;
    private final Streams streams;
    private final ForwardSockets sockets;
    private final Forward forward;

    /** Port 0 until the system has chosen one. */
    private HostAndPort address;

    /** Null while it does not listen. */
    private Channel listening;

    private boolean wanted;

    ForwardPort(ForwardConfig.Via via, Streams streams, ForwardSockets sockets) {
        this.via = via;
        this.streams = streams;
        this.sockets = sockets;
        this.forward = new Forward(via.target());
        this.address = ForwardConfig.parse(via.listen());
    }

    /** Fails if the port cannot be had; does not listen yet. */
    Future<Void> start() {
        Promise<Void> tried = Promise.promise();
        bind().addListener(bound -> {
            Channel channel = ((ChannelFuture) bound).channel();
            if (bound.isSuccess()) {
                address = HostAndPort.create(address.host(), ((InetSocketAddress) channel.localAddress()).getPort());
                channel.close().addListener(closed -> tried.complete());
            } else {
                tried.fail("cannot listen at " + via.listen() + " for " + via.target() + ": " + bound.cause().getMessage());
            }
        });
        return tried.future();
    }

    String relay() {
        return via.relay();
    }

    void reach(boolean up) {
        wanted = up;
        if (up && listening == null) {
            listen();
        } else if (!up && listening != null) {
            Channel was = listening;
            listening = null;
            was.close();
        }
    }

    void close() {
        reach(false);
    }

    ForwardStatus status() {
        return forward.status(
                address.toString(), listening == null ? ForwardStatus.State.REFUSING : ForwardStatus.State.LISTENING);
    }

    private ChannelFuture bind() {
        return sockets.server(this::onConnection).bind(address.host(), address.port());
    }

    private void listen() {
        bind().addListener(bound -> {
            Channel channel = ((ChannelFuture) bound).channel();
            if (!bound.isSuccess()) {
                forward.failed("cannot listen at " + address + ": " + bound.cause().getMessage());
                LOG.warn("{}: {}", via.target(), bound.cause().getMessage());
            } else if (wanted && listening == null) {
                listening = channel;
            } else {
                channel.close();
            }
        });
    }

    private void onConnection(Channel channel) {
        StreamPump pump = new StreamPump(channel);
        channel.pipeline().addLast(pump);
        forward.opened();
        channel.closeFuture().addListener(closed -> forward.closed());
        LinkStream stream = streams.open(via.relay(), via.door(), new Watched(pump));
        if (stream != null) {
            pump.join(stream);
        }
    }

    /** Notes why a connection was refused. */
    private final class Watched implements LinkStream.Listener {
        private final StreamPump pump;

        private Watched(StreamPump pump) {
            this.pump = pump;
        }

        @Override
        public void onBytes(ByteBuf bytes, boolean last) {
            pump.onBytes(bytes, last);
        }

        @Override
        public void onWritable() {
            pump.onWritable();
        }

        @Override
        public void onDone() {
            pump.onDone();
        }

        @Override
        public void onEnded(Reason reason, String text) {
            if (reason != Reason.NORMAL) {
                forward.refused(reason + ": " + text);
            }
            pump.onEnded(reason, text);
        }
    }
}
