package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * Which of the frames that a rank keeps are safe, so that it need not keep them: those that are in this core's log, and
 * those that the core of their destination has handled (docs/wire.md, ACK). Frames are numbered by the rank; the relay
 * counts them as they come. Confined to the relay core.
 *
 * <p>Each other core handles what it is sent in its order, and all of them at their own pace: a site that is cut off handles nothing for
 * as long as that lasts, and what is for others is safe nevertheless (ADR 27).
 */
final class Safety {
    /** So many frames or bytes that are safe are worth an ACK. */
    private static final int FRAMES_WORTH = 256;

    private static final long BYTES_WORTH = 1 << 20;

    private static final long NOTHING = -1;

    private static final long[] NO_HOMES = {};

    /**
     * A frame that another core has not handled yet.
     *
     * @param number what its rank calls it
     * @param bytes its own, and 0 of one that came over an earlier connection
     * @param bytesBefore bytes of the kept frames before it
     * @param passed how many kept frames that core must have handled for this one to be among them
     * @param ofAnother whether a process of the rank has sent it that has ended, so that nobody keeps it
     */
    private record Waiting(long number, int bytes, long bytesBefore, long passed, HomedRank.Transfer message, boolean ofAnother) {
        private Waiting numbered(long anew, boolean fresh) {
            return new Waiting(anew, 0, 0, passed, message, fresh || ofAnother);
        }

        private Waiting passedAnew(long last) {
            return new Waiting(number, bytes, bytesBefore, last, message, ofAnother);
        }
    }

    /** What one other core has not handled yet, in the order in which it will. */
    private static final class Queue {
        private final Crossing crossing;
        private final int home;
        private ArrayDeque<Waiting> frames = new ArrayDeque<>();

        private Queue(Crossing crossing, int home) {
            this.crossing = crossing;
            this.home = home;
        }

        private boolean isPastHead() {
            return !frames.isEmpty() && crossing.hasHandled(frames.element().passed);
        }
    }

    private final HomedRank rank;

    /** One for each other core that was sent anything. */
    private final List<Queue> queues = new ArrayList<>();

    /** How many frames wait in the queues, and their bytes. */
    private long waiting;

    private long waitingBytes;

    /** Frames that were handled here, and their bytes. */
    private long handled;

    private long handledBytes;

    /** Frames up to which all are safe, and their bytes. */
    private long safe;

    private long safeBytes;

    private long told;
    private long toldBytes;

    /** How many were safe, wherever they stand, when that was told last; and their bytes. */
    private long toldOfAll;

    private long toldOfAllBytes;

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
        waitingBytes = 0;
        toldBytes = 0;
        told = NOTHING;
        dueAt = fresh ? NOTHING : handled;
        for (Queue queue : queues) {
            ArrayDeque<Waiting> old = queue.frames;
            queue.frames = new ArrayDeque<>();
            old.forEach(frame -> queue.frames.add(frame.numbered(fresh ? 1 : frame.number, fresh)));
        }
        settle();
        toldOfAll = handled - waiting;
        toldOfAllBytes = 0;
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
            int bytes = frame.length();
            HomedRank.Transfer message = new HomedRank.Transfer(frame.context(), frame.destination(), frame.sequence());
            queue(crossing, frame.destination())
                    .frames
                    .add(new Waiting(handled, bytes, handledBytes, crossing.passed(), message, false));
            waiting++;
            waitingBytes += bytes;
            crossing.await(rank);
        }
        count(frame.length());
    }

    private Queue queue(Crossing crossing, int destination) {
        for (Queue queue : queues) {
            if (queue.crossing == crossing) {
                return queue;
            }
        }
        Queue first = new Queue(crossing, rank.job().homeOf()[destination]);
        queues.add(first);
        return first;
    }

    private void count(int bytes) {
        handledBytes += bytes;
        if (waiting == 0) {
            safe = handled;
            safeBytes = handledBytes;
        }
    }

    /** Another core has handled more. */
    void settle() {
        Waiting first = null;
        for (Queue queue : queues) {
            while (queue.isPastHead()) {
                waiting--;
                waitingBytes -= queue.frames.remove().bytes;
            }
            Waiting head = queue.frames.peek();
            if (head != null && (first == null || head.number < first.number)) {
                first = head;
            }
        }
        safe = first == null ? handled : first.number - 1;
        safeBytes = first == null ? handledBytes : first.bytesBefore;
    }

    /** Frames that were passed on over {@code crossing} were passed on anew: all of them wait for the last. */
    void passedAnew(Crossing crossing) {
        for (Queue queue : queues) {
            if (queue.crossing == crossing) {
                ArrayDeque<Waiting> old = queue.frames;
                queue.frames = new ArrayDeque<>();
                old.forEach(frame -> queue.frames.add(frame.passedAnew(crossing.passed())));
            }
        }
    }

    /**
     * The messages that are on their way to another core, and which a process has sent that has ended: if this core ended too, they
     * would be lost, unless the process that is there keeps them.
     */
    Set<HomedRank.Transfer> keptByNobody() {
        Set<HomedRank.Transfer> messages = new LinkedHashSet<>();
        for (Queue queue : queues) {
            for (Waiting frame : queue.frames) {
                if (frame.ofAnother) {
                    messages.add(frame.message);
                }
            }
        }
        return messages;
    }

    boolean waitsFor(Crossing crossing) {
        return queues.stream().anyMatch(queue -> queue.crossing == crossing && !queue.frames.isEmpty());
    }

    /** Whether all that the rank has sent is safe. */
    boolean isAllSafe() {
        return waiting == 0;
    }

    /** Whether it is worth a frame to tell the rank. */
    boolean isDue() {
        return safe - told >= FRAMES_WORTH
                || safeBytes - toldBytes >= BYTES_WORTH
                || dueAt != NOTHING && safe >= dueAt
                || isHeldUp() && isWorthMore();
    }

    /** Whether so much stands behind what is not safe that it matters which of it is safe. */
    private boolean isHeldUp() {
        return handledBytes - safeBytes >= BYTES_WORTH;
    }

    private boolean isWorthMore() {
        return handled - waiting - toldOfAll >= FRAMES_WORTH || handledBytes - waitingBytes - toldOfAllBytes >= BYTES_WORTH;
    }

    /** The rank waits: it is told now, and again when all that it has sent so far is safe. */
    void asked(RankPort port) {
        dueAt = handled;
        tell(port);
    }

    void tell(RankPort port) {
        told = safe;
        toldBytes = safeBytes;
        toldOfAll = handled - waiting;
        toldOfAllBytes = handledBytes - waitingBytes;
        if (safe >= dueAt) {
            dueAt = NOTHING;
        }
        port.ack(safe, handled, isHeldUp() ? firstUnsafe() : NO_HOMES);
    }

    /** For each home of the job, the number of the first frame for it that is not safe. */
    private long[] firstUnsafe() {
        int homes = rank.job().homes().size();
        if (homes > Wire.ACK_HOMES_MAX) {
            return NO_HOMES;
        }
        long[] first = new long[homes];
        Arrays.fill(first, handled + 1);
        for (Queue queue : queues) {
            if (!queue.frames.isEmpty()) {
                first[queue.home] = Math.min(first[queue.home], queue.frames.element().number);
            }
        }
        return first;
    }
}
