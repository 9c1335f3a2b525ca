package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.posthouse.wire.FrameView;

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
     * @param ofAnother whether a process of the rank has sent it that has ended, so that nobody keeps it
     */
    private record Waiting(
            long number, long bytesBefore, Crossing crossing, long passed, HomedRank.Transfer message, boolean ofAnother) {
        private Waiting numbered(long anew, boolean fresh) {
            return new Waiting(anew, 0, crossing, passed, message, fresh || ofAnother);
        }

        private Waiting passedAnew() {
            return new Waiting(number, bytesBefore, crossing, crossing.passed(), message, ofAnother);
        }
    }

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
        old.forEach(frame -> waiting.add(frame.numbered(fresh ? 1 : frame.number, fresh)));
        settle();
        if (fresh) {
            told = safe;
        }
    }

    /** The next kept frame, which is no part of a message, was handled here. */
    void took(int bytes) {
        handled++;
        count(bytes);
    }

    /** The next kept frame, of a message, was handled here, and passed on over {@code crossing}, if that is not null. */
    void took(FrameView frame, Crossing crossing) {
        handled++;
        if (crossing != null && !crossing.hasHandled(crossing.passed())) {
            HomedRank.Transfer message = new HomedRank.Transfer(frame.context(), frame.destination(), frame.sequence());
            waiting.add(new Waiting(handled, handledBytes, crossing, crossing.passed(), message, false));
            crossing.await(rank);
        }
        count(frame.length());
    }

    private void count(int bytes) {
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
        old.forEach(frame -> waiting.add(frame.crossing == crossing ? frame.passedAnew() : frame));
    }

    /**
     * The messages that are on their way to another core, and which a process has sent that has ended: if this core ended too, they
     * would be lost, unless the process that is there keeps them.
     */
    Set<HomedRank.Transfer> keptByNobody() {
        Set<HomedRank.Transfer> messages = new LinkedHashSet<>();
        for (Waiting frame : waiting) {
            if (frame.ofAnother) {
                messages.add(frame.message);
            }
        }
        return messages;
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
