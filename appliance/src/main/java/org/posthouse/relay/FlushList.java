package org.posthouse.relay;

import java.util.ArrayList;

/**
 * The connections that were written to: each is flushed once, at the end of a strand's turn, or behind several turns. Confined to
 * the strand.
 *
 * <p>A loop that has many connections to read goes through them all before it writes: calls of one kind in a row are quicker, and
 * whom the first write wakes does not take the processor from the others (ADR 11).
 */
final class FlushList {
    /** Of fewer connections hardly two are ready at once: what one has to say does not wait for a look at the others. */
    static final int CONNECTIONS_MIN = 8;

    /** Connections and bytes that are left for longer than a turn: of large messages a write takes longer than is won. */
    static final int LINES_MAX = 64;

    static final int BYTES_MAX = 16 * 1024;

    /** Whose lines these are. */
    interface Owner {
        /** As {@link Strand#passes}. */
        boolean passes();

        /** Connections of the relay. */
        int connections();

        /** As {@link Strand#afterPass}. */
        void afterPass(Runnable work);

        /** As {@link Strand#submit}. */
        void submit(Runnable work);
    }

    private final Owner owner;
    private final ArrayList<Line> lines = new ArrayList<>();
    private final Runnable passed = this::passed;
    private final Runnable flushPassed = this::flushPassed;

    private int bytes;

    /** Whether {@link #passed} will be called. */
    private boolean passing;

    /** Whether emission has threads of its own. Written by the relay's loop, at a change of mode; read in the strand. */
    private volatile boolean spread;

    FlushList(Owner owner) {
        this.owner = owner;
    }

    /** Leaves all connections of a turn but one to the threads of emission; this thread does one, which wakes nobody. */
    void spread(boolean spread) {
        this.spread = spread;
    }

    /** So many bytes more were written there. */
    void add(Line line, int bytes) {
        this.bytes += bytes;
        if (line.list()) {
            lines.add(line);
        }
    }

    /** Flushes, unless the thread that has had this turn will do it behind others. */
    void endTurn() {
        if (lines.isEmpty()) {
            return;
        }
        if (!mayWait()) {
            flush();
        } else if (!passing) {
            passing = true;
            owner.afterPass(passed);
        }
    }

    private boolean mayWait() {
        return lines.size() < LINES_MAX && bytes < BYTES_MAX && owner.connections() >= CONNECTIONS_MIN && owner.passes();
    }

    private void passed() {
        owner.submit(flushPassed);
    }

    private void flushPassed() {
        passing = false;
        flush();
    }

    private void flush() {
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
        bytes = 0;
    }
}
