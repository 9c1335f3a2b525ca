package org.posthouse.peer;

import java.net.SocketAddress;
import java.util.Map;
import java.util.Set;

/**
 * A snapshot of the system's socket tables. For many connections it costs as much as {@link PeerUsers} for one.
 * Immutable, thread-safe.
 */
public final class PeerTable {
    private final Map<String, PeerUsers.Socket> sockets;
    private final Set<String> ownInodes;
    private final long ownUid;

    /**
     * @param sockets by {@link PeerUsers#ends}
     * @param ownInodes the sockets of this process; null if unknown
     */
    PeerTable(Map<String, PeerUsers.Socket> sockets, Set<String> ownInodes, long ownUid) {
        this.sockets = Map.copyOf(sockets);
        this.ownInodes = ownInodes == null ? null : Set.copyOf(ownInodes);
        this.ownUid = ownUid;
    }

    /** As {@link PeerUsers#find}, without blocking. */
    public PeerUser find(SocketAddress local, SocketAddress remote) {
        PeerUsers.Socket socket = socket(local, remote);
        return socket == null ? PeerUser.UNKNOWN : PeerUser.of(socket.uid(), ownUid);
    }

    /** As {@link PeerUsers#findOther}, without blocking. */
    public PeerUser findOther(SocketAddress local, SocketAddress remote) {
        PeerUsers.Socket socket = socket(local, remote);
        boolean other = socket != null && ownInodes != null && !ownInodes.contains(socket.inode());
        return other ? PeerUser.of(socket.uid(), ownUid) : PeerUser.UNKNOWN;
    }

    private PeerUsers.Socket socket(SocketAddress local, SocketAddress remote) {
        if (ownUid == PeerUser.NO_UID) {
            return null;
        }
        for (String ends : PeerUsers.ends(local, remote)) {
            PeerUsers.Socket socket = sockets.get(ends);
            if (socket != null) {
                return socket;
            }
        }
        return null;
    }
}
