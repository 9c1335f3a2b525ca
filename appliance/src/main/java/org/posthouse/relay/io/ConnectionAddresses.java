package org.posthouse.relay.io;

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
import org.posthouse.mpj.channel.RelayTls;
import org.posthouse.peer.PeerTable;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;

/**
 * Both ends of an accepted connection, as of the time when it was accepted. Immutable.
 *
 * @param local this relay's end
 * @param remote the other end
 * @param socket a local socket, which knows its peer's user (SO_PEERCRED); otherwise null
 */
public record ConnectionAddresses(SocketAddress local, SocketAddress remote, SocketChannel socket) {
    private static final String ROOT = "0";
    private static final String THIS_HOST = "this host";

    public static ConnectionAddresses of(Channel channel) {
        return new ConnectionAddresses(channel.localAddress(), channel.remoteAddress(), null);
    }

    /** Of a connection that another relay passes on; these addresses are known there. */
    public static ConnectionAddresses passedOn(String relay) {
        return new ConnectionAddresses(null, new PassedOn(relay), null);
    }

    /** The other end of a connection that another relay passes on. */
    private static final class PassedOn extends SocketAddress {
        private static final long serialVersionUID = 1;

        private final String relay;

        private PassedOn(String relay) {
            this.relay = relay;
        }

        @Override
        public String toString() {
            return "relay " + relay + ", which passes it on";
        }
    }

    public static ConnectionAddresses of(SocketChannel socket) throws IOException {
        SocketAddress local = socket.getLocalAddress();
        return new ConnectionAddresses(local, socket.getRemoteAddress(), local instanceof InetSocketAddress ? null : socket);
    }

    /** This relay's address and port; empty over a local socket. */
    public Optional<InetSocketAddress> reached() {
        return local instanceof InetSocketAddress address ? Optional.of(address) : Optional.empty();
    }

    /**
     * The user of the process at the other end. Blocks for some milliseconds, and longer on a busy host.
     *
     * @param passesOn whether this process itself counts as unknown, because it forwards what others send to its other
     *         ports
     */
    public PeerUser user(boolean passesOn) {
        if (socket != null) {
            return userOfSocket();
        }
        return passesOn ? PeerUsers.ofHost().findOther(local, remote) : PeerUsers.ofHost().find(local, remote);
    }

    /** The same, from the system's tables as they were at one moment. */
    public PeerUser user(PeerTable tables, boolean passesOn) {
        if (socket != null) {
            return userOfSocket();
        }
        return passesOn ? tables.findOther(local, remote) : tables.find(local, remote);
    }

    /**
     * The owner for limits: a user of this host, or another host as a whole.
     *
     * @param user the other end's user, as far as it is known
     */
    public String owner(PeerUser user) {
        if (user.uid() != PeerUser.NO_UID) {
            return user + " of " + THIS_HOST;
        }
        if (remote instanceof PassedOn) {
            return remote.toString();
        }
        return remote instanceof InetSocketAddress there ? there.getAddress().getHostAddress() : THIS_HOST;
    }

    /**
     * The {@link #owner} if no table must be read. All local sockets have the same owner. Empty if the other end has an
     * address of this host.
     */
    public String ownerWithoutLookUp() {
        boolean here = local instanceof InetSocketAddress reached && remote instanceof InetSocketAddress there
                && (there.getAddress().isLoopbackAddress() || there.getAddress().equals(reached.getAddress()));
        return here ? "" : owner(PeerUser.UNKNOWN);
    }

    /** The folder of local sockets admits only this user and root; that does not depend on this. */
    private PeerUser userOfSocket() {
        try {
            Path self = Path.of("/proc/self");
            UserPrincipal peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            UserPrincipal root = self.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(ROOT);
            if (peer.equals(Files.getOwner(self))) {
                return PeerUser.of(PeerUser.own(), PeerUser.own());
            }
            return peer.equals(root) ? PeerUser.of(0, PeerUser.own()) : new PeerUser(PeerUser.Trust.FOREIGN, PeerUser.NO_UID);
        } catch (IOException | UnsupportedOperationException e) {
            return PeerUser.UNKNOWN;
        }
    }

    /** Whether the other end is on this host, as far as the addresses tell. */
    public boolean isWithinHost() {
        return RelayTls.isWithinHost(local, remote);
    }

    /** The other end, for people, as host:port; a local socket's has no name. */
    @Override
    public String toString() {
        String text = String.valueOf(remote).replaceFirst("^[^/]*/", "");
        return text.isEmpty() ? THIS_HOST : text;
    }
}
