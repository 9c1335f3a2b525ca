package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.posthouse.core.Refusal;
import org.posthouse.tunnel.FrameSocket;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection of the ranks' port: waits for HELLO, within a time limit, and then serves a rank or a
 * launcher. Whatever goes wrong here closes this connection, with a reason, and no other. Confined to the relay's event
 * loop.
 */
final class Connection implements FrameSocket.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Reasons to close that are nobody's fault. */
    private static final Set<Reason> EXPECTED = EnumSet.of(Reason.NORMAL, Reason.JOB_ABORTED, Reason.RELAY_STOPPING);

    private final Relay relay;
    private final FrameSocket socket;
    private final long helloTimer;
    private Session session;
    private int role;

    private Connection(Relay relay, Vertx vertx, NetSocket socket) {
        this.relay = relay;
        this.socket = FrameSocket.attach(socket, this);
        this.helloTimer = vertx.setTimer(
                relay.settings().helloTimeoutMs(),
                timer -> this.socket.close(Notice.closing(
                        0, Reason.TIMEOUT, "no HELLO within " + relay.settings().helloTimeoutMs() + " ms")));
    }

    static Connection accept(Relay relay, Vertx vertx, NetSocket socket) {
        return new Connection(relay, vertx, socket);
    }

    FrameSocket socket() {
        return socket;
    }

    @Override
    public void onFrame(FrameSocket from, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (session == null) {
            onHello(buffer, index, length, view);
        } else if (view.type().sentBy(role)) {
            session.onFrame(buffer, index, length, view);
        } else {
            throw new WireException(Reason.NOT_EXPECTED, view.type() + " from a " + roleName());
        }
    }

    private String roleName() {
        return role == FrameType.Role.RANK ? "rank" : "launcher";
    }

    private void onHello(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (view.type() != FrameType.HELLO) {
            throw new WireException(Reason.NOT_EXPECTED, view.type() + " before HELLO");
        }
        Hello hello = Hello.decode(copy(buffer, index, length));
        relay.cancelTimer(helloTimer);
        try {
            if (hello.kind() == Hello.RANK) {
                role = FrameType.Role.RANK;
                session = RankSession.open(relay.core(), socket, hello);
            } else {
                role = FrameType.Role.LAUNCHER;
                session = LauncherSession.open(relay, socket, hello);
            }
        } catch (Refusal refusal) {
            throw new WireException(refusal.reason(), refusal.getMessage());
        }
    }

    /** A control frame in memory of its own, as decoders want it. */
    static ByteBuffer copy(ByteBuf buffer, int index, int length) {
        ByteBuffer copy = ByteBuffer.allocate(length);
        buffer.getBytes(index, copy);
        return copy.flip();
    }

    @Override
    public void onWritable(FrameSocket from) {
        if (session != null) {
            session.onWritable();
        }
    }

    @Override
    public void onClosed(FrameSocket from, Notice why) {
        relay.cancelTimer(helloTimer);
        relay.connections().remove(this);
        if (!EXPECTED.contains(why.reason())) {
            relay.refused(why.reason());
            LOG.warn("{}: closed {} from {}: {}: {}", relay.id(), session == null ? "a connection" : session, from.remote(),
                    why.reason(), why.text());
        }
        if (session != null) {
            session.onClosed(why);
        }
    }
}
