package org.posthouse.relay;

import java.util.Optional;
import org.posthouse.mpj.LocalSockets;
import org.posthouse.wire.Token;

/**
 * Where ranks and launchers come in to a relay, and who is let in. Immutable.
 *
 * @param host address that they connect to
 * @param port its port; 0 lets the system choose
 * @param announced host:port by which launchers reach the relay that hear of it from other relays; empty: where it listens
 * @param local where ranks of its host come in, beside the port; without it they come by the port
 * @param launchToken what a launcher must prove to know; {@link Token#NONE} lets in those of the relay's own user and root ({@link LauncherAccess})
 * @param helloTimeoutMs how long a new connection may take until it has proven who it is, in milliseconds
 * @param connectionsMax most connections at once
 */
public record DoorConfig(
        String host, int port, Optional<String> announced, Optional<LocalSockets> local, Token launchToken, long helloTimeoutMs, int connectionsMax) {
    public static final long HELLO_TIMEOUT_MS_DEFAULT = 5_000;
    public static final int CONNECTIONS_MAX_DEFAULT = 4_096;

    /** On the loopback, for this user and root, with the usual limits. */
    static DoorConfig loopback(int port) {
        return new DoorConfig(
                "127.0.0.1", port, Optional.empty(), Optional.empty(), Token.NONE, HELLO_TIMEOUT_MS_DEFAULT, CONNECTIONS_MAX_DEFAULT);
    }

    DoorConfig local(Optional<LocalSockets> sockets) {
        return new DoorConfig(host, port, announced, sockets, launchToken, helloTimeoutMs, connectionsMax);
    }

    DoorConfig launchToken(Token token) {
        return new DoorConfig(host, port, announced, local, token, helloTimeoutMs, connectionsMax);
    }

    /** Most connections at once that were not let in: whoever only connects takes no more of the process's files, which its log needs, too. */
    int newcomersMax() {
        return Math.ceilDiv(connectionsMax, 4);
    }
}
