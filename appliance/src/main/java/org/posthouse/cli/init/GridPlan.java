package org.posthouse.cli.init;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.cli.option.HostPort;

/**
 * A grid of two sites with one relay each, and the commands that run it. If the first relay takes links at a loopback address, both
 * relays are on this host and have ports of their own; else each is on a host of its own and has the default ports.
 *
 * @param first  the site whose relay takes the link
 * @param second the site whose relay dials it
 * @param links  the address at which the second relay reaches the first
 * @param data   where each relay keeps its log; if relative, in its site's folder
 */
public record GridPlan(String first, String second, HostPort links, Path data) {
    private static final String RANKS = "127.0.0.1:7411";

    /** Where ranks connect to the second relay on the same host; on another host the first relay's way to there. */
    private static final String SECOND_RANKS = "127.0.0.1:7421";

    /** Whether both relays are on this host. */
    public boolean isOnOneHost() {
        return links.isLoopback();
    }

    /** Options of a site's relay, which is started in its site's folder. */
    List<String> relay(String site) {
        List<String> arguments = new ArrayList<>(List.of("--site", site, "--keys", "keys", "--token-file", "token", "--data", data.toString()));
        arguments.addAll(site.equals(first) ? List.of("--links", links.toString()) : List.of("--peer", first + "=" + links));
        arguments.addAll(isOnOneHost() ? together(site) : apart(site));
        return List.copyOf(arguments);
    }

    private List<String> together(String site) {
        return site.equals(first)
                ? List.of()
                : List.of("--listen", SECOND_RANKS, "--ops", "127.0.0.1:7423", "--group", "127.0.0.1:7424", "--member", "127.0.0.1:7414");
    }

    /** Launchers at the first site reach the second relay over the link alone. */
    private List<String> apart(String site) {
        return site.equals(first)
                ? List.of("--tunnel-group", "--via", second + "/ranks=" + SECOND_RANKS)
                : List.of("--tunnel-group", "--forward", "ranks=" + RANKS);
    }

    /** Arguments of a job of both sites, whose launcher is on the first relay's host. */
    List<String> job(String token) {
        return List.of("run", "-n", "4", "--relay", RANKS, "--relay", SECOND_RANKS, "--token-file", token, "example:heat");
    }
}
