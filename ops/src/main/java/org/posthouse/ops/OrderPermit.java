package org.posthouse.ops;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Consumer;

/**
 * Decides who may give orders: the relay's own user and root, as the system knows the peer of a connection, and whoever shows the secret
 * (docs/security.md). Confined to the console's event loop; peers are looked up on a worker, once for each connection.
 */
final class OrderPermit {
    private static final String BEARER = "Bearer ";

    private final Vertx vertx;
    private final PeerTrust trust;
    private final Optional<byte[]> secret;
    private final ConsoleAudit audit;
    private final Map<HttpConnection, Future<PeerTrust.Peer>> peers = new WeakHashMap<>();

    OrderPermit(Vertx vertx, OpsConfig.Access access) {
        this.vertx = vertx;
        this.trust = access.trust();
        this.audit = access.audit();
        this.secret = access.secret().map(text -> text.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Goes on with who has proved that he may, and answers everybody else with 401. The request's body must be there, or be paused, as the
     * answer may come a few milliseconds later.
     *
     * @param granted gets the peer's user and address
     */
    void require(RoutingContext ctx, Consumer<String> granted) {
        HttpServerRequest request = ctx.request();
        String shown = request.getHeader(HttpHeaders.AUTHORIZATION);
        boolean knowsSecret = matches(shown);
        peer(request).onComplete((peer, fault) -> {
            PeerTrust.Peer known = peer == null ? PeerTrust.Peer.UNKNOWN : peer;
            String who = known.name() + " at " + request.remoteAddress();
            if (knowsSecret) {
                granted.accept(who + " with the secret");
            } else if (known.trusted()) {
                granted.accept(who);
            } else {
                refuse(ctx, who, shown != null);
            }
        });
    }

    private boolean matches(String authorization) {
        return secret.isPresent() && authorization != null && authorization.startsWith(BEARER)
                && MessageDigest.isEqual(secret.get(), authorization.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8));
    }

    private Future<PeerTrust.Peer> peer(HttpServerRequest request) {
        HttpConnection connection = request.connection();
        SocketAddress local = connection.localAddress();
        SocketAddress remote = connection.remoteAddress();
        return peers.computeIfAbsent(connection, unseen -> vertx.executeBlocking(() -> trust.peer(local, remote), false));
    }

    private void refuse(RoutingContext ctx, String who, boolean shown) {
        String path = Responses.shortened(ctx.request().path());
        String why = shown ? "its secret is not this relay's" : "it shows no secret";
        audit.refused(who, Responses.shortened(ctx.request().method().name()) + " " + path + ": " + why);
        ctx.response().putHeader("WWW-Authenticate", "Bearer");
        Responses.error(ctx, 401, who + " is not this relay's user or root, and " + why + ": "
                + (secret.isPresent() ? "give --ops-token-file FILE (Authorization: Bearer), the file ops-token in the relay's data folder"
                        : "the relay has no secret; start it with --data or --ops-token-file"));
    }
}
