package org.posthouse.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * Tracks which sent frames of a rank are stable; the rank may drop its copies of those. A frame is stable when it is in
 * this core's log, or when the core of its destination has handled it (docs/wire.md, ACK). The rank numbers its frames,
 * and the relay counts them as they arrive. Confined to the relay core.
 *
 * <p>Each other core handles its frames in order, and each at its own pace. A site that is cut off handles nothing
 * meanwhile, but frames for other cores become stable all the same (ADR 17).
 */
final class StabilityTracker {
    /** Number of stable frames or bytes that is worth an ACK. */
    private static final int FRAMES_WORTH = 256;

    private static final long BYTES_WORTH = 1 << 20;

    /**
     * Limit of a rank's frames passed on to other cores and not handled there, each counted with {@link
     * Wire#MESSAGE_COST_BYTES}. At the limit the rank is not read. It is twice the default of what a rank keeps. Credit
     * alone does not bound it: resent frames never lack credit. Also, only the rank knows how far a relay that has
     * ended had cleared an offer.
     */
    static final long UNHANDLED_BYTES_MAX = 64L << 20;

    private static final long NOTHING = -1;

    private static final long[] NO_HOMES = {};

    private final HomedRank rank;

    /** One queue for each other core that was sent frames. */
    private final List<UnstableFrames> queues = new ArrayList<>();

    /** Number of frames that wait in the queues, and their bytes. */
    private long waiting;

    private long waitingBytes;

    /** Bytes of all unhandled frames, over all connections. */
    private long unhandledBytes;

    /** Called when unhandled bytes have fallen to half of the limit; null if nobody waits for that. */
    private Runnable lighter;

    /** Frames that were handled here, and their bytes. */
    private long handled;

    private long handledBytes;

    /** Number of frames up to which all are stable, and their bytes. */
    private long safe;

    private long safeBytes;

    private long told;
    private long toldBytes;

    /** Number of stable frames, wherever they stand, at the last report; and their bytes. */
    private long toldOfAll;

    private long toldOfAllBytes;

    /** The number of stable frames at which a report to the rank is due. */
    private long dueAt = NOTHING;

    StabilityTracker(HomedRank rank) {
        this.rank = rank;
    }

    /**
     * A connection begins. Frames of earlier connections that are not stable yet stay in front of all new frames.
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
        for (UnstableFrames queue : queues) {
            queue.forEach(frame -> {
                frame.number = fresh ? 1 : frame.number;
                frame.bytes = 0;
                frame.bytesBefore = 0;
                frame.ofAnother |= fresh;
            });
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

    /**
     * The next kept frame, of a message, was handled here, and passed on over {@code crossing} if that is not null.
     */
    void took(FrameView frame, ForwardCount forwardCount) {
        handled++;
        if (forwardCount != null && !forwardCount.hasHandled(forwardCount.passed())) {
            await(frame, forwardCount, handled, frame.length());
        }
        count(frame.length());
    }

    /** A frame of a message that the rank does not keep was passed on over {@code crossing}. */
    void passed(FrameView frame, ForwardCount forwardCount) {
        await(frame, forwardCount, handled + 1, 0).weighsOnly = true;
    }

    private UnstableFrames.Waiting await(FrameView frame, ForwardCount forwardCount, long number, int bytes) {
        UnstableFrames.Waiting kept = queue(forwardCount, frame.destination()).add();
        kept.number = number;
        kept.bytes = bytes;
        kept.bytesBefore = handledBytes;
        kept.weight = frame.length() + Wire.MESSAGE_COST_BYTES;
        kept.weighsOnly = false;
        kept.passed = forwardCount.passed();
        kept.context = frame.context();
        kept.destination = frame.destination();
        kept.sequence = frame.sequence();
        kept.ofAnother = false;
        waiting++;
        waitingBytes += bytes;
        unhandledBytes += kept.weight;
        forwardCount.await(rank);
        return kept;
    }

    /** Whether so much is unhandled that the rank must not be read. */
    boolean isHeavy() {
        return unhandledBytes > UNHANDLED_BYTES_MAX;
    }

    /** Calls back when that has halved; replaces an earlier callback. */
    void whenLighter(Runnable goOn) {
        lighter = goOn;
    }

    private void tellIfLighter() {
        if (lighter != null && unhandledBytes <= UNHANDLED_BYTES_MAX / 2) {
            Runnable goOn = lighter;
            lighter = null;
            goOn.run();
        }
    }

    private UnstableFrames queue(ForwardCount forwardCount, int destination) {
        for (UnstableFrames queue : queues) {
            if (queue.crossing() == forwardCount) {
                return queue;
            }
        }
        UnstableFrames first = new UnstableFrames(forwardCount, rank.job().homeOf()[destination]);
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

    /**
     * Another core has handled more. Nothing more becomes stable if the log accepts nothing more, since another core of
     * this relay then drops its frames.
     */
    void settle() {
        UnstableFrames.Waiting first = null;
        boolean settles = !rank.job().isUnloggable();
        for (UnstableFrames queue : queues) {
            while (settles && queue.isPastHead()) {
                UnstableFrames.Waiting done = queue.remove();
                waiting--;
                waitingBytes -= done.bytes;
                unhandledBytes -= done.weight;
            }
            UnstableFrames.Waiting head = queue.peek();
            if (head != null && (first == null || head.number < first.number)) {
                first = head;
            }
        }
        safe = first == null ? handled : first.number - 1;
        safeBytes = first == null ? handledBytes : first.bytesBefore;
        tellIfLighter();
    }

    /** Frames that were passed on over {@code crossing} were passed on again: all of them wait for the last. */
    void passedAnew(ForwardCount forwardCount) {
        for (UnstableFrames queue : queues) {
            if (queue.crossing() == forwardCount) {
                queue.forEach(frame -> frame.passed = forwardCount.passed());
            }
        }
    }

    /**
     * The messages in transfer to another core that a process sent which has ended. They would be lost if this core
     * ended too, unless the present process keeps them.
     */
    Set<TransferId> keptByNobody() {
        Set<TransferId> messages = new LinkedHashSet<>();
        for (UnstableFrames queue : queues) {
            queue.forEach(frame -> {
                if (frame.ofAnother && !frame.weighsOnly) {
                    messages.add(new TransferId(frame.context, frame.destination, frame.sequence));
                }
            });
        }
        return messages;
    }

    boolean waitsFor(ForwardCount forwardCount) {
        return queues.stream().anyMatch(queue -> queue.crossing() == forwardCount && !queue.isEmpty());
    }

    /** Number of kept frames handled here so far. */
    long handled() {
        return handled;
    }

    /** Number of kept frames up to which all are stable. */
    long safe() {
        return safe;
    }

    /** Whether all sent frames of the rank are stable. */
    boolean isAllSafe() {
        return waiting == 0;
    }

    /** Whether a report to the rank is due, because it is worth a frame. */
    boolean isDue() {
        return safe - told >= FRAMES_WORTH
                || safeBytes - toldBytes >= BYTES_WORTH
                || dueAt != NOTHING && safe >= dueAt
                || isHeldUp() && isWorthMore();
    }

    /** Whether so much stands behind unstable frames that it matters which of it is stable. */
    private boolean isHeldUp() {
        return handledBytes - safeBytes >= BYTES_WORTH;
    }

    private boolean isWorthMore() {
        return handled - waiting - toldOfAll >= FRAMES_WORTH || handledBytes - waitingBytes - toldOfAllBytes >= BYTES_WORTH;
    }

    /** The rank waits: tells it now, and again when all frames sent so far are stable. */
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

    /** For each home of the job, the number of the first frame for it that is not stable. */
    private long[] firstUnsafe() {
        int homes = rank.job().homes().size();
        if (homes > Wire.ACK_HOMES_MAX) {
            return NO_HOMES;
        }
        long[] first = new long[homes];
        Arrays.fill(first, handled + 1);
        for (UnstableFrames queue : queues) {
            if (!queue.isEmpty()) {
                first[queue.home()] = Math.min(first[queue.home()], queue.peek().number);
            }
        }
        return first;
    }
}
