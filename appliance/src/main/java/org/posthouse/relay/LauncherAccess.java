package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.posthouse.core.Refusal;
import org.posthouse.peer.PeerUser;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Token;

/**
 * Who may open jobs at a relay: whoever knows its launch token; if it has none, its own user and root, on its own host (docs/security.md). Thread-safe.
 */
final class LauncherAccess {
    private final RelayConfig config;
    private final boolean passesOn;
    private final Function<Callable<PeerUser>, Future<PeerUser>> blocking;

    /** @param blocking does on a thread of its own what blocks */
    LauncherAccess(RelayConfig config, Function<Callable<PeerUser>, Future<PeerUser>> blocking) {
        this.config = config;
        this.passesOn = config.links().filter(links -> !links.forwards().doors().isEmpty()).isPresent();
        this.blocking = blocking;
    }

    /** What the launcher at the other end has to prove that it knows; fails with why it may not come at all. */
    Future<Token> tokenFor(Outlet launcher) {
        Token token = config.door().launchToken();
        return token.equals(Token.NONE) ? blocking.apply(() -> launcher.user(passesOn)).compose(this::require) : Future.succeededFuture(token);
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
