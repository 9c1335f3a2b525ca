package org.posthouse.relay;

import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Supplier;
import org.posthouse.audit.Audit;
import org.posthouse.ops.ConsoleAudit;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.PeerTrust;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;
import org.posthouse.wire.CloseReason;

/** Who may give a console orders: by the system's word for who is at the other end, or by its secret. Stateless. */
public final class ConsoleAccess {
    private ConsoleAccess() {}

    /**
     * For the console of one process.
     *
     * @param secret whoever shows it may; empty: nobody can by that
     * @param closed whether others may not look either
     */
    public static OpsConfig.Access of(Optional<String> secret, boolean closed) {
        return new OpsConfig.Access(ConsoleAccess::peer, secret, closed, ConsoleAudit.NONE);
    }

    /** The same, which tells the audit log, and counts refusals where that relay does. */
    static OpsConfig audited(OpsConfig console, Supplier<Relay> relay) {
        OpsConfig.Access access = console.access();
        return console.access(new OpsConfig.Access(access.trust(), access.secret(), access.closed(), new ConsoleAudit() {
            @Override
            public void ordered(String who, String what) {
                Audit.changed("console", who + ": " + what);
            }

            @Override
            public void refused(String who, String what) {
                relay.get().refusals().refused(CloseReason.WRONG_TOKEN, "console: " + who + ": " + what);
            }
        }));
    }

    private static PeerTrust.Peer peer(SocketAddress local, SocketAddress remote) {
        if (!local.isInetSocket() || !remote.isInetSocket()) {
            return PeerTrust.Peer.UNKNOWN;
        }
        PeerUser user = PeerUsers.ofHost().find(inet(local), inet(remote));
        return new PeerTrust.Peer(user.trust() == PeerUser.Trust.TRUSTED, user.toString());
    }

    private static InetSocketAddress inet(SocketAddress address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address.hostAddress()), address.port());
    }
}
