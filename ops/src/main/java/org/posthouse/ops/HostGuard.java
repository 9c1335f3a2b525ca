package org.posthouse.ops;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Refuses requests whose Host header names neither loopback, nor the listen address, nor a configured name. Immutable.
 *
 * <p>Why: a page of a hostile site can point its own name at 127.0.0.1 and then read the console as its own origin
 * (DNS rebinding). The browser still sends the hostile name as Host. The port is not compared: people forward it by
 * ssh. When the console listens on the wildcard address every address literal passes too, since rebinding needs a
 * name.
 */
final class HostGuard implements Handler<RoutingContext> {

    private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0");
    private static final Pattern ADDRESS_LITERAL = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+]");

    private final Set<String> names = new HashSet<>(LOOPBACK);
    private final boolean anyLiteral;

    HostGuard(OpsConfig config) {
        anyLiteral = WILDCARDS.contains(config.host());
        names.add(normal(config.host()));
        names.add("[" + normal(config.host()) + "]");
        config.allowedHosts().forEach(name -> names.add(normal(name)));
    }

    @Override
    public void handle(RoutingContext ctx) {
        HostAndPort authority = ctx.request().authority();
        int hosts = ctx.request().headers().getAll(HttpHeaders.HOST).size();
        if (hosts > 1) {
            Responses.error(ctx, 400, "the request has " + hosts + " Host headers, expected one (RFC 9112, 3.2)");
        } else if (authority == null) {
            Responses.error(ctx, 400, "the request has no valid Host header");
        } else if (allows(authority.host())) {
            ctx.next();
        } else {
            Responses.error(ctx, 403, "host \"" + Responses.shortened(authority.host())
                    + "\" is not one of this console's names; use localhost, or start the relay with --ops-name NAME");
        }
    }

    /** Whether a request names loopback. That it has TLS must not be remembered: the name is that of every other server of the machine, too. */
    static boolean isLoopbackName(HostAndPort authority) {
        return authority != null && LOOPBACK.contains(normal(authority.host()));
    }

    boolean allows(String host) {
        String name = normal(host);
        return names.contains(name) || (anyLiteral && ADDRESS_LITERAL.matcher(name).matches());
    }

    private static String normal(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }
}
