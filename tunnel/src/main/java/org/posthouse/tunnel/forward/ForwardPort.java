package org.posthouse.tunnel.forward;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.HostAndPort;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.socket.BackOff;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.tunnel.stream.Streams;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.HomeRelay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local port that forwards connections to a door of another relay. Confined to the relay's context.
 *
 * <p>It listens only while the link is up. While the link is down, the system refuses connections at once, instead of
 * letting them wait for an answer that cannot come. Accepted connections survive a link outage. If the port cannot be
 * opened then, it is retried repeatedly. The system may release the previous listener's port only when the event loop
 * next polls its sockets.
 */
final class ForwardPort {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardPort.class);
    private static final int AGAIN_MS_MIN = 20;
    private static final int AGAIN_MS_MAX = 5_000;

    /**
     * Minimum time between two log lines about refusals of one port: a minute. Any user of the host can cause such a
     * line.
     */
    private static final long REFUSED_LINE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ForwardConfig.Via via;
    private final Streams streams;
    private final ForwardSockets sockets;
    private final ForwardGate gate;
    private final Forward forward;

    /** The address to listen on; its port is 0 until the system has chosen one. */
    private HostAndPort address;

    /** Null while the port is not listening. */
    private Channel listening;

    private boolean wanted;

    /** The time until which no further refusal is logged. */
    private long refusedLineNanos = System.nanoTime();

    /** True while a bind is running; on completion it checks {@code wanted} again. */
    private boolean opening;

    /** The timer of the next attempt to listen; null if none is planned. */
    private ScheduledFuture<?> again;

    private final BackOff backOff = new BackOff(AGAIN_MS_MIN, AGAIN_MS_MAX, RandomGenerator.getDefault());

    ForwardPort(ForwardConfig.Via via, Streams streams, ForwardSockets sockets, ForwardGate gate) {
        this.via = via;
        this.streams = streams;
        this.sockets = sockets;
        this.gate = gate;
        this.forward = new Forward(via.target());
        this.address = ForwardConfig.parse(via.listen());
    }

    /** Checks that the port can be opened and fails otherwise; does not listen yet. A service's own address is not checked: it may be of this host. */
    Future<Void> start() {
        if (via.users() == ForwardConfig.Users.NOT_OTHERS) {
            return Future.succeededFuture();
        }
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
        assert sockets.loop().inEventLoop();
        wanted = up;
        if (up) {
            listen();
        } else if (listening != null) {
            Channel was = listening;
            listening = null;
            was.close();
        }
    }

    void close() {
        reach(false);
    }

    StreamStatus.Forward status() {
        assert sockets.loop().inEventLoop();
        return forward.status(
                HomeRelay.address(address.host(), address.port()),
                listening == null ? StreamStatus.Forward.State.REFUSING : StreamStatus.Forward.State.LISTENING);
    }

    private ChannelFuture bind() {
        return sockets.server(this::onConnection).bind(address.host(), address.port());
    }

    private void listen() {
        assert sockets.loop().inEventLoop();
        if (listening != null || opening) {
            return;
        }
        if (again != null) {
            again.cancel(false);
            again = null;
        }
        opening = true;
        bind().addListener(bound -> {
            opening = false;
            Channel channel = ((ChannelFuture) bound).channel();
            if (!bound.isSuccess()) {
                onTaken("cannot listen at " + HomeRelay.address(address.host(), address.port()) + ": " + bound.cause().getMessage());
            } else if (wanted) {
                listening = channel;
                forward.listens();
                backOff.reset();
            } else {
                channel.close();
            }
        });
    }

    private void onTaken(String why) {
        if (wanted) {
            if (forward.failed(why)) {
                LOG.warn("{}: {}; tries again until it can", via.target(), why);
            }
            again = sockets.loop().schedule(this::listenAgain, backOff.nextMs(), TimeUnit.MILLISECONDS);
        }
    }

    private void listenAgain() {
        if (wanted) {
            listen();
        }
    }

    /** Nothing is read from the connection until its user is admitted. */
    private void onConnection(Channel channel) {
        assert sockets.loop().inEventLoop();
        gate.ask(via.users(), channel.parent(), channel, why -> {
            if (why.isEmpty()) {
                letIn(channel);
            } else {
                refuse(channel, why);
            }
        });
    }

    private void refuse(Channel channel, String why) {
        long now = System.nanoTime();
        if (now - refusedLineNanos >= 0) {
            refusedLineNanos = now + REFUSED_LINE_NANOS;
            LOG.warn("{} at {}: refused, as {} before: {}", via.target(), HomeRelay.address(address.host(), address.port()), forward.refusals(), why);
        }
        forward.refused("REFUSED: " + why);
        channel.close();
    }

    private void letIn(Channel channel) {
        if (!channel.isActive()) {
            return;
        }
        StreamPump pump = new StreamPump(channel);
        channel.pipeline().addLast(pump);
        forward.opened();
        channel.closeFuture().addListener(closed -> forward.closed());
        LinkStream stream = streams.open(via.relay(), via.door(), new Watched(pump));
        if (stream != null) {
            pump.join(stream);
        }
    }

    /** Records why a connection was refused. */
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
        public void onEnded(CloseReason closeReason, String text) {
            if (closeReason != CloseReason.NORMAL) {
                forward.refused(closeReason + ": " + text);
            }
            pump.onEnded(closeReason, text);
        }
    }
}
