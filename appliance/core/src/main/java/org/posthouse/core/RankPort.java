package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;

/** The port to one connected rank. Implemented by the relay's connection; called by the core's owner only. */
public interface RankPort {
    /**
     * The rank is admitted: the first call to its port.
     *
     * @param state what the relay knows of its channels, which the rank needs after the welcome
     */
    void welcome(HomedRank rank, Welcome welcome, List<StatePage.Entry> state);

    /** A message that was matched: its first frame, with the receive's number. Takes over the parcel. */
    void deliver(Message message, Parcel head);

    /**
     * A message that comes unasked: its first frame. Takes over the parcel.
     *
     * @param ordinal of the rank's past: which receive of the message's context had got it, from 1; 0: it is new, short and whole, and
     *     the rank finds out
     */
    void push(Message message, long ordinal, Parcel head);

    /** No new message is pushed any more in this context; all that were have left before. */
    void ended(int context, int round, PushWindow.End why, long pushedCost);

    /** More bytes of a message that is being delivered. Takes over the parcel. */
    void chunk(Parcel chunk);

    /** The rank's own offer was matched; it may send its bytes up to {@code upTo}, exclusive. */
    void clear(int context, int destination, long sequence, long upTo);

    /** Credit given back to the rank. */
    void credit(long bytes, int messages);

    /** Answers a probe; {@code found} is null if there is no such message. */
    void probeAnswer(int request, Message found);

    /** Answers the wish to take a receive back: it is gone, or it was matched before. */
    void cancelled(int request, boolean gone);

    /** Answers the wish to take an offer back: it is gone, or it was matched before. */
    void withdrawn(int context, int destination, long sequence, boolean gone);

    /**
     * A frame about failures: RANK_FAILED, REVOKE or AGREED. It leaves when its record is safe. An answer to a probe that found nothing does not overtake
     * it.
     */
    void failure(ByteBuffer frame);

    /** The rank is blocked in a collective for ever. */
    void mismatch(BlockedReport blockedReport);

    /**
     * A part of the rank's history, which it shall observe again.
     *
     * @param failedPolls all failed polls of the rank so far, the low 32 bits
     * @param items {@code count} events; null if there are none
     * @param end whether nothing follows
     */
    void events(long first, int count, int failedPolls, ByteBuffer items, boolean end);

    /** A notice about the rank's checkpoints. */
    void point(CheckpointNotice checkpointNotice);

    /** The next bytes of the image from which the rank continues. */
    void image(HistoryStep.ImagePiece piece);

    /**
     * Reports to the rank how many of its kept frames are stable, and how many were handled here.
     *
     * @param safe number of the last frame up to which all are logged at their destinations
     * @param handled number of the last frame that this core has handled
     * @param firstUnsafe for each home of the job, the number of the first unstable frame for a rank there; empty if it
     *     is not reported
     */
    void ack(long safe, long handled, long[] firstUnsafe);

    /** Asks the rank to connect again; it answers when it has stopped writing. */
    void move();

    /** Answers Finalize. */
    void finalized();

    /** The job has ended; the rank's process shall end with the notice's status. */
    void aborted(CloseNotice closeNotice);

    /** Closes the connection, saying why. */
    void close(CloseNotice why);

    /** False while the rank is slow to read: credit that depends on it is held back. */
    boolean writable();
}
