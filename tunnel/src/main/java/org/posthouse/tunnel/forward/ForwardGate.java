package org.posthouse.tunnel.forward;

import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.function.Consumer;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;

/**
 * Admits connections to forwarded ports by the user at their other end, before a byte of them is read. To the far
 * relay, an admitted connection is this relay's own user. Confined to the relay's context; other threads query the
 * system.
 *
 * <p>One gate serves all ports of a relay. While {@link #ASKED_MAX} connections wait for an answer, no further one is
 * accepted. So a flood of connections costs part of a processor, but neither files nor memory.
 */
final class ForwardGate {
    /** Number of concurrent queries to the system, each some ms in a thread. */
    private static final int ASKED_MAX = 8;

    private final ForwardSockets sockets;
    private final PeerUsers users;
    private int asked;

    ForwardGate(ForwardSockets sockets, PeerUsers users) {
        this.sockets = sockets;
        this.users = users;
    }

    /**
     * Finds the user at the other end of {@code channel}, from which nothing was read.
     *
     * @param port accepts no further connection while too many queries are running
     * @param then called on the loop with the reason for a refusal; empty if the connection is admitted
     */
    void ask(ForwardConfig.Users who, Channel port, Channel channel, Consumer<String> then) {
        assert sockets.loop().inEventLoop();
        if (who == ForwardConfig.Users.ANY) {
            then.accept("");
            return;
        }
        asked++;
        port.config().setAutoRead(asked < ASKED_MAX);
        SocketAddress local = channel.localAddress();
        SocketAddress remote = channel.remoteAddress();
        Thread.ofVirtual().name("posthouse-peer").start(() -> {
            PeerUser user = users.find(local, remote);
            sockets.loop().execute(() -> {
                asked--;
                port.config().setAutoRead(true);
                then.accept(refusal(who, user));
            });
        });
    }

    private static String refusal(ForwardConfig.Users who, PeerUser user) {
        boolean letIn = user.trust() == PeerUser.Trust.TRUSTED || who == ForwardConfig.Users.NOT_OTHERS && user.trust() == PeerUser.Trust.UNKNOWN;
        return letIn ? "" : "the connection is of " + user + ", and only the relay's own user or root comes in here"
                + (who == ForwardConfig.Users.OWN ? ", unless the relay has --unsafe-open-via" : "");
    }
}
