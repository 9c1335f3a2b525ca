package org.posthouse.core;

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

    private final HomedRank rank;
    private final KeptFrames waiting = new KeptFrames();

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
        waiting.forEach(frame -> {
            frame.number = fresh ? 1 : frame.number;
            frame.bytesBefore = 0;
            frame.ofAnother |= fresh;
        });
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
            KeptFrames.Waiting kept = waiting.add();
            kept.number = handled;
            kept.bytesBefore = handledBytes;
            kept.crossing = crossing;
            kept.passed = crossing.passed();
            kept.context = frame.context();
            kept.destination = frame.destination();
            kept.sequence = frame.sequence();
            kept.ofAnother = false;
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
        KeptFrames.Waiting next = waiting.peek();
        while (next != null && next.crossing.hasHandled(next.passed)) {
            waiting.remove();
            next = waiting.peek();
        }
        safe = next == null ? handled : next.number - 1;
        safeBytes = next == null ? handledBytes : next.bytesBefore;
    }

    /** Frames that were passed on over {@code crossing} were passed on anew: all of them wait for the last. */
    void passedAnew(Crossing crossing) {
        waiting.forEach(frame -> frame.passed = frame.crossing == crossing ? crossing.passed() : frame.passed);
    }

    /**
     * The messages that are on their way to another core, and which a process has sent that has ended: if this core ended too, they
     * would be lost, unless the process that is there keeps them.
     */
    Set<HomedRank.Transfer> keptByNobody() {
        Set<HomedRank.Transfer> messages = new LinkedHashSet<>();
        waiting.forEach(frame -> {
            if (frame.ofAnother) {
                messages.add(new HomedRank.Transfer(frame.context, frame.destination, frame.sequence));
            }
        });
        return messages;
    }

    boolean waitsFor(Crossing crossing) {
        return waiting.waitFor(crossing);
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
