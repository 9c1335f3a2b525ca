package org.posthouse.directory;

import java.time.Duration;

/**
 * How long a group waits before it believes something.
 *
 * @param heartbeatSeconds between two signs of life of a member, 1 or more
 * @param silenceSecondsMax without a sign of life after which a member is taken off the group; at least two heartbeats
 * @param mergeSeconds between two looks for a part of the group that was cut off, 1 or more
 * @param grace how long a relay is still listed after its member left without a word, 0 or more
 */
public record GroupTiming(int heartbeatSeconds, int silenceSecondsMax, int mergeSeconds, Duration grace) {
    /** For links of some 100 ms that lose a packet now and then, and may stall for half a minute. */
    public static final GroupTiming WAN = new GroupTiming(5, 60, 30, Duration.ofSeconds(30));

    /** The same, for members that meet over links of their own: those that are linked later than they started find each other in 10 s. */
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
