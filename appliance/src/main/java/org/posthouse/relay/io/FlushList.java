package org.posthouse.relay.io;

import java.util.ArrayList;
import org.posthouse.relay.threads.Strand;

/**
 * The connections that were written to. Each is flushed once, at the end of a strand's turn or after several turns.
 * Confined to the strand.
 *
 * <p>A loop with many connections reads all of them before it writes. Calls of one kind in a row are faster, and the
 * rank that the first write wakes does not take the processor from the others (ADR 11).
 */
public final class FlushList {
    /** With fewer connections, two are rarely ready at once, so flushing one does not wait for a look at the others. */
    static final int CONNECTIONS_MIN = 8;

    /**
     * Limits of the connections and bytes that wait for longer than a turn. With large messages a write takes longer
     * than waiting saves.
     */
    static final int LINES_MAX = 64;

    static final int BYTES_MAX = 16 * 1024;

    /** The owner of the lines. */
    public interface Owner {
        /** See {@link Strand#passes}. */
        boolean passes();

        /** Number of the relay's connections. */
        int connections();

        /** See {@link Strand#afterPass}. */
        void afterPass(Runnable work);

        /** See {@link Strand#submit}. */
        void submit(Runnable work);
    }

    private final Owner owner;
    private final ArrayList<OutboundChannel> lines = new ArrayList<>();
    private final Runnable passed = this::passed;
    private final Runnable flushPassed = this::flushPassed;

    private int bytes;

    /** Whether {@link #passed} will be called. */
    private boolean passing;

    /**
     * Whether emission has threads of its own. Written by the relay's loop, at a change of mode; read in the strand.
     */
    private volatile boolean spread;

    public FlushList(Owner owner) {
        this.owner = owner;
    }

    /**
     * If true, all connections of a turn but one are left to the emission threads. This thread flushes one, which wakes
     * nobody.
     */
    public void spread(boolean spread) {
        this.spread = spread;
    }

    /** Adds a line to which {@code bytes} were written. */
    public void add(OutboundChannel outboundChannel, int bytes) {
        this.bytes += bytes;
        if (outboundChannel.list()) {
            lines.add(outboundChannel);
        }
    }

    /** Flushes, unless the thread of this turn will flush after other turns. */
    public void endTurn() {
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
            OutboundChannel outboundChannel = lines.get(i);
            outboundChannel.unlist();
            if (spread && i < last) {
                outboundChannel.flushAtHome();
            } else {
                outboundChannel.flush();
            }
        }
        lines.clear();
        bytes = 0;
    }
}
