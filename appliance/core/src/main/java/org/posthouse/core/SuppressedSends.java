package org.posthouse.core;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;

/**
 * Tracks the messages that a restarted rank sends a second time, or not at all, and the reports to it about them. These
 * are the messages that its channels have in part, until it has begun them again, and the offers that it withdrew. Kept
 * for logged jobs. Confined to the relay core.
 *
 * <p>Cost: an entry for each offer that the rank ever withdrew, some 100 bytes, 50 MiB at most; the same at the relay
 * of its destination.
 */
final class SuppressedSends {
    /** Limit of offers that a rank may have withdrawn: a reconnecting process cannot be sent a longer list. */
    static final int GONE_MAX = Hello.PAGES_MAX * StatePage.ENTRIES_MAX;

    /** Of an offer that waits for its receive. */
    static final long NOT_CLEARED = -1;

    /** Messages to be begun again, and up to where they may be sent. */
    private final Map<TransferId, Long> awaited = new HashMap<>();

    private final Set<TransferId> gone = new HashSet<>();
    private final Set<TransferId> unasked = new HashSet<>();

    /** Messages that the rank has sent whole, and asks whether a process before had taken them back. */
    private final Set<TransferId> questions = new HashSet<>();

    /** The report to the rank says that its channel has this message in part: the rank will begin it again. */
    void await(TransferId transferId, long clearedUpTo) {
        awaited.put(transferId, clearedUpTo);
    }

    /** Whether there is anything to be begun again. */
    boolean isAwaiting() {
        return !awaited.isEmpty();
    }

    /** An offer was cleared: true if it is noted until the rank has begun it again, as it would not know it now. */
    boolean noteCleared(TransferId transferId, long upTo) {
        return awaited.computeIfPresent(transferId, (offer, before) -> upTo) != null;
    }

    /** The rank begins a message. @return up to where it was cleared meanwhile, or {@link #NOT_CLEARED} */
    long came(TransferId transferId) {
        Long upTo = awaited.isEmpty() ? null : awaited.remove(transferId);
        return upTo == null ? NOT_CLEARED : upTo;
    }

    /** A process that has ended wanted this offer back, and the answer is under way. */
    void isUnasked(TransferId transferId) {
        unasked.add(transferId);
    }

    /** Whether the answer was not asked for by the process that is there; from here on it is. */
    boolean takeUnasked(TransferId transferId) {
        return !unasked.isEmpty() && unasked.remove(transferId);
    }

    /** The rank asks whether a process before had taken this message back, which only its destination knows; false if it has asked. */
    boolean ask(TransferId transferId) {
        return questions.add(transferId);
    }

    /** Whether this is the answer that the rank waits for. */
    boolean takeQuestion(TransferId transferId) {
        return !questions.isEmpty() && questions.remove(transferId);
    }

    Set<TransferId> questions() {
        return questions;
    }

    /** An offer of the rank was taken back. */
    void tookBack(TransferId transferId) {
        gone.add(transferId);
    }

    boolean isGone(TransferId transferId) {
        return !gone.isEmpty() && gone.contains(transferId);
    }

    /** The offers that it withdrew. */
    Set<TransferId> gone() {
        return gone;
    }

    /** A process of the rank has ended; reports and questions begin anew with the next. */
    void forgetAwaited() {
        awaited.clear();
        questions.clear();
    }
}
