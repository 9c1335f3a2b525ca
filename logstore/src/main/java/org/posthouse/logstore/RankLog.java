package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordLayout;
import org.posthouse.logstore.record.RecordType;

/**
 * The state that the log describes for one rank whose mailbox is at this relay. Changed only by {@link LogState}, one
 * record after another; read under the log's lock.
 */
public final class RankLog {
    private final int rank;
    private final ChannelTable received = new ChannelTable();
    private final Tombstones withdrawn = new Tombstones();
    private final HistoryIndex historyIndex = new HistoryIndex();
    private final PartialMessages partialMessages = new PartialMessages();
    private int incarnation;

    /** The number that this process had as a follower; 0 if it never followed. */
    private int followedAs;

    private boolean finalized;
    private boolean done;

    /** Whether it is dead, so that no process of it follows and nobody completes a message to it. Not written with it: its job's failures say so. */
    private boolean dead;
    /** Number of the last event from which on the rank does not promise a replay; 0 if none. */
    private long limit;
    private long deliveries;
    private long events;
    private long polls;
    private long firstPosition;
    private long lastPosition;
    private Checkpoint newest;
    private Checkpoint older;
    private Checkpoint prologue;

    /** Number of the newest images that could not be read when a process was started: 0 to 2. */
    private int unreadable;

    /**
     * The highest value of {@link #pinOfNewest} before a record that may have lowered it. It is not stored in
     * snapshots. The snapshot of the log's first file was made before the files in front of it were cut.
     */
    private long pinBefore;

    RankLog(int rank) {
        this.rank = rank;
    }

    /**
     * Applies the next record of this rank, whose first byte is at {@code at}. Allocates nothing for frequent record
     * types.
     */
    void apply(RecordType type, ByteBuffer b, int at, long place) {
        long position = b.getLong(at + RecordEnvelope.POSITION);
        historyIndex.record(position, place, deliveries, events, polls);
        firstPosition = firstPosition == 0 ? position : firstPosition;
        lastPosition = position;
        switch (type) {
            case ARRIVAL -> arrival(b, at, position, place);
            case PAYLOAD_CHUNK -> partialMessages.piece(b.getLong(at + RecordLayout.CHUNK_ARRIVAL), place, RecordDecoder.payloadBytes(b, at));
            case DELIVERY -> {
                deliveries = b.getLong(at + RecordLayout.DELIVERY_NUMBER);
                partialMessages.delivered(b.getLong(at + RecordLayout.DELIVERY_ARRIVAL));
            }
            case POLLS -> polls = b.getLong(at + RecordLayout.POLLS_CUMULATIVE);
            case EVENTS -> {
                events = b.getLong(at + RecordLayout.EVENTS_FIRST) + b.getInt(at + RecordLayout.EVENTS_COUNT) - 1;
                limit = RecordDecoder.isLimited(b, at) ? events : limit;
            }
            case INCARNATION -> {
                pinBefore = pinReached();
                int start = b.getInt(at + RecordLayout.INCARNATION_START);
                long image = b.getLong(at + RecordLayout.INCARNATION_IMAGE);
                admitted(b.getInt(at + RecordLayout.INCARNATION_NUMBER), start == LogRecord.Incarnation.PROMOTED ? (int) image : 0);
                if (start == LogRecord.Incarnation.CHOSEN) {
                    chosen(image);
                }
            }
            case WITHDRAWN -> {
                withdrawn.add(channel(b, at + RecordLayout.WITHDRAWN_CONTEXT), b.getLong(at + RecordLayout.WITHDRAWN_SEQUENCE));
                partialMessages.withdrawn(b.getLong(at + RecordLayout.WITHDRAWN_ARRIVAL));
            }
            case FINALIZED -> {
                pinBefore = pinReached();
                finalized = true;
                done = RecordDecoder.isDone(b, at);
            }
            case CHECKPOINT_TAKEN -> {
                historyIndex.mark(position, place, deliveries, events, polls);
                pinBefore = pinReached();
                checkpoint(RecordDecoder.checkpoint(b, at));
            }
            case JOB_OPENED, JOB_CLOSED, WRITER_STARTED, SNAPSHOT, DIVERGED, FAILED, AGREED ->
                    throw new IllegalStateException(type + " at position " + position + " names rank " + rank);
        }
    }

    /** A process was admitted. The image that one restarts from may be chosen after the next one was admitted. */
    private void admitted(int number, int follower) {
        if (number > incarnation || follower > 0) {
            followedAs = follower;
        }
        if (number >= incarnation) {
            incarnation = number;
            finalized = false;
            done = false;
        }
    }

    /** Nobody needs its records any more. */
    void died() {
        pinBefore = pinReached();
        dead = true;
    }

    private void arrival(ByteBuffer b, int at, long position, long place) {
        received.put(channel(b, at + RecordLayout.ARRIVAL_CONTEXT), b.getLong(at + RecordLayout.ARRIVAL_SEQUENCE));
        boolean delivered = RecordDecoder.isDelivered(b, at);
        if (delivered) {
            deliveries = b.getLong(at + RecordLayout.ARRIVAL_NUMBER);
        }
        long length = b.getLong(at + RecordLayout.ARRIVAL_LENGTH);
        int payload = RecordDecoder.payloadBytes(b, at);
        if (payload < length) {
            partialMessages.begin(position, place, payload, length, delivered);
        }
    }

    /** The channel of a record. Source follows context directly in every record that has both. */
    private static long channel(ByteBuffer b, int context) {
        return ChannelTable.channel(b.getInt(context), b.getInt(context + Integer.BYTES));
    }

    private void checkpoint(Checkpoint taken) {
        if (taken.ready()) {
            prologue = taken;
        } else {
            older = unreadable == 0 ? newest : unreadable == 1 ? older : null;
            newest = taken;
            unreadable = 0;
            historyIndex.forget(pin());
        }
    }

    /**
     * Notes that a process starts from this image, or from the beginning (0). Newer images could not be read, and must
     * not count as stored.
     */
    private void chosen(long image) {
        if (newest == null || newest.number() == image) {
            unreadable = 0;
        } else {
            unreadable = older != null && older.number() == image ? 1 : 2;
        }
    }

    public int rank() {
        return rank;
    }

    /** Incarnation of the last admitted process; 0 if there is none. */
    public int incarnation() {
        return incarnation;
    }

    /** The number that this process had as a follower; 0 if it never followed. */
    public int followedAs() {
        return followedAs;
    }

    /** Whether that process has finalized. */
    public boolean finalized() {
        return finalized;
    }

    /** Whether that process has also exited normally, so that no other process follows. */
    public boolean done() {
        return done;
    }

    /**
     * Whether a replay is not guaranteed: the rank declared so after the image that it restarts from, as far as is
     * known.
     */
    public boolean limited() {
        Checkpoint from = unreadable == 0 ? newest : unreadable == 1 ? older : null;
        return limit > (from == null ? 0 : from.events());
    }

    /** Number of the last event from which on the rank does not promise a replay; 0 if none. */
    public long limit() {
        return limit;
    }

    /** Number of the rank's last delivery. */
    public long deliveries() {
        return deliveries;
    }

    /** Number of the rank's last event. */
    public long events() {
        return events;
    }

    /** Number of failed polls. */
    public long polls() {
        return polls;
    }

    /** Position of the rank's first record. */
    public long firstPosition() {
        return firstPosition;
    }

    /** Position of the rank's last record. */
    public long lastPosition() {
        return lastPosition;
    }

    /** Visits a channel into this rank's mailbox. */
    @FunctionalInterface
    public interface Channels {
        /** @param sequence number of the last message that arrived */
        void channel(int context, int source, long sequence);
    }

    /** Visits each channel on which a message arrived, in no particular order. */
    public void forEachChannel(Channels each) {
        received.forEach(each);
    }

    /** Visits the withdrawn sequence numbers of this channel in ascending order. */
    public void forEachWithdrawn(int context, int source, LongConsumer each) {
        withdrawn.forEach(ChannelTable.channel(context, source), each);
    }

    /**
     * The milestone to read the rank's history from, given what the caller already knows. It is never too late, and
     * seldom more than 4,096 of the rank's records too early. Empty if the rank has no records, or the log does not
     * reach back that far.
     */
    public Optional<HistoryIndexEntry> milestone(long knownDeliveries, long knownEvents) {
        return Optional.ofNullable(historyIndex.before(knownDeliveries, knownEvents));
    }

    /**
     * The rank's first record, from which it can be replayed from the beginning; empty if nobody needs that any more.
     */
    public Optional<HistoryIndexEntry> beginning() {
        boolean there = historyIndex.count() > 0 && historyIndex.at(0).position() == firstPosition;
        return there ? Optional.of(historyIndex.at(0)) : Optional.empty();
    }

    /** The newest image that the log names. */
    public Optional<Checkpoint> checkpoint() {
        return Optional.ofNullable(newest);
    }

    /** The image before the newest. */
    public Optional<Checkpoint> olderCheckpoint() {
        return Optional.ofNullable(older);
    }

    /** The end of the rank's prologue, if its program has one. */
    public Optional<Checkpoint> prologue() {
        return Optional.ofNullable(prologue);
    }

    /**
     * Position of the oldest record that a start from the image before the newest, or from the beginning, needs. For a
     * rank that is done, the value is that of {@link #pinOfNewest}.
     */
    public long pin() {
        return dead ? Long.MAX_VALUE : done ? partialMessages.oldest() : older == null || unreadable > 1 ? firstPosition : older.pin();
    }

    /**
     * Position of the oldest record that a start from the newest readable image needs. Readability is as of the last
     * attempt to read an image. A rank that is done is not started again. It needs only its incomplete messages, which
     * their senders complete or withdraw. If there are none, it needs no record: {@link Long#MAX_VALUE}.
     */
    public long pinOfNewest() {
        return dead ? Long.MAX_VALUE : done ? partialMessages.oldest() : unreadable > 0 ? pin() : newest == null ? firstPosition : newest.pin();
    }

    /**
     * The highest value of {@link #pinOfNewest} since the beginning of the log, or of what is left of it. The log may
     * have been cut up to there for this rank. The rank needs older records again if an image proves unreadable, or if
     * it was not done after all.
     */
    long pinReached() {
        return Math.max(pinBefore, pinOfNewest());
    }

    PartialMessages trails() {
        return partialMessages;
    }

    HistoryIndex milestones() {
        return historyIndex;
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(incarnation);
        out.writeBoolean(finalized);
        out.writeByte((done ? 8 : 0) | unreadable << 1 | (limit > 0 ? 16 : 0) | (followedAs > 0 ? 32 : 0));
        if (limit > 0) {
            out.writeLong(limit);
        }
        if (followedAs > 0) {
            out.writeInt(followedAs);
        }
        for (long number : new long[] {deliveries, events, polls, firstPosition, lastPosition}) {
            out.writeLong(number);
        }
        for (Checkpoint checkpoint : new Checkpoint[] {newest, older, prologue}) {
            writeCheckpoint(out, checkpoint);
        }
        received.write(out);
        withdrawn.write(out);
        historyIndex.write(out);
        partialMessages.write(out);
    }

    void read(DataInput in) throws IOException {
        incarnation = in.readInt();
        finalized = in.readBoolean();
        int flags = in.readByte();
        // Earlier versions stored only whether the limit lies after the newest image.
        boolean limited = (flags & 1) != 0;
        limit = (flags & 16) != 0 ? in.readLong() : 0;
        followedAs = (flags & 32) != 0 ? in.readInt() : 0;
        unreadable = flags >> 1 & 3;
        done = (flags & 8) != 0;
        deliveries = in.readLong();
        events = in.readLong();
        limit = limited ? events : limit;
        polls = in.readLong();
        firstPosition = in.readLong();
        lastPosition = in.readLong();
        newest = readCheckpoint(in);
        older = readCheckpoint(in);
        prologue = readCheckpoint(in);
        received.read(in);
        withdrawn.read(in);
        historyIndex.read(in);
        partialMessages.read(in);
    }

    private static void writeCheckpoint(DataOutput out, Checkpoint c) throws IOException {
        out.writeBoolean(c != null);
        if (c != null) {
            for (long number : new long[] {c.number(), c.bytes(), c.pin(), c.events(), c.deliveries(), c.polls()}) {
                out.writeLong(number);
            }
            out.writeInt(c.imageCrc());
            out.writeBoolean(c.ready());
            out.writeLong(c.out());
            out.writeLong(c.err());
        }
    }

    private static Checkpoint readCheckpoint(DataInput in) throws IOException {
        return in.readBoolean()
                ? new Checkpoint(in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong(),
                        in.readLong(), in.readInt(), in.readBoolean(), in.readLong(), in.readLong())
                : null;
    }
}
