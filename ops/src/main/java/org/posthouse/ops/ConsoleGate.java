package org.posthouse.ops;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.posthouse.ops.access.ConsoleUser;
import org.posthouse.ops.access.LoginRefused;
import org.posthouse.ops.access.Logins;
import org.posthouse.ops.access.ProxyHeader;
import org.posthouse.ops.access.Role;
import org.posthouse.ops.access.Session;

/**
 * Decides who may look and who may give orders (docs/security.md): the relay's own user and root, as the system knows the peer of a connection;
 * whoever shows the secret; and users, by a session's cookie or with name and password. Confined to the console's event loop; peers are looked up on
 * a worker, once for each connection.
 */
final class ConsoleGate {
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";
    private static final String CLIENT = "posthouse.client";

    /** Headers that proxies add to what they pass on (RFC 7239, RFC 9110, and by custom). */
    private static final List<String> PASSED_ON = List.of("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP");

    private final Vertx vertx;
    private final OpsConfig.Access access;
    private final Logins logins;
    private final Map<HttpConnection, Future<PeerTrust.Peer>> peers = new WeakHashMap<>();

    /** Told once, as whoever can connect could fill the audit log with it. */
    private boolean isForgeryTold;

    /** How somebody has proved who he is. */
    enum Proof {
        LOGIN, SECRET, PEER, PROXY, NONE
    }

    /**
     * Who a request is from.
     *
     * @param who user and address, for the audit log
     * @param still whether that is still so; asked while a live stream is open
     */
    record Client(String name, Role role, Proof proof, String who, BooleanSupplier still) {}

    /** Nobody who may. The message is the answer, {@code why} the audit log's. */
    private static final class Denied extends Exception {
        private static final long serialVersionUID = 1L;

        final int status;
        final int retrySeconds;
        final String who;
        final String why;

        Denied(int status, int retrySeconds, String who, String why, String answer) {
            super(answer, null, false, false);
            this.status = status;
            this.retrySeconds = retrySeconds;
            this.who = who;
            this.why = why;
        }
    }

    ConsoleGate(Vertx vertx, OpsConfig.Access access, Logins logins) {
        this.vertx = vertx;
        this.access = access;
        this.logins = logins;
    }

    /** Whether a client that proves nothing may look. */
    boolean isOpen() {
        return !access.isClosed();
    }

    /**
     * Goes on with who has proved that he may give orders; everybody else gets 401, or 403 if he may look alone. The request's body must be there, or be
     * paused, as the answer may come a few milliseconds later.
     *
     * @param lacks what a viewer does not, for people
     */
    void requireOperator(RoutingContext ctx, String lacks, Consumer<Client> granted) {
        identify(ctx).onComplete((client, fault) -> {
            if (fault != null) {
                refuse(ctx, fault);
            } else if (client.role() != Role.OPERATOR) {
                access.audit().refused(client.who(), asked(ctx) + ": a viewer " + lacks);
                Responses.error(ctx, 403, client.name() + " is a viewer, and " + lacks + ": log in as an operator");
            } else {
                granted.accept(client);
            }
        });
    }

    /** Lets those look who may; others get 401. {@link #client} knows them afterwards. @param otherwise answers who wants a page, after 401 is set */
    void look(RoutingContext ctx, Handler<RoutingContext> otherwise) {
        if (isOpen()) {
            ctx.next();
            return;
        }
        ctx.request().pause();
        identify(ctx).onComplete((client, fault) -> {
            ctx.request().resume();
            if (fault == null) {
                ctx.put(CLIENT, client);
                ctx.next();
            } else if (OpsRoutes.fromAddressBar(ctx)) {
                otherwise.handle(ctx);
            } else {
                refuse(ctx, fault);
            }
        });
    }

    /** Who the request is from; of an open console also one who has proved nothing. */
    void client(RoutingContext ctx, Handler<Optional<Client>> then) {
        ctx.request().pause();
        identify(ctx).onComplete((client, fault) -> {
            ctx.request().resume();
            then.handle(fault == null ? Optional.of(client) : isOpen() ? Optional.of(anybody(ctx)) : Optional.empty());
        });
    }

    /** Whether who was let in by {@link #look} would be let in now. */
    static BooleanSupplier still(RoutingContext ctx) {
        Client client = ctx.get(CLIENT);
        return client == null ? () -> true : client.still();
    }

    /** The session of the request's cookie. */
    Optional<Session> session(RoutingContext ctx, PeerTrust.Peer peer) {
        Cookie cookie = cookie(ctx.request());
        return cookie == null ? Optional.empty() : logins.session(cookie.getValue(), peer.name());
    }

    /** Whether a browser could have added the proof by itself, to this console or to the proxy in front of it. */
    boolean hasAmbientProof(HttpServerRequest request) {
        String shown = request.getHeader(HttpHeaders.AUTHORIZATION);
        boolean isPassedOn = access.proxy().isPresent() && request.headers().contains(access.proxy().get().header());
        return isPassedOn || cookie(request) != null && (shown == null || !shown.startsWith(BEARER));
    }

    private static Cookie cookie(HttpServerRequest request) {
        return request.getCookie(cookieName(request));
    }

    /** A host's ports share their cookies, so each console has a name of its own. Browsers take a name with this prefix over TLS from the host itself only. */
    static String cookieName(HttpServerRequest request) {
        return (request.isSSL() ? "__Host-posthouse-" : "posthouse-") + request.localAddress().port();
    }

    static Logins.Source source(HttpServerRequest request, PeerTrust.Peer peer) {
        String host = request.remoteAddress().hostAddress();
        return new Logins.Source(peer.equals(PeerTrust.Peer.UNKNOWN) ? host : peer.name() + " at " + host, peer.name());
    }

    static String who(HttpServerRequest request, PeerTrust.Peer peer) {
        return peer.name() + " at " + request.remoteAddress();
    }

    /** Fails with {@link Denied}. */
    private Future<Client> identify(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        return peer(request).compose(peer -> {
            String shown = request.getHeader(HttpHeaders.AUTHORIZATION);
            String who = who(request, peer);
            Optional<ProxyHeader> proxy = proxyOf(request, peer);
            if (proxy.isPresent()) {
                return proxied(proxy.get(), request, who);
            }
            if (shown != null && shown.startsWith(BEARER) && logins.isSecret(shown.substring(BEARER.length()))) {
                return Future.succeededFuture(new Client("holder of the secret", Role.OPERATOR, Proof.SECRET, who + " with the secret", () -> true));
            }
            if (shown != null && shown.startsWith(BASIC) && logins.takesNames()) {
                return basic(request, shown, peer, who).map(session -> of(session, who));
            }
            Optional<Session> session = session(ctx, peer);
            if (session.isPresent()) {
                return Future.succeededFuture(of(session.get(), who));
            }
            return peer.trusted() ? Future.succeededFuture(new Client(peer.name(), Role.OPERATOR, Proof.PEER, who, () -> true))
                    : Future.failedFuture(unproven(who, shown != null));
        });
    }

    /** The proxy whose request it is: with its header, or with one that proxies add. The relay's own commands on its host have neither. */
    private Optional<ProxyHeader> proxyOf(HttpServerRequest request, PeerTrust.Peer peer) {
        return access.proxy().filter(proxy -> {
            boolean isNamed = request.headers().contains(proxy.header());
            boolean isPassedOn = isNamed || PASSED_ON.stream().anyMatch(request.headers()::contains);
            boolean isProxy = isPassedOn && proxy.isProxy(
                    InetAddress.ofLiteral(request.remoteAddress().hostAddress()),
                    peer.equals(PeerTrust.Peer.UNKNOWN) ? Optional.empty() : Optional.of(peer.name()), peer.trusted());
            if (isNamed && !isProxy && !isForgeryTold) {
                isForgeryTold = true;
                access.audit().refused(who(request, peer), "the header " + proxy.header() + " comes from elsewhere than --ops-proxy, and counts for nothing");
            }
            return isProxy;
        });
    }

    /** A request of nobody is one that the proxy has passed on without a login, whoever the proxy's process is. */
    private static Future<Client> proxied(ProxyHeader proxy, HttpServerRequest request, String who) {
        List<String> names = request.headers().getAll(proxy.header());
        if (names.size() != 1 || !ConsoleUser.isName(names.getFirst())) {
            String why = "the proxy names nobody: " + names.size() + " headers " + proxy.header() + ", expected one with a user's name";
            return Future.failedFuture(new Denied(401, 0, who, why, why + "; log in at the proxy"));
        }
        String name = names.getFirst();
        Role role = proxy.role(name);
        return Future.succeededFuture(new Client(name, role, Proof.PROXY, name + " (" + role.word() + ") by the proxy, " + who, () -> true));
    }

    private Client of(Session session, String who) {
        return new Client(session.name(), session.role(), Proof.LOGIN, session.name() + " (" + session.role().word() + "), " + who, () -> logins.use(session));
    }

    private Client anybody(RoutingContext ctx) {
        return new Client("", Role.VIEWER, Proof.NONE, ctx.request().remoteAddress().toString(), () -> true);
    }

    private Future<Session> basic(HttpServerRequest request, String shown, PeerTrust.Peer peer, String who) {
        String both = decoded(shown.substring(BASIC.length()).strip());
        int colon = both.indexOf(':');
        if (colon < 0) {
            String why = "Authorization: Basic is not NAME:PASSWORD in Base64 (RFC 7617)";
            return Future.failedFuture(new Denied(401, 0, who, why, why));
        }
        return logins.basic(both.substring(0, colon), both.substring(colon + 1), source(request, peer)).recover(fault -> Future.failedFuture(
                fault instanceof LoginRefused no ? new Denied(status(no), no.retrySeconds(), who, no.getMessage(), no.getMessage()) : fault));
    }

    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    static int status(LoginRefused refused) {
        return switch (refused.reason()) {
            case WRONG -> 401;
            case SLOWED -> 429;
            case BUSY -> 503;
        };
    }

    Future<PeerTrust.Peer> peer(HttpServerRequest request) {
        HttpConnection connection = request.connection();
        SocketAddress local = connection.localAddress();
        SocketAddress remote = connection.remoteAddress();
        return peers.computeIfAbsent(connection, unseen -> vertx.executeBlocking(() -> access.trust().peer(local, remote), false)
                .otherwise(PeerTrust.Peer.UNKNOWN));
    }

    private Denied unproven(String who, boolean shown) {
        String why = shown ? "its secret is not this relay's" : "it shows no secret";
        String login = logins.takesNames() ? "log in at / as a user of --ops-users, or " : "";
        String secret = logins.takesSecret() ? "give --ops-token-file FILE (Authorization: Bearer), the file ops-token in the relay's data folder"
                : "the relay has no secret; start it with --data or --ops-token-file";
        return new Denied(401, 0, who, why, who + " is not this relay's user or root, and " + why + ": " + login + secret);
    }

    private void refuse(RoutingContext ctx, Throwable fault) {
        if (fault instanceof Denied denied) {
            access.audit().refused(denied.who, asked(ctx) + ": " + denied.why);
            refuse(ctx, denied.status, denied.retrySeconds, denied.getMessage());
        } else {
            ctx.fail(fault);
        }
    }

    static void refuse(RoutingContext ctx, int status, int retrySeconds, String why) {
        if (status == 401) {
            ctx.response().putHeader("WWW-Authenticate", "Bearer");
        }
        if (retrySeconds > 0) {
            ctx.response().putHeader("Retry-After", String.valueOf(retrySeconds));
        }
        Responses.error(ctx, status, why);
    }

    private static String asked(RoutingContext ctx) {
        return Responses.shortened(ctx.request().method().name()) + " " + Responses.shortened(ctx.request().path());
    }
}
