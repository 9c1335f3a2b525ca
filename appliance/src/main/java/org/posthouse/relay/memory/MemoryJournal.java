package org.posthouse.relay.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.posthouse.core.CheckpointImage;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Journal;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.Receive;
import org.posthouse.core.RecoveryPoint;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.FrameBuilder;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/**
 * The journal of a job without a log whose ranks are followed, at one core: what waits for a receive, and the histories of ranks with
 * followers, in memory. Confined to the core's owner.
 *
 * <p>A history that has grown to half of its rank's share of the {@link HistoryBudget} loses its beginning: no new follower can begin
 * then. If its followers have not been sent so much, senders of the job are held until they have. A follower for which a whole share
 * is kept is dropped.
 */
final class MemoryJournal implements Journal {
    /** Time for a rank's first followers to come. Its history keeps its beginning for so long, if it fits the share. */
    static final long AWAITED_SECONDS = 30;

    private final FollowedRanks followed;
    private final HistoryBudget budget;
    private final LongSupplier nanoTime;
    private final long awaitedUntil;
    private final Runnable freed;
    private final FrameBuilder frames = new FrameBuilder();
    private final Map<Integer, RankHistory> histories = new HashMap<>();
    private long position;
    private boolean isClosed;

    /** Payload bytes of messages that no receive has got. The memory has the sum of all journals. */
    private long waitingBytes;

    /** Number of histories that hold senders. */
    private int holding;

    /** @param freed is called when senders are held no more */
    MemoryJournal(FollowedRanks followed, HistoryBudget budget, LongSupplier nanoTime, Runnable freed) {
        this.followed = followed;
        this.budget = budget;
        this.nanoTime = nanoTime;
        this.awaitedUntil = nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(AWAITED_SECONDS);
        this.freed = freed;
    }

    /** The job has ended. */
    void close() {
        budget.end(histories.size());
        histories.clear();
        waits(-waitingBytes);
        isClosed = true;
        if (holding > 0) {
            holding = 0;
            freed.run();
        }
    }

    /** Of a rank that is at home here; null if nobody is to follow it, or the job has ended. */
    RankHistory history(int rank) {
        if (followed.of(rank) == 0 || isClosed) {
            return null;
        }
        return histories.computeIfAbsent(rank, any -> {
            budget.begin();
            return new RankHistory(followed.of(rank), awaitedUntil);
        });
    }

    /** Bytes of the rank's history that are here. */
    long bytes(int rank) {
        return histories.containsKey(rank) ? histories.get(rank).bytes() : 0;
    }

    /** Time has passed. */
    void look() {
        histories.values().forEach(this::trim);
    }

    /** Drops what nobody needs any more of a history. */
    void trim(RankHistory history) {
        boolean held = history.isHeld();
        if (history.trim(budget.share() / 2, nanoTime.getAsLong()) != held) {
            holding += held ? -1 : 1;
            if (holding == 0) {
                freed.run();
            }
        }
    }

    private void observed(int rank, HistoryEntry.Content content) {
        RankHistory history = history(rank);
        if (history != null) {
            history.add(position, content);
            trim(history);
        } else {
            HistoryEntry.drop(content);
        }
    }

    // ---- messages

    @Override
    public void arrival(long job, Message message, Parcel head) {
        KeptMessage kept = arrived(message, head, true);
        waits(kept.kept());
    }

    private void waits(long bytes) {
        if (!isClosed) {
            waitingBytes += bytes;
            budget.waits(bytes);
        }
    }

    @Override
    public void arrivalDelivered(long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        delivered(delivery, receive.ordinal(), arrived(message, head, followed.of(message.destination()) > 0), message.destination());
    }

    private KeptMessage arrived(Message message, Parcel head, boolean keeps) {
        position++;
        message.logged(position, position);
        KeptMessage kept = new KeptMessage(message);
        message.journalEntry(kept);
        if (message.form() == FrameType.SEND) {
            kept.add(keeps ? payload(head) : null, head.payloadBytes());
        }
        return kept;
    }

    private void delivered(long number, long ordinal, KeptMessage kept, int rank) {
        kept.deliver();
        observed(rank, new HistoryEntry.Content.Delivered(number, ordinal, kept, kept.chunks(), kept.arrived()));
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        position++;
        KeptMessage kept = (KeptMessage) message.journalEntry();
        int bytes = chunk.payloadBytes();
        boolean isBehind = message.passed() < message.arrived();
        kept.add(followed.of(message.destination()) > 0 || !kept.isDelivered() || isBehind ? payload(chunk) : null, bytes);
        if (kept.isDelivered()) {
            observed(message.destination(), new HistoryEntry.Content.Chunk(kept, offset, bytes));
        } else {
            waits(bytes);
        }
        return position;
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        position++;
        KeptMessage kept = (KeptMessage) message.journalEntry();
        waits(-kept.kept());
        delivered(delivery, message.receive().ordinal(), kept, rank);
    }

    @Override
    public void withdrawn(long job, Message offer) {
        position++;
        waits(-((KeptMessage) offer.journalEntry()).kept());
    }

    private static byte[] payload(Parcel parcel) {
        BufferParcel frame = (BufferParcel) parcel;
        byte[] payload = new byte[frame.payloadBytes()];
        frame.buffer().getBytes(frame.payloadIndex(), payload);
        return payload;
    }

    @Override
    public Parcel head(long job, Message message, boolean payload) {
        byte[] bytes = payload && message.form() == FrameType.SEND ? ((KeptMessage) message.journalEntry()).piece(0) : new byte[0];
        return filled(frames.message(job, message, bytes.length), Wire.MESSAGE_HEADER_BYTES, bytes);
    }

    @Override
    public Parcel piece(long job, Message message, long offset) {
        byte[] bytes = ((KeptMessage) message.journalEntry()).piece(offset);
        return filled(frames.chunk(job, message, offset, bytes.length), Wire.CHUNK_HEADER_BYTES, bytes);
    }

    private static Parcel filled(ByteBuf frame, int headerBytes, byte[] payload) {
        frame.setBytes(headerBytes, payload);
        return new BufferParcel(frame, 0, frame.readableBytes(), headerBytes);
    }

    // ---- what ranks observe

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        position++;
        observed(rank, new HistoryEntry.Content.Plain(new HistoryStep.Polls(failedPolls)));
    }

    @Override
    public void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        position++;
        if (followed.of(rank) > 0) {
            observed(rank, new HistoryEntry.Content.Events(first, count, payload(items)));
        }
    }

    @Override
    public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {
        position++;
        observed(rank, new HistoryEntry.Content.Plain(new HistoryStep.PrologueEnd(0, 0, at.deliveries(), at.events(), at.polls())));
    }

    @Override
    public void incarnation(long job, int rank, int incarnation) {
        position++;
    }

    @Override
    public void promoted(long job, int rank, int incarnation, int follower) {
        position++;
    }

    /** Nothing: ranks that are followed are told of no failures. */
    @Override
    public void failed(long job, int rank, ByteBuffer frame) {}

    @Override
    public void agreed(long job, ByteBuffer frame) {}

    @Override
    public void finalized(long job, int rank, int incarnation) {
        position++;
    }

    @Override
    public void done(long job, int rank, int incarnation) {
        RankHistory history = history(rank);
        if (history != null) {
            history.end();
            trim(history);
        }
    }

    @Override
    public void giveUp(long job, String why) {}

    @Override
    public boolean isBroken(long job) {
        return false;
    }

    @Override
    public long position() {
        return position;
    }

    // ---- its room

    @Override
    public boolean hasAmpleRoom() {
        return budget.hasRoomToWait() && holding == 0;
    }

    @Override
    public boolean holds() {
        return holding > 0;
    }

    @Override
    public boolean hasHistory(int rank, long deliveries, long events) {
        RankHistory history = history(rank);
        return history != null && history.isHere(deliveries, events);
    }

    @Override
    public boolean isHeldFor(HomedRank rank, int replay) {
        RankHistory history = history(rank.rank());
        return history != null && history.isHeld() && history.unsent(replay) > budget.share() / 2;
    }

    @Override
    public String tooFarBehind(HomedRank rank, int replay) {
        RankHistory history = history(rank.rank());
        long unsent = history == null ? 0 : history.unsent(replay);
        long most = budget.share();
        return unsent > most ? "is " + unsent + " bytes of its rank's history in memory behind its leader, at most " + most + " may be" : "";
    }
}
