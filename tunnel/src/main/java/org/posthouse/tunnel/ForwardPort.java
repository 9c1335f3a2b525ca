package org.posthouse.tunnel;

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
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.HomeRelay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port here that leads to a door of another relay. Confined to the relay's context.
 *
 * <p>It listens while the link is up and not otherwise: so whoever connects while the way is down is refused by the system at once, and
 * does not wait for an answer that cannot come. Connections that it has taken stay through a cut. A port that cannot be had then is tried again and
 * again: the system may give back that of the link before only when the loop looks at its sockets next.
 */
final class ForwardPort {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardPort.class);
    private static final int AGAIN_MS_MIN = 20;
    private static final int AGAIN_MS_MAX = 5_000;

    /** Any user of the host can cause a line about a refusal: one a minute and port. */
    private static final long REFUSED_LINE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ForwardConfig.Via via;
    private final Streams streams;
    private final ForwardSockets sockets;
    private final ForwardGate gate;
    private final Forward forward;

    /** Port 0 until the system has chosen one. */
    private HostAndPort address;

    /** Null while it does not listen. */
    private Channel listening;

    private boolean wanted;

    /** Until when no other refusal is logged. */
    private long refusedLineNanos = System.nanoTime();

    /** A bind is under way, which looks what is wanted when it is done. */
    private boolean opening;

    /** Tries again to listen; null if that is not to be. */
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

    ForwardStatus status() {
        assert sockets.loop().inEventLoop();
        return forward.status(
                HomeRelay.address(address.host(), address.port()), listening == null ? ForwardStatus.State.REFUSING : ForwardStatus.State.LISTENING);
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

    /** Nothing is read of it before its user may come in. */
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
        public void onEnded(CloseReason closeReason, String text) {
            if (closeReason != CloseReason.NORMAL) {
                forward.refused(closeReason + ": " + text);
            }
            pump.onEnded(closeReason, text);
        }
    }
}
