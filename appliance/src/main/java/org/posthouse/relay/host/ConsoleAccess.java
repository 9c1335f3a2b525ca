package org.posthouse.relay.host;

import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.posthouse.audit.Audit;
import org.posthouse.ops.ConsoleAudit;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.PeerTrust;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;
import org.posthouse.relay.Relay;
import org.posthouse.wire.CloseReason;

/**
 * Decides who may give orders to a console: processes of a trusted user, as reported by the system, or clients that
 * prove the secret. Stateless.
 */
public final class ConsoleAccess {
    private ConsoleAccess() {}

    /**
     * Access to the console of one process.
     *
     * @param secret secret that permits orders; empty to permit none by secret
     * @param closed whether others may not read either
     */
    public static OpsConfig.Access of(Optional<String> secret, boolean closed) {
        return new OpsConfig.Access(ConsoleAccess::peer, secret, closed, ConsoleAudit.NONE);
    }

    /** The same, with entries in the audit log, and refusals counted at that relay. @param traced gets who gave each order, and the order */
    static OpsConfig audited(OpsConfig console, Supplier<Relay> relay, BiConsumer<String, String> traced) {
        return console.access(console.access().audit(new ConsoleAudit() {
            @Override
            public void ordered(String who, String what) {
                Audit.changed("console", who + ": " + what);
                traced.accept(who, what);
            }

            @Override
            public void entered(String who, String what) {
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
