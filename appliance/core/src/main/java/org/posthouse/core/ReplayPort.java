package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;

/**
 * The port of a rank in replay: it sends, and gets answers about its sends; its receives come from its history.
 * Confined to the relay core.
 */
final class ReplayPort implements RankPort {
    private final HomedRank rank;
    private final Replay replay;
    private final RankPort port;

    ReplayPort(HomedRank rank, Replay replay) {
        this.rank = rank;
        this.replay = replay;
        this.port = replay.port();
    }

    @Override
    public void welcome(HomedRank rank, Welcome welcome, List<StatePage.Entry> state) {
        throw new IllegalStateException(rank + " is welcomed on its own connection, not on the port of a rank in its replay");
    }

    @Override
    public void deliver(Message message, Parcel head) {
        throw new IllegalStateException(message + " is delivered to " + rank + ", which is replayed");
    }

    @Override
    public void push(Message message, long ordinal, Parcel head) {
        throw new IllegalStateException(message + " is pushed to " + rank + " beside its history");
    }

    @Override
    public void ended(int context, int round, PushWindow.End why, long pushedCost) {
        throw new IllegalStateException("a round of " + rank + ", which is replayed");
    }

    /** The chunk is in the log and will come with the history, unless all of the history was handed out. */
    @Override
    public void chunk(Parcel chunk) {
        if (replay.comesTo(rank.job().journal().position())) {
            chunk.release();
        } else {
            port.chunk(chunk);
        }
    }

    /**
     * A send to a dead rank or in a revoked communicator may have failed in the earlier process. Its CLEAR waits until the process has been sent all of its
     * history, and so the event that says so.
     */
    @Override
    public void clear(int context, int destination, long sequence, long upTo) {
        if (rank.job().failures().isDead(destination) || rank.mailbox().isRevoked(context)) {
            replay.whenHandedOut(() -> port.clear(context, destination, sequence, upTo));
        } else {
            port.clear(context, destination, sequence, upTo);
        }
    }

    @Override
    public void credit(long bytes, int messages) {
        port.credit(bytes, messages);
    }

    @Override
    public void probeAnswer(int request, Message found) {
        throw new IllegalStateException("a probe of " + rank + ", which is replayed");
    }

    @Override
    public void cancelled(int request, boolean gone) {
        throw new IllegalStateException("a receive of " + rank + " is taken back, which is replayed and has posted none");
    }

    @Override
    public void withdrawn(int context, int destination, long sequence, boolean gone) {
        port.withdrawn(context, destination, sequence, gone);
    }

    @Override
    public void failure(ByteBuffer frame) {
        port.failure(frame); // An agreement, which the rank may have asked for in its replay.
    }

    /** Dropped: earlier reports are in the rank's history, and the rank will request the present one again. */
    @Override
    public void mismatch(BlockedReport blockedReport) {}

    @Override
    public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
        port.events(first, count, failedPolls, items, end);
    }

    /** Unexpected: checkpoint notices are sent when the rank is live. */
    @Override
    public void point(CheckpointNotice checkpointNotice) {
        throw new IllegalStateException(checkpointNotice + " for " + rank + ", which is replayed");
    }

    @Override
    public void image(HistoryStep.ImagePiece piece) {
        throw new IllegalStateException("an image for " + rank + " that is not of its history");
    }

    @Override
    public void ack(long safe, long handled, long[] firstUnsafe) {
        port.ack(safe, handled, firstUnsafe);
    }

    @Override
    public void move() {
        throw new IllegalStateException(rank + " is replayed and cannot move");
    }

    @Override
    public void finalized() {
        port.finalized();
    }

    @Override
    public void aborted(CloseNotice closeNotice) {
        port.aborted(closeNotice);
    }

    @Override
    public void close(CloseNotice why) {
        port.close(why);
    }

    /** False: frames that depend on the rank's reading wait until it is live. */
    @Override
    public boolean writable() {
        return false;
    }
}
