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
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Token;

/**
 * Who may open jobs at a relay: whoever knows its launch token; if it has none, its own user and root, on its own host (docs/security.md). Thread-safe.
 */
final class LauncherAccess {
    private final RelayConfig config;
    private final boolean passesOn;
    private final Blocking blocking;

    /** Does on a thread of its own what blocks. */
    interface Blocking {
        <T> Future<T> apply(Callable<T> work);
    }

    /** @param blocking does on a thread of its own what blocks */
    LauncherAccess(RelayConfig config, Blocking blocking) {
        this.config = config;
        this.passesOn = config.links().filter(links -> !links.forwards().doors().isEmpty()).isPresent();
        this.blocking = blocking;
    }

    /** Whose process the other end of a connection is. What passes on what others say is nobody's. */
    Future<PeerUser> user(ConnectionEnds ends) {
        return blocking.apply(() -> ends.user(passesOn));
    }

    /** The same of many connections at once. */
    Future<Map<ConnectionEnds, PeerUser>> users(Set<ConnectionEnds> connections) {
        return blocking.apply(() -> {
            PeerTable tables = PeerUsers.ofHost().read();
            return connections.stream().collect(Collectors.toMap(ends -> ends, ends -> ends.user(tables, passesOn)));
        });
    }

    /** What a launcher has to prove that it knows; fails with why it may not come at all. @param user is asked for its user if that counts */
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
