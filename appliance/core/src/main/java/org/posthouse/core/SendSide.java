package org.posthouse.core;

import org.posthouse.wire.StatePage;

/**
 * The send side of a rank: its messages on their way, its credit, its offers, and the frames that are not stable yet.
 * Answers to what it sent go out through its port. The counterpart of {@link ReceiveSide}. Confined to the relay core.
 */
public final class SendSide {
    /** Limit of a rank's unmatched offers: about 400 bytes each at the relays of their destinations, 25 MiB a rank. */
    static final int OFFERS_MAX = 64 * 1024;

    private final HomedRank rank;
    private final SendState sendState = new SendState();
    private final SuppressedSends suppressedSends = new SuppressedSends();
    private final UsedCredit credit = new UsedCredit();

    /** Null unless the job is logged. */
    private final StabilityTracker stabilityTracker;

    private int offers;
    private boolean toldUnreceived;

    SendSide(HomedRank rank) {
        this.rank = rank;
        this.stabilityTracker = rank.job().logged() ? new StabilityTracker(rank) : null;
    }

    SendState state() {
        return sendState;
    }

    SuppressedSends suppressed() {
        return suppressedSends;
    }

    StabilityTracker stability() {
        return stabilityTracker;
    }

    // ---- credit

    public long creditBytesUsed() {
        return credit.bytes();
    }

    public int creditMessagesUsed() {
        return credit.messages();
    }

    UsedCredit credit() {
        return credit;
    }

    /** Whether other cores have so many of its frames to handle that it must not send more; only in a logged job. */
    public boolean isHeavy() {
        return stabilityTracker != null && stabilityTracker.isHeavy();
    }

    /** Calls back, inside the core, when other cores have handled most of them. */
    public void whenLighter(Runnable goOn) {
        stabilityTracker.whenLighter(goOn);
    }

    /** @param forwardCount where it comes from; null if that does not matter */
    void returnCredit(long bytes, int messages, ForwardCount forwardCount) {
        credit.comesBack(bytes, messages, forwardCount);
        RankPort port = rank.port();
        if (port != null) {
            port.credit(bytes, messages);
        }
    }

    /**
     * An offer of the rank was matched, or may continue. A process that has not begun the offer again yet gets the
     * CLEAR when it does.
     */
    void cleared(int context, int destination, long sequence, long upTo) {
        if (rank.followers() != null) {
            rank.followers().cleared(new TransferId(context, destination, sequence));
        }
        boolean noted = suppressedSends.isAwaiting() && suppressedSends.noteCleared(new TransferId(context, destination, sequence), upTo);
        RankPort port = rank.port();
        if (port != null && !noted) {
            port.clear(context, destination, sequence, upTo);
        }
    }

    /**
     * The rank repeats an offer that was withdrawn before and was discarded here. The rank is answered so when it asks.
     */
    void wasTakenBack(TransferId transferId) {
        freeOfferPlace();
        tookBack(transferId);
    }

    /**
     * Records a withdrawn transfer, which is reported to each later process. From time to time checks whether all still
     * fit into that report.
     */
    private void tookBack(TransferId transferId) {
        suppressedSends.tookBack(transferId);
        if (rank.followers() != null) {
            rank.followers().gone(transferId);
        }
        if (suppressedSends.gone().size() % StatePage.ENTRIES_MAX == 0) {
            OpenChannels.tellIfFull(rank);
        }
    }

    /**
     * Answers the rank whether an offer without a place is gone: an earlier process had withdrawn it, and this one has sent it whole, or its receiver was
     * dead when it came.
     */
    void answer(TransferId transferId, boolean gone) {
        if (gone) {
            tookBack(transferId);
        }
        rank.port().withdrawn(transferId.context(), transferId.peer(), transferId.sequence(), gone);
    }

    /** An offer of the rank was withdrawn, or it was too late for that. */
    void withdrawn(int context, int destination, long sequence, boolean gone) {
        TransferId transferId = new TransferId(context, destination, sequence);
        boolean asked = !suppressedSends.takeUnasked(transferId) && rank.port() != null;
        if (gone) {
            freeOfferPlace();
            if (rank.job().logged()) {
                tookBack(transferId);
            }
        }
        if (asked) {
            rank.port().withdrawn(context, destination, sequence, gone);
        }
    }

    /** Takes a place among the rank's unmatched offers; false if none is free. */
    boolean takeOfferPlace() {
        if (offers == OFFERS_MAX) {
            return false;
        }
        offers++;
        return true;
    }

    /** Frees a place: one of its offers was matched or withdrawn. */
    void freeOfferPlace() {
        offers--;
    }

    /** Number of unmatched offers of this rank. */
    int offers() {
        return offers;
    }

    /** Whether a send that no rank will receive must be reported to the launcher; true for the first only. */
    boolean tellsUnreceived() {
        boolean tells = !toldUnreceived;
        toldUnreceived = true;
        return tells;
    }
}
