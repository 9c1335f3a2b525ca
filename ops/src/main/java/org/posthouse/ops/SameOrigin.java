package org.posthouse.ops;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/**
 * Tells requests of the console's own page from those that a page of another origin has a browser send. Stateless.
 *
 * <p>A browser says with each POST where it comes from, by {@code Origin} (RFC 6454) and, over TLS and on loopback, by {@code Sec-Fetch-Site}; no
 * script can change either. Other clients say nothing. That an order is declared as JSON, which a form cannot do, stands beside it.
 */
final class SameOrigin {
    private static final String JSON_TYPE = "application/json";

    private SameOrigin() {}

    /** Why a request that changes something is refused with 403; empty if it is not. @param mustProve whether a client that says nothing is refused, too */
    static Optional<String> refusal(HttpServerRequest request, boolean mustProve) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (site != null && !site.equals("same-origin")) {
            return Optional.of("a page elsewhere (Sec-Fetch-Site: " + Responses.shortened(site) + ") may not give orders");
        }
        if (origin != null && !isOwn(origin, request.getHeader(HttpHeaders.HOST))) {
            return Optional.of("origin \"" + Responses.shortened(origin) + "\" may not give orders");
        }
        return mustProve && site == null && origin == null
                ? Optional.of("a request with a cookie must say where it comes from: Origin is missing; a program shows its proof in Authorization")
                : Optional.empty();
    }

    /** Whether the body is declared as JSON. */
    static boolean isJson(HttpServerRequest request) {
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        return type != null && type.toLowerCase(Locale.ROOT).startsWith(JSON_TYPE);
    }

    /** Host and port. Not the scheme, which a proxy in front may change. */
    private static boolean isOwn(String origin, String host) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority != null && authority.equalsIgnoreCase(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
