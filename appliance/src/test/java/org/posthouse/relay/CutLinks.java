package org.posthouse.relay;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.tunnel.LinkConfig;

/** Relays, one a site, whose links go by where a test wants them to go. */
public final class CutLinks {
    private CutLinks() {}

    /** How a relay gets to another's address. */
    public interface Route {
        String to(String address) throws IOException;
    }

    /** @param settings what the test changes in each relay's links */
    public static EmbeddedGrid grid(
            Vertx vertx, int sites, boolean logged, Route route, UnaryOperator<LinkConfig> settings) throws IOException {
        return EmbeddedGrid.start(
                vertx,
                sites,
                1,
                logged ? Optional.of(LogLimits.DEFAULT) : Optional.empty(),
                ModeConfig.of(RelayConfig.Mode.MULTIPLEXED),
                UnaryOperator.identity(),
                links -> by(route, settings.apply(links)));
    }

    private static LinkConfig by(Route route, LinkConfig links) throws IOException {
        LinkConfig routed = links;
        for (Map.Entry<String, String> peer : links.peers().entrySet()) {
            routed = routed.peer(peer.getKey(), route.to(peer.getValue()));
        }
        return routed;
    }
}
