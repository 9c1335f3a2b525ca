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
     * The word that an offer's sender may go on, which may have to wait for room for what would come.
     *
     * @param from who hears it
     * @param replays of the source, if it is at home here, when that was decided
     */
    record Word(OfferingSender from, Message message, int replays) {}

    /** The most that any relay gives. What a guest's gives is not known here; one whose log has a limit gives less. */
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

    /** Bytes of its offers that it was told to send, and that are not here. */
    long underWay() {
        return underWay;
    }

    void add(long bytes) {
        underWay += bytes;
        assert underWay >= 0 : rank + " has " + underWay + " bytes under way";
    }

    /** Takes the cost of a guest's message of its credit, or a place among its offers, as its home has done. @throws WireException if it has no more */
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

    /** A guest's message takes none any more. */
    void giveBack(FrameType form, long cost) {
        if (form == FrameType.OFFER) {
            offers--;
        } else {
            credit.comesBack(cost, 1, null);
        }
    }

    /** What waits for room, in the order in which it was decided. */
    ArrayDeque<Word> words() {
        return words;
    }
}
