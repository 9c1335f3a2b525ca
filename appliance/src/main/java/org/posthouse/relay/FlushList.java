package org.posthouse.relay;

import java.util.ArrayList;

/**
 * The connections that were written to in one turn of a strand: each is flushed once, at the turn's end. Confined to
 * the strand.
 */
final class FlushList {
    private final ArrayList<Line> lines = new ArrayList<>();

    /** Whether emission has threads of its own. Written by any thread, at a change of mode. */
    private volatile boolean spread;

    /** Leaves all connections of a turn but one to the threads of emission; this thread does one, which wakes nobody. */
    void spread(boolean spread) {
        this.spread = spread;
    }

    void add(Line line) {
        if (line.list()) {
            lines.add(line);
        }
    }

    /** Called at the turn's end. */
    void flush() {
        int last = lines.size() - 1;
        for (int i = 0; i <= last; i++) {
            Line line = lines.get(i);
            line.unlist();
            if (spread && i < last) {
                line.flushAtHome();
            } else {
                line.flush();
            }
        }
        lines.clear();
    }
}
