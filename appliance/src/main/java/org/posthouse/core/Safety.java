package org.posthouse.core;

import java.util.ArrayDeque;

/**
 * Which of the frames that a rank keeps are safe, so that it need not keep them: those that are in this core's log, and
 * those that the core of their destination has handled (docs/wire.md, ACK). Frames are numbered by the rank; the relay
 * counts them as they come. Confined to the relay core.
 */
final class Safety {
    /** So many frames or bytes that are safe are worth an ACK. */
    private static final int FRAMES_WORTH = 256;

    private static final long BYTES_WORTH = 1 << 20;

    private static final long NOTHING = -1;

    /**
     * A frame that another core has not handled yet.
     *
     * @param number what its rank calls it
     * @param bytesBefore bytes of the kept frames before it
     * @param passed how many kept frames that core must have handled for this one to be among them
     */
    private record Waiting(long number, long bytesBefore, Crossing crossing, long passed) {}

    private final HomedRank rank;
    private ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** Frames that were handled here, and their bytes. */
    private long handled;

    private long handledBytes;

    /** Frames up to which all are safe, and their bytes. */
    private long safe;

    private long safeBytes;

    private long told;
    private long toldBytes;

    /** As soon as so many are safe, the rank is told. */
    private long dueAt = NOTHING;

    Safety(HomedRank rank) {
        this.rank = rank;
    }

    /**
     * A connection begins. What came over the ones before and is not safe yet stays before everything that comes now.
     *
     * @param first number that the first kept frame has on it
     * @param fresh whether a process has just started, which numbers from 1
     */
    void connect(long first, boolean fresh) {
        handled = first - 1;
        handledBytes = 0;
        safeBytes = 0;
        toldBytes = 0;
        told = NOTHING;
        dueAt = fresh ? NOTHING : handled;
        ArrayDeque<Waiting> old = waiting;
        waiting = new ArrayDeque<>();
        old.forEach(frame -> waiting.add(new Waiting(fresh ? 1 : frame.number, 0, frame.crossing, frame.passed)));
        settle();
        if (fresh) {
            told = safe;
        }
    }

    /** The next kept frame was handled here, and passed on over {@code crossing}, if that is not null. */
    void took(int bytes, Crossing crossing) {
        handled++;
        if (crossing != null && !crossing.hasHandled(crossing.passed())) {
            waiting.add(new Waiting(handled, handledBytes, crossing, crossing.passed()));
            crossing.await(rank);
        }
        handledBytes += bytes;
        if (waiting.isEmpty()) {
            safe = handled;
            safeBytes = handledBytes;
        }
    }

    /** Another core has handled more. */
    void settle() {
        while (!waiting.isEmpty() && waiting.element().crossing.hasHandled(waiting.element().passed)) {
            waiting.remove();
        }
        Waiting next = waiting.peek();
        safe = next == null ? handled : next.number - 1;
        safeBytes = next == null ? handledBytes : next.bytesBefore;
    }

    /** Frames that were passed on over {@code crossing} were passed on anew: all of them wait for the last. */
    void passedAnew(Crossing crossing) {
        ArrayDeque<Waiting> old = waiting;
        waiting = new ArrayDeque<>();
        old.forEach(frame -> waiting.add(
                frame.crossing == crossing
                        ? new Waiting(frame.number, frame.bytesBefore, crossing, crossing.passed())
                        : frame));
    }

    boolean waitsFor(Crossing crossing) {
        return waiting.stream().anyMatch(frame -> frame.crossing == crossing);
    }

    /** Whether all that the rank has sent is safe. */
    boolean isAllSafe() {
        return waiting.isEmpty();
    }

    /** Whether it is worth a frame to tell the rank. */
    boolean isDue() {
        return safe - told >= FRAMES_WORTH || safeBytes - toldBytes >= BYTES_WORTH || dueAt != NOTHING && safe >= dueAt;
    }

    /** The rank waits: it is told now, and again when all that it has sent so far is safe. */
    void asked(RankPort port) {
        dueAt = handled;
        tell(port);
    }

    void tell(RankPort port) {
        told = safe;
        toldBytes = safeBytes;
        if (safe >= dueAt) {
            dueAt = NOTHING;
        }
        port.ack(safe, handled);
    }
}
