package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;

/**
 * Another core that homes ranks of the same jobs, and the way to it: a relay behind a link, or another shard of this
 * relay. One object stands for one core as long as the relay lives, so that it also says where a frame came from.
 * Called by the owner of the core that has it; what is handed in arrives in that order, each once.
 */
public interface Peer {
    /** Whether it is behind a link: frames take a while to arrive there. */
    boolean isFar();

    /**
     * Passes a frame of a rank on. Takes over the parcel.
     *
     * @param kept whether its rank keeps it until that core has handled it. These frames are counted from 1, in the
     *     order of these calls, and {@link RelayCore#handled} must be called for them. Behind a link, those of jobs
     *     that survive the host have a count of their own, as they may be held back while others leave
     * @return false if there is no way to that core
     */
    boolean forward(Parcel frame, boolean kept);

    /**
     * Repeats an offer that the other core has had before: an OFFER with AGAIN, of which only the message's identity is
     * read. The other core answers with the offset up to which it may be sent, if it may.
     */
    void offerAgain(long job, int context, int source, int destination, long sequence, long bytes);

    /** Sends a CLEAR to the home of a message's source: the message was matched. */
    void clear(long job, int context, int source, int destination, long sequence, long upTo);

    /** Passes a source's request to withdraw its offer to the home of the destination. */
    void withdraw(long job, int context, int source, int destination, long sequence);

    /** Answers a request to withdraw, to the home of the message's source. */
    void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone);

    /** Reports a rank that is blocked (BLOCKED), or one that is blocked for ever (MISMATCH). */
    void stall(FrameType type, BlockedReport blockedReport);

    /**
     * Passes a frame about failures on, to each core of that relay that has ranks of the job: RANK_FAILED, REVOKE or AGREED; an AGREE only to
     * the core of rank 0.
     *
     * @param behind whether it must not overtake anything that was passed on before it
     */
    void failure(ByteBuffer frame, boolean behind);

    /** Gives credit back to {@code rank}, which is at home there. */
    void credit(long job, int rank, long bytes, int messages);

    /**
     * The peer has sent a frame of a job of which it has no rank. The frame was dropped, and no launcher is notified.
     */
    default void onStranger(String what) {}

    /** Names it for people, as in "there is no way to ...". */
    @Override
    String toString();
}
