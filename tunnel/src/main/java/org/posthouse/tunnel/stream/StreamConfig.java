package org.posthouse.tunnel.stream;

import java.util.ArrayList;
import java.util.List;

/**
 * Limits the data that a relay buffers for streams. Immutable. Its constructor checks the arithmetic of the Grid
 * Gateway paper (section 3.2): a token is a buffer reserved for its holder, so N &gt;= P x L.
 *
 * @param buffers N: received frames of at most 64 KiB that may wait at once, of all streams, 4 to 65,536
 * @param streams P: streams that may be open at once, over all links and in both directions, 1 to 4,096
 * @param tokens L: tokens that each stream always gets, 4 to 4,096. Active streams share the N - P x L others
 */
public record StreamConfig(int buffers, int streams, int tokens) {
    /** 64 MiB of buffers; half of them are always reserved for the 64 streams. */
    public static final StreamConfig DEFAULT = new StreamConfig(1_024, 64, 8);

    static final int STREAMS_MAX = 4_096;

    public StreamConfig {
        List<String> problems = new ArrayList<>();
        checkRange(problems, "stream buffers", buffers, 4, 65_536);
        checkRange(problems, "streams", streams, 1, STREAMS_MAX);
        checkRange(problems, "tokens of a stream", tokens, 4, 4_096);
        if (problems.isEmpty() && buffers < (long) streams * tokens) {
            problems.add(buffers + " stream buffers for " + streams + " streams of " + tokens + " tokens, expected at least "
                    + (long) streams * tokens + ": every token needs its buffer");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** Buffers beyond those guaranteed to each stream. */
    int spare() {
        return buffers - streams * tokens;
    }

    private static void checkRange(List<String> problems, String what, int value, int min, int max) {
        if (value < min || value > max) {
            problems.add(what + " " + value + ", expected " + min + " to " + max);
        }
    }
}
