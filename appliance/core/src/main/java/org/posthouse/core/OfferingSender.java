package org.posthouse.core;

import java.util.ArrayDeque;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A rank whose offers were matched at this core: its cleared bytes that have not arrived, and the clears that wait for
 * room. Of a {@linkplain Job#guest guest} also the messages that are here. Confined to the core.
 */
final class OfferingSender {
    /**
     * A CLEAR for an offer's sender. It may have to wait for room for the payload.
     *
     * @param from the sender that it clears
     * @param replays number of the source's replays when it was decided, if the source is at home here
     */
    record Word(OfferingSender from, Message message, int replays) {}

    /**
     * The highest credit that a relay gives. The credit at a guest's relay is not known here; a relay whose log has a
     * limit gives less.
     */
    private static final CoreConfig CREDIT = CoreConfig.DEFAULT;

    private final Job job;
    private final int rank;
    private final ArrayDeque<Word> words = new ArrayDeque<>();
    private long underWay;
    private final UsedCredit credit = new UsedCredit();
    private int offers;

    OfferingSender(Job job, int rank) {
        this.job = job;
        this.rank = rank;
    }

    Job job() {
        return job;
    }

    int rank() {
        return rank;
    }

    /** Bytes of its offers that were cleared and have not arrived. */
    long underWay() {
        return underWay;
    }

    void add(long bytes) {
        underWay += bytes;
        assert underWay >= 0 : rank + " has " + underWay + " bytes under way";
    }

    /**
     * Charges a guest's message to its credit, or to its number of offers, as its home has done.
     *
     * @throws WireException if none is left
     */
    void pay(FrameView view) throws WireException {
        if (view.type() == FrameType.OFFER) {
            if (offers == SendSide.OFFERS_MAX) {
                throw new WireException(CloseReason.LIMIT, "rank " + rank + " has " + offers + " sends here that nobody has received, the most that may wait");
            }
            offers++;
            return;
        }
        long cost = Wire.cost(view.messageBytes());
        if (!credit.has(cost, CREDIT)) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED,
                    view.messageBytes() + " bytes from rank " + rank + ", of which " + credit.bytes() + " of " + CREDIT.creditBytes() + " and "
                            + credit.messages() + " messages of " + CREDIT.creditMessages() + " are here");
        }
        credit.use(cost, null);
    }

    /** Returns the credit, or the offer's place, of a guest's message. */
    void giveBack(FrameType form, long cost) {
        if (form == FrameType.OFFER) {
            offers--;
        } else {
            credit.comesBack(cost, 1, null);
        }
    }

    /** The clears that wait for room, in the order in which they were decided. */
    ArrayDeque<Word> words() {
        return words;
    }
}
