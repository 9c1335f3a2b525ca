package org.posthouse.relay;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;

/**
 * Both ends of an accepted connection, as they were when it was accepted. Immutable.
 *
 * @param local this relay's end
 * @param remote the other end
 * @param socket of a local socket, which knows its peer's user (SO_PEERCRED); else null
 */
record ConnectionEnds(SocketAddress local, SocketAddress remote, SocketChannel socket) {
    private static final String ROOT = "0";

    static ConnectionEnds of(Channel channel) {
        return new ConnectionEnds(channel.localAddress(), channel.remoteAddress(), null);
    }

    static ConnectionEnds of(SocketChannel socket) throws IOException {
        SocketAddress local = socket.getLocalAddress();
        return new ConnectionEnds(local, socket.getRemoteAddress(), local instanceof InetSocketAddress ? null : socket);
    }

    /** As {@link Outlet#reached}. */
    Optional<InetSocketAddress> reached() {
        return local instanceof InetSocketAddress address ? Optional.of(address) : Optional.empty();
    }

    /** As {@link Outlet#user}. */
    PeerUser user(boolean passesOn) {
        if (socket != null) {
            return userOfSocket();
        }
        return passesOn ? PeerUsers.ofHost().findOther(local, remote) : PeerUsers.ofHost().find(local, remote);
    }

    /** The folder of local sockets lets in nobody but this user and root; this does not depend on it. */
    private PeerUser userOfSocket() {
        try {
            Path self = Path.of("/proc/self");
            UserPrincipal peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            UserPrincipal root = self.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(ROOT);
            boolean trusted = peer.equals(Files.getOwner(self)) || peer.equals(root);
            return new PeerUser(trusted ? PeerUser.Trust.TRUSTED : PeerUser.Trust.FOREIGN, PeerUser.NO_UID);
        } catch (IOException | UnsupportedOperationException e) {
            return new PeerUser(PeerUser.Trust.UNKNOWN, PeerUser.NO_UID);
        }
    }

    /** The other end, for people. */
    @Override
    public String toString() {
        return Outlet.text(remote);
    }
}
