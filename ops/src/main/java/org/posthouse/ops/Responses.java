package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/** Sends the answers of the console: security headers, JSON, one-line errors. Stateless. */
final class Responses {
    private static final int SHOWN_CHARS_MAX = 100;

    static final String JSON = "application/json; charset=utf-8";

    private Responses() {}

    /** Headers that every answer carries, errors included. */
    static void securityHeaders(RoutingContext ctx, String contentSecurityPolicy) {
        ctx.response().putHeader("Content-Security-Policy", contentSecurityPolicy)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("X-Frame-Options", "DENY")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        if (ctx.request().isSSL() && !HostGuard.isLoopbackName(ctx.request().authority())) {
            ctx.response().putHeader("Strict-Transport-Security", "max-age=31536000");
        }
    }

    static void json(RoutingContext ctx, int status, Buffer body) {
        ctx.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(body);
    }

    /** Answers with {@code {"status":…,"error":"one line"}}, or ends a response that has already begun. */
    static void error(RoutingContext ctx, int status, String message) {
        if (ctx.response().headWritten()) {
            ctx.response().reset();
        } else {
            json(ctx, status, OpsJson.error(status, message));
        }
    }

    /** The same in one line, for the audit log. */
    static String line(String text) {
        return shortened(text).replaceAll("\\p{Cntrl}", "?");
    }

    /** Text from outside, cut to a length that fits a line. */
    static String shortened(String text) {
        return text.length() <= SHOWN_CHARS_MAX ? text : text.substring(0, SHOWN_CHARS_MAX) + "…";
    }
}
