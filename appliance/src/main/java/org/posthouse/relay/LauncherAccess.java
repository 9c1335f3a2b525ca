package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.posthouse.core.Refusal;
import org.posthouse.peer.PeerTable;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.io.ConnectionAddresses;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Token;

/**
 * Decides who may open jobs at a relay: clients that know its launch token. Without a launch token these are its own
 * user and root, on its own host (docs/security.md). Thread-safe.
 */
public final class LauncherAccess {
    private final RelayConfig config;
    private final boolean passesOn;
    private final Blocking blocking;

    /** Runs blocking work on a thread of its own. */
    interface Blocking {
        <T> Future<T> apply(Callable<T> work);
    }

    /** @param blocking runs blocking work on a thread of its own */
    LauncherAccess(RelayConfig config, Blocking blocking) {
        this.config = config;
        this.passesOn = config.links().filter(links -> !links.forwards().doors().isEmpty()).isPresent();
        this.blocking = blocking;
    }

    /**
     * The user of the process at the other end of a connection. This process counts as unknown if it forwards ports.
     */
    Future<PeerUser> user(ConnectionAddresses ends) {
        return blocking.apply(() -> ends.user(passesOn));
    }

    /** The same for many connections at once. */
    Future<Map<ConnectionAddresses, PeerUser>> users(Set<ConnectionAddresses> connections) {
        return blocking.apply(() -> {
            PeerTable tables = PeerUsers.ofHost().read();
            return connections.stream().collect(Collectors.toMap(ends -> ends, ends -> ends.user(tables, passesOn)));
        });
    }

    /**
     * The token that a launcher must prove; fails with the cause if it is refused.
     *
     * @param user looks up its user, if that is needed
     */
    Future<Token> tokenFor(Supplier<Future<PeerUser>> user) {
        Token token = config.door().launchToken();
        return token.equals(Token.NONE) ? user.get().compose(this::require) : Future.succeededFuture(token);
    }

    private Future<Token> require(PeerUser user) {
        String who = "relay " + config.relay() + " was started without --token-file and takes launchers of its own user only, user " + PeerUser.own()
                + ", or of root, on its own host; ";
        return switch (user.trust()) {
            case TRUSTED -> Future.succeededFuture(Token.NONE);
            case FOREIGN -> Future.failedFuture(new Refusal(CloseReason.WRONG_TOKEN, who + "this one is of " + user + "; start the relay with --token-file"));
            case UNKNOWN -> Future.failedFuture(new Refusal(
                    CloseReason.WRONG_TOKEN,
                    who + "whose this one is cannot be known, as it comes from elsewhere or through a forwarded port; start the relay with --token-file"));
        };
    }
}
