package org.posthouse.launch.place;

import java.util.ArrayDeque;
import org.posthouse.wire.FrameType;

/**
 * The reports that a relay has not answered yet. It bounds their bytes to what sockets hold, so that a launcher never waits
 * for a relay that reads nothing. Thread-safe.
 */
final class ReportWindow {
    /** Less than the buffers of a connection; at least a report of the greatest length. */
    static final int BYTES_MAX = 64 * 1024;

    private final ArrayDeque<Integer> unanswered = new ArrayDeque<>();
    private int bytes;

    /** Whether there is room for a report of any length. */
    synchronized boolean hasRoom() {
        return bytes + FrameType.JOB_REPORT.bytesMax() <= BYTES_MAX;
    }

    /** Adds a report. */
    synchronized void add(int reportBytes) {
        unanswered.add(reportBytes);
        bytes += reportBytes;
    }

    /** The relay has answered the oldest. */
    synchronized void answered() {
        bytes -= unanswered.isEmpty() ? 0 : unanswered.remove();
    }
}
