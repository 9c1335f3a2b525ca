package org.posthouse.tunnel;

import java.util.List;
import org.posthouse.tunnel.window.LinkWindow;

/**
 * The resource limits of one relay's links. Immutable.
 *
 * @param windowBytes unacknowledged bytes per link past which it is not writable: 64 KiB to 1 GiB
 * @param connectionsMax accepted connections open at one time: 1 to 65,536
 * @param lanes connections of a link that this relay dials, 1 to {@link LinkWindow#LANES_MAX}; 0: as many as are useful
 */
public record LinkLimits(long windowBytes, int connectionsMax, int lanes) {
    /**
     * Maximum number of peer relays. With full windows they hold 256 * 2 * 64 MiB = 32 GiB, so the window must be
     * configured for the number of links. Each site has its fair share of them.
     */
    public static final int LINKS_MAX = 256;

    static final long WINDOW_BYTES_MAX = 1024L * 1024 * 1024;
    private static final long WINDOW_BYTES_MIN = 64L * 1024;
    private static final int CONNECTIONS_MAX = 65_536;

    /**
     * The window fills 10 Gbit/s over a round trip of 50 ms: 10e9 / 8 * 0.05 = 62.5 MB. There are four connections for
     * each of the {@link #LINKS_MAX} links: the current one, its successor, and lanes.
     */
    public static final LinkLimits DEFAULT = new LinkLimits(64L * 1024 * 1024, 4 * LINKS_MAX, 0);

    void check(List<String> problems) {
        checkRange(problems, "window bytes", windowBytes, WINDOW_BYTES_MIN, WINDOW_BYTES_MAX);
        checkRange(problems, "connections", connectionsMax, 1, CONNECTIONS_MAX);
        checkRange(problems, "lanes", lanes, 0, LinkWindow.LANES_MAX);
    }

    static void checkRange(List<String> problems, String what, long value, long min, long max) {
        if (value < min || value > max) {
            problems.add(what + " " + value + ", expected " + min + " to " + max);
        }
    }
}
