package org.posthouse.relay;

import java.util.Locale;
import java.util.Map;

/**
 * How the log stands, for people. Immutable.
 *
 * @param text one line: what is the matter, where, how much is missing, what to do; also while nothing is
 * @param limitBytes how much it may take
 * @param pinnedByJob for each job that needs records, of the log from the oldest of them on, in bytes
 * @param pinnedBytes of its files, what cannot go because ranks of open jobs need records in them
 */
record LogStatus(State state, String text, long limitBytes, long pinnedBytes, Map<Long, Long> pinnedByJob) {
    /** What senders may do. */
    enum State {
        /** All. */
        OPEN,
        /** What they may send they may; they get no more credit until there is room. */
        HELD,
        /** The same, and nothing has come for some time: whoever could make room needs some. */
        STALLED,
        /** Nothing: what comes for logged jobs waits until the disk has room. */
        FULL;

        /** The name in the API and on the console. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final LogStatus NONE = new LogStatus(State.OPEN, "", 0, 0, Map.of());
}
