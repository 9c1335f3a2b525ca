package org.posthouse.launch.place;

import java.util.ArrayDeque;

/**
 * The reports that a relay has not answered yet. It bounds their bytes to what sockets hold, so that a launcher never waits
 * for a relay that reads nothing. Thread-safe.
 */
final class ReportWindow {
    /** Less than the buffers of a connection; at least a report of the greatest length. */
    static final int BYTES_MAX = 64 * 1024;

    private final ArrayDeque<Integer> unanswered = new ArrayDeque<>();
    private int bytes;

    /** Adds a report, if there is room. @return whether there is */
    synchronized boolean tryAdd(int reportBytes) {
        if (bytes + reportBytes > BYTES_MAX) {
            return false;
        }
        unanswered.add(reportBytes);
        bytes += reportBytes;
        return true;
    }

    /** The relay has answered the oldest. */
    synchronized void answered() {
        bytes -= unanswered.isEmpty() ? 0 : unanswered.remove();
    }
}
