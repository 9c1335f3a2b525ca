package org.posthouse.directory;

import java.time.Duration;

/**
 * The timeouts of a group.
 *
 * @param heartbeatSeconds seconds between heartbeats of a member, at least 1
 * @param silenceSecondsMax seconds without a heartbeat after which a member is removed from the group; at least two
 *         heartbeats
 * @param mergeSeconds seconds between searches for a part of the group that was cut off, at least 1
 * @param grace time for which a relay stays listed after its member left without notice, at least 0
 */
public record GroupTiming(int heartbeatSeconds, int silenceSecondsMax, int mergeSeconds, Duration grace) {
    /** For links with about 100 ms of latency and occasional packet loss, which may stall for half a minute. */
    public static final GroupTiming WAN = new GroupTiming(5, 60, 30, Duration.ofSeconds(30));

    /**
     * The same, for members that meet over their own links. Members that are linked later than they started find each
     * other within 10 s.
     */
    public static final GroupTiming LINKS = new GroupTiming(5, 60, 10, Duration.ofSeconds(30));

    public GroupTiming {
        if (heartbeatSeconds < 1 || silenceSecondsMax < 2 * heartbeatSeconds || mergeSeconds < 1
                || grace.isNegative()) {
            throw new IllegalArgumentException("group timing: heartbeat " + heartbeatSeconds + " s, silence "
                    + silenceSecondsMax + " s, merge " + mergeSeconds + " s, grace " + grace
                    + "; expected heartbeat and merge of at least 1 s, silence of two heartbeats, grace of 0 or more");
        }
    }
}
