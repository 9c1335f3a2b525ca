package org.posthouse.core;

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
 * as long as that lasts, and what is for others is safe nevertheless (ADR 17).
 */
final class Safety {
    /** So many frames or bytes that are safe are worth an ACK. */
    private static final int FRAMES_WORTH = 256;

    private static final long BYTES_WORTH = 1 << 20;

    /**
     * What a rank may have passed on to other cores that is not handled there, each frame with {@link Wire#MESSAGE_COST_BYTES}: then it is not read on. Twice what it
     * keeps by default. Credit alone does not bound that: what is said again never lacks it, and how far a relay that has ended had cleared an offer its rank alone knows.
     */
    static final long UNHANDLED_BYTES_MAX = 64L << 20;

    private static final long NOTHING = -1;

    private static final long[] NO_HOMES = {};

    private final HomedRank rank;

    /** One for each other core that was sent anything. */
    private final List<KeptFrames> queues = new ArrayList<>();

    /** How many frames wait in the queues, and their bytes. */
    private long waiting;

    private long waitingBytes;

    /** What all of them take, whichever connection they came over. */
    private long unhandledBytes;

    /** Is to be called when half of the most is unhandled; null if nobody waits for that. */
    private Runnable lighter;

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
        for (KeptFrames queue : queues) {
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

    /** The next kept frame, of a message, was handled here, and passed on over {@code crossing}, if that is not null. */
    void took(FrameView frame, Crossing crossing) {
        handled++;
        if (crossing != null && !crossing.hasHandled(crossing.passed())) {
            await(frame, crossing, handled, frame.length());
        }
        count(frame.length());
    }

    /** A frame of a message that the rank does not keep was passed on over {@code crossing}. */
    void passed(FrameView frame, Crossing crossing) {
        await(frame, crossing, handled + 1, 0).weighsOnly = true;
    }

    private KeptFrames.Waiting await(FrameView frame, Crossing crossing, long number, int bytes) {
        KeptFrames.Waiting kept = queue(crossing, frame.destination()).add();
        kept.number = number;
        kept.bytes = bytes;
        kept.bytesBefore = handledBytes;
        kept.weight = frame.length() + Wire.MESSAGE_COST_BYTES;
        kept.weighsOnly = false;
        kept.passed = crossing.passed();
        kept.context = frame.context();
        kept.destination = frame.destination();
        kept.sequence = frame.sequence();
        kept.ofAnother = false;
        waiting++;
        waitingBytes += bytes;
        unhandledBytes += kept.weight;
        crossing.await(rank);
        return kept;
    }

    /** Whether so much is unhandled that the rank is not to be read on. */
    boolean isHeavy() {
        return unhandledBytes > UNHANDLED_BYTES_MAX;
    }

    /** Calls back when that has halved; who asked before is forgotten. */
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

    private KeptFrames queue(Crossing crossing, int destination) {
        for (KeptFrames queue : queues) {
            if (queue.crossing() == crossing) {
                return queue;
            }
        }
        KeptFrames first = new KeptFrames(crossing, rank.job().homeOf()[destination]);
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

    /** Another core has handled more. Nothing becomes safe any more if the log takes nothing more: another core of this relay drops then what it is passed. */
    void settle() {
        KeptFrames.Waiting first = null;
        boolean settles = !rank.job().isUnloggable();
        for (KeptFrames queue : queues) {
            while (settles && queue.isPastHead()) {
                KeptFrames.Waiting done = queue.remove();
                waiting--;
                waitingBytes -= done.bytes;
                unhandledBytes -= done.weight;
            }
            KeptFrames.Waiting head = queue.peek();
            if (head != null && (first == null || head.number < first.number)) {
                first = head;
            }
        }
        safe = first == null ? handled : first.number - 1;
        safeBytes = first == null ? handledBytes : first.bytesBefore;
        tellIfLighter();
    }

    /** Frames that were passed on over {@code crossing} were passed on anew: all of them wait for the last. */
    void passedAnew(Crossing crossing) {
        for (KeptFrames queue : queues) {
            if (queue.crossing() == crossing) {
                queue.forEach(frame -> frame.passed = crossing.passed());
            }
        }
    }

    /**
     * The messages that are on their way to another core, and which a process has sent that has ended: if this core ended too, they
     * would be lost, unless the process that is there keeps them.
     */
    Set<Transfer> keptByNobody() {
        Set<Transfer> messages = new LinkedHashSet<>();
        for (KeptFrames queue : queues) {
            queue.forEach(frame -> {
                if (frame.ofAnother && !frame.weighsOnly) {
                    messages.add(new Transfer(frame.context, frame.destination, frame.sequence));
                }
            });
        }
        return messages;
    }

    boolean waitsFor(Crossing crossing) {
        return queues.stream().anyMatch(queue -> queue.crossing() == crossing && !queue.isEmpty());
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
        for (KeptFrames queue : queues) {
            if (!queue.isEmpty()) {
                first[queue.home()] = Math.min(first[queue.home()], queue.peek().number);
            }
        }
        return first;
    }
}
