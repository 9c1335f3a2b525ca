package org.posthouse.relay.log;

import java.util.Locale;
import java.util.Map;

/**
 * The state of the log, for people. Immutable.
 *
 * @param text one line: the problem, its place, how much is missing, and what to do; also set if there is no problem
 * @param limitBytes the log's limit
 * @param pinnedByJob for each job that needs records, the bytes of the log from the oldest of them on
 * @param pinnedBytes bytes of the log's files that cannot be cut because ranks of open jobs need records in them
 */
public record LogStatus(State state, String text, long limitBytes, long pinnedBytes, Map<Long, Long> pinnedByJob) {
    /** The state of the log towards senders. */
    public enum State {
        /** Senders are not limited. */
        OPEN,
        /** Senders may use the credit that they have; they get no more until there is room. */
        HELD,
        /** The same, and nothing has arrived for some time: the ranks that could make room need some. */
        STALLED,
        /** All frames of logged jobs wait until the disk has room. */
        FULL;

        /** The name in the API and on the console. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final LogStatus NONE = new LogStatus(State.OPEN, "", 0, 0, Map.of());
}
