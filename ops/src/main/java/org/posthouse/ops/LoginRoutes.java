package org.posthouse.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Optional;
import org.posthouse.ops.access.LoginRefused;
import org.posthouse.ops.access.Logins;
import org.posthouse.ops.access.Session;

/**
 * Login, logout, and who one is. Confined to the console's event loop. A session is a cookie that no script can read and that no page of another site
 * can have sent; logins need the same proof of origin as orders, so that nobody is logged in as another without knowing.
 */
final class LoginRoutes {
    static final String LOGIN = "/api/v1/login";
    static final String LOGOUT = "/api/v1/logout";
    static final String ME = "/api/v1/me";

    private static final String EXAMPLE = "{\"name\":\"alice\",\"password\":\"…\"} or {\"secret\":\"…\"}";

    private final ConsoleGate gate;
    private final Logins logins;
    private final ConsoleAudit audit;

    LoginRoutes(ConsoleGate gate, Logins logins, ConsoleAudit audit) {
        this.gate = gate;
        this.logins = logins;
        this.audit = audit;
    }

    /** What the page is to ask for. Open to all. */
    void forms(RoutingContext ctx) {
        Responses.json(ctx, 200, OpsJson.loginForms(new OpsJson.LoginForms(logins.takesNames(), logins.takesSecret())));
    }

    void me(RoutingContext ctx) {
        gate.client(ctx, client -> client.ifPresentOrElse(
                known -> Responses.json(ctx, 200, account(known.name(), known.role().word(), known.proof())),
                () -> ConsoleGate.refuse(ctx, 401, 0, "nobody is logged in; POST " + LOGIN + " lets in")));
    }

    void login(RoutingContext ctx) {
        if (!isFromHere(ctx)) {
            return;
        }
        OpsJson.LoginOrder order;
        try {
            order = OpsJson.loginOrder(ctx.body().buffer());
        } catch (JsonProcessingException e) { // Whose message may have a part of the password.
            Responses.error(ctx, 400, "the login is not understood: expected as in " + EXAMPLE);
            return;
        }
        HttpServerRequest request = ctx.request();
        gate.peer(request).onSuccess(peer -> {
            Logins.Source source = ConsoleGate.source(request, peer);
            String who = ConsoleGate.who(request, peer);
            (order.secret() != null ? logins.login(order.secret(), source) : logins.login(order.name(), order.password(), source))
                    .onSuccess(opened -> entered(ctx, opened, who))
                    .onFailure(fault -> refused(ctx, order, who, fault));
        });
    }

    void logout(RoutingContext ctx) {
        if (!isFromHere(ctx)) {
            return;
        }
        gate.peer(ctx.request()).onSuccess(peer -> {
            gate.session(ctx, peer).ifPresent(session -> {
                logins.logout(session);
                audit.entered(name(session) + ", " + ConsoleGate.who(ctx.request(), peer), "logged out");
            });
            ctx.response().addCookie(cookie(ctx.request(), "").setMaxAge(0));
            Responses.json(ctx, 200, OpsJson.done());
        });
    }

    private void entered(RoutingContext ctx, Logins.Opened opened, String who) {
        Session session = opened.session();
        audit.entered(name(session) + ", " + who, "logged in");
        ctx.response().addCookie(cookie(ctx.request(), opened.token()));
        Responses.json(ctx, 200, account(session.name(), session.role().word(), ConsoleGate.Proof.LOGIN));
    }

    private void refused(RoutingContext ctx, OpsJson.LoginOrder order, String who, Throwable fault) {
        if (!(fault instanceof LoginRefused refused)) {
            ctx.fail(fault);
            return;
        }
        audit.refused(who,
                "login" + (order.secret() != null ? " with the secret" : " as \"" + Responses.line(order.name()) + "\"") + ": " + refused.getMessage());
        ConsoleGate.refuse(ctx, ConsoleGate.status(refused), refused.retrySeconds(), refused.getMessage());
    }

    /** Answers 415 or 403 if it is not. */
    private static boolean isFromHere(RoutingContext ctx) {
        Optional<String> elsewhere = SameOrigin.refusal(ctx.request(), false);
        if (!SameOrigin.isJson(ctx.request())) {
            Responses.error(ctx, 415, "a login is application/json, as in " + EXAMPLE);
        } else if (elsewhere.isPresent()) {
            Responses.error(ctx, 403, elsewhere.get());
        }
        return !ctx.response().ended();
    }

    /** Without an age: the browser forgets it when it is closed, the relay when the session is over. */
    private static Cookie cookie(HttpServerRequest request, String value) {
        return Cookie.cookie(ConsoleGate.cookieName(request), value).setPath("/").setHttpOnly(true).setSecure(request.isSSL())
                .setSameSite(CookieSameSite.STRICT);
    }

    private static String name(Session session) {
        return session.name() + " (" + session.role().word() + ")";
    }

    private static Buffer account(String name, String role, ConsoleGate.Proof proof) {
        return OpsJson.account(new OpsJson.Account(name, role, proof.name().toLowerCase(Locale.ROOT)));
    }
}
