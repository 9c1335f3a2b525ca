package org.posthouse.core;

import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;

/**
 * Another core that homes ranks of the same jobs, and the way to it: a relay behind a link, or another shard of this
 * relay. One object stands for one core as long as the relay lives, so that it also says where a frame came from.
 * Called by the owner of the core that has it; what is handed in arrives in that order, each once.
 */
public interface Peer {
    /** Whether it is behind a link: what is said takes a while to get there. */
    boolean isFar();

    /**
     * Passes a frame of a rank on. Takes over the parcel.
     *
     * @param kept whether its rank keeps it until that core has handled it: these frames are counted from 1, in the order
     *     of these calls, and {@link RelayCore#handled} is to be told of them. Behind a link those of jobs that survive the host are counted by
     *     themselves, as they may be held back while others leave
     * @return false if there is no way to that core
     */
    boolean forward(Parcel frame, boolean kept);

    /**
     * Says an offer again that the other core has had before (an OFFER with AGAIN, nothing of which is looked at but which
     * message it names): it answers with how far it may be sent, if it may.
     */
    void offerAgain(long job, int context, int source, int destination, long sequence, long bytes);

    /** Tells the home of a message's source that it was matched. */
    void clear(long job, int context, int source, int destination, long sequence, long upTo);

    /** Passes on that a message's source wants its offer back, to the home of its destination. */
    void withdraw(long job, int context, int source, int destination, long sequence);

    /** Answers that, to the home of the message's source. */
    void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone);

    /** Tells of a rank that is blocked (BLOCKED), or of one that is so for ever (MISMATCH). */
    void stall(FrameType type, BlockedReport blockedReport);

    /** Gives credit back to {@code rank}, which is at home there. */
    void credit(long job, int rank, long bytes, int messages);

    /** It has said something of a job of which it has no rank; that was dropped, and nobody else hears of it. */
    default void onStranger(String what) {}

    /** Names it for people, as in "there is no way to ...". */
    @Override
    String toString();
}
