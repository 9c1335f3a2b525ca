package org.posthouse.relay.config;

import java.util.Optional;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.wire.Token;

/**
 * The address for ranks and launchers of a relay, and the rules of admission. Immutable.
 *
 * @param host address that they connect to
 * @param port port that they connect to; 0 lets the system choose
 * @param announced host:port for launchers that learn of the relay from other relays; empty for the address where it
 *         listens
 * @param local the local socket for ranks of its host; if it is empty, they use the port
 * @param launchToken token that a launcher must prove; {@link Token#NONE} admits those of the relay's own user and root
 *         ({@link org.posthouse.relay.LauncherAccess})
 * @param helloTimeoutMs milliseconds in which a new connection must prove its identity
 * @param connectionsMax most connections at once
 * @param unsafePlain whether a relay with keys takes plain frames from other hosts too
 */
public record AcceptorConfig(
        String host, int port, Optional<String> announced, Optional<LocalSockets> local, Token launchToken, long helloTimeoutMs, int connectionsMax,
        boolean unsafePlain) {
    public static final long HELLO_TIMEOUT_MS_DEFAULT = 5_000;
    public static final int CONNECTIONS_MAX_DEFAULT = 4_096;

    /** On the loopback, for this user and root, with the default limits. */
    public static AcceptorConfig loopback(int port) {
        return new AcceptorConfig(
                "127.0.0.1", port, Optional.empty(), Optional.empty(), Token.NONE, HELLO_TIMEOUT_MS_DEFAULT, CONNECTIONS_MAX_DEFAULT, false);
    }

    AcceptorConfig local(Optional<LocalSockets> sockets) {
        return new AcceptorConfig(host, port, announced, sockets, launchToken, helloTimeoutMs, connectionsMax, unsafePlain);
    }

    public AcceptorConfig launchToken(Token token) {
        return new AcceptorConfig(host, port, announced, local, token, helloTimeoutMs, connectionsMax, unsafePlain);
    }

    /**
     * Most connections at once that are not admitted. Clients that only connect thus leave files of the process to the
     * log, which needs them too.
     */
    public int newcomersMax() {
        return Math.ceilDiv(connectionsMax, 4);
    }
}
