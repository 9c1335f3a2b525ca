package org.posthouse.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The one order that the API takes: another mode for the relays of this process. Confined to the console's event loop.
 *
 * <p>It has no login, so it must not be a page of another site that gives it: the body must be declared as JSON, which a
 * browser sends to another origin only after asking, and is never told yes; and an Origin must be one of this console's
 * names.
 */
final class ModeRoute {
    /** Longest body of an order. */
    static final int BODY_BYTES_MAX = 4_096;

    private static final String JSON_TYPE = "application/json";
    private static final int SHOWN_CHARS_MAX = 100;

    private final Supplier<List<RelayView>> views;
    private final HostGuard guard;

    ModeRoute(Supplier<List<RelayView>> views, HostGuard guard) {
        this.views = views;
        this.guard = guard;
    }

    void handle(RoutingContext ctx) {
        String type = ctx.request().getHeader(HttpHeaders.CONTENT_TYPE);
        String origin = ctx.request().getHeader(HttpHeaders.ORIGIN);
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith(JSON_TYPE)) {
            Responses.error(ctx, 415, "an order is " + JSON_TYPE + ", as in {\"mode\":\"pooled\",\"loops\":4}");
        } else if (origin != null && !isOwn(origin)) {
            Responses.error(ctx, 403, "origin \"" + Responses.shortened(origin, SHOWN_CHARS_MAX) + "\" may not give orders");
        } else {
            order(ctx);
        }
    }

    private static String field(JsonProcessingException fault) {
        return fault instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()
                ? mapping.getPath().getLast().getFieldName() + ": "
                : "";
    }

    private boolean isOwn(String origin) {
        try {
            String host = URI.create(origin).getHost();
            return host != null && guard.allows(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void order(RoutingContext ctx) {
        ModeOrder order;
        try {
            order = OpsJson.modeOrder(ctx.body().buffer());
        } catch (JsonProcessingException e) {
            Responses.error(ctx, 400, "the order is not understood: " + field(e) + e.getOriginalMessage());
            return;
        }
        List<Future<ModeReport>> changes = views.get().stream().map(relay -> relay.changeMode(order)).toList();
        Future.all(changes)
                .onSuccess(all -> Responses.json(ctx, 200, OpsJson.modeReports(all.list())))
                .onFailure(cause -> {
                    if (cause instanceof IllegalArgumentException) {
                        Responses.error(ctx, 400, cause.getMessage());
                    } else {
                        ctx.fail(cause);
                    }
                });
    }
}
