package org.posthouse.tunnel;

import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.function.Consumer;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;

/**
 * Lets connections to forwarded ports in by the user at their other end, before a byte of them is read: whoever comes through is this relay's own user to
 * the far one. Confined to the relay's context; the system is asked in other threads.
 *
 * <p>One for all ports of a relay: while {@link #ASKED_MAX} connections wait for an answer no other one is accepted, so that whoever floods a port keeps
 * a part of a processor busy, and takes neither files nor memory.
 */
final class ForwardGate {
    /** Connections of which the system is asked at once, each some ms in a thread. */
    private static final int ASKED_MAX = 8;

    private final ForwardSockets sockets;
    private final PeerUsers users;
    private int asked;

    ForwardGate(ForwardSockets sockets, PeerUsers users) {
        this.sockets = sockets;
        this.users = users;
    }

    /**
     * Asks who is at the other end of {@code channel}, which has read nothing.
     *
     * @param port takes no other connection while too many are asked for
     * @param then is told on the loop why the connection is refused; empty if it is let in
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
