package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * What the log says of one rank whose mailbox is at this relay. Changed by {@link LogBook} only, one record after the
 * other; read under the log's lock.
 */
public final class RankLog {
    private final int rank;
    private final ChannelTable received = new ChannelTable();
    private final Tombstones withdrawn = new Tombstones();
    private final Milestones milestones = new Milestones();
    private final Trails trails = new Trails();
    private int incarnation;
    private boolean finalized;
    private boolean done;
    /** Number of the last event that was told with the word that from there on a replay is not promised; 0 if none was. */
    private long limit;
    private long deliveries;
    private long events;
    private long polls;
    private long firstPosition;
    private long lastPosition;
    private Checkpoint newest;
    private Checkpoint older;
    private Checkpoint prologue;

    /** How many of the images, the newest first, a process was not started from because they could not be read: 0 to 2. */
    private int unreadable;

    /** The highest that {@link #pinOfNewest} was before a record that may have lowered it. Not in snapshots: that of the log's first file was made before what was in front of it was cut. */
    private long pinBefore;

    RankLog(int rank) {
        this.rank = rank;
    }

    /** Takes the next record of this rank, whose first byte is at {@code at}. Allocates nothing for what is frequent. */
    void apply(RecordType type, ByteBuffer b, int at, long place) {
        long position = b.getLong(at + RecordEnvelope.POSITION);
        milestones.record(position, place, deliveries, events, polls);
        firstPosition = firstPosition == 0 ? position : firstPosition;
        lastPosition = position;
        switch (type) {
            case ARRIVAL -> arrival(b, at, position, place);
            case PAYLOAD_CHUNK -> trails.piece(b.getLong(at + Body.CHUNK_ARRIVAL), place, RecordDecoder.payloadBytes(b, at));
            case DELIVERY -> {
                deliveries = b.getLong(at + Body.DELIVERY_NUMBER);
                trails.delivered(b.getLong(at + Body.DELIVERY_ARRIVAL));
            }
            case POLLS -> polls = b.getLong(at + Body.POLLS_CUMULATIVE);
            case EVENTS -> {
                events = b.getLong(at + Body.EVENTS_FIRST) + b.getInt(at + Body.EVENTS_COUNT) - 1;
                limit = RecordDecoder.isLimited(b, at) ? events : limit;
            }
            case INCARNATION -> {
                pinBefore = pinReached();
                int number = b.getInt(at + Body.INCARNATION_NUMBER);
                if (number >= incarnation) { // What one goes on from may be found out when the next was let in.
                    incarnation = number;
                    finalized = false;
                    done = false;
                }
                if (b.getInt(at + Body.INCARNATION_START) == LogRecord.Incarnation.CHOSEN) {
                    chosen(b.getLong(at + Body.INCARNATION_IMAGE));
                }
            }
            case WITHDRAWN -> {
                withdrawn.add(channel(b, at + Body.WITHDRAWN_CONTEXT), b.getLong(at + Body.WITHDRAWN_SEQUENCE));
                trails.withdrawn(b.getLong(at + Body.WITHDRAWN_ARRIVAL));
            }
            case FINALIZED -> {
                pinBefore = pinReached();
                finalized = true;
                done = RecordDecoder.isDone(b, at);
            }
            case CHECKPOINT_TAKEN -> {
                milestones.mark(position, place, deliveries, events, polls);
                pinBefore = pinReached();
                checkpoint(RecordDecoder.checkpoint(b, at));
            }
            case JOB_OPENED, JOB_CLOSED, WRITER_STARTED, SNAPSHOT ->
                    throw new IllegalStateException(type + " at position " + position + " names rank " + rank);
        }
    }

    private void arrival(ByteBuffer b, int at, long position, long place) {
        received.put(channel(b, at + Body.ARRIVAL_CONTEXT), b.getLong(at + Body.ARRIVAL_SEQUENCE));
        boolean delivered = RecordDecoder.isDelivered(b, at);
        if (delivered) {
            deliveries = b.getLong(at + Body.ARRIVAL_NUMBER);
        }
        long length = b.getLong(at + Body.ARRIVAL_LENGTH);
        int payload = RecordDecoder.payloadBytes(b, at);
        if (payload < length) {
            trails.begin(position, place, payload, length, delivered);
        }
    }

    /** Context and source follow each other in every record that has both. */
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
            milestones.forget(pin());
        }
    }

    /** A process is started from this image, or from nothing: what is newer could not be read, and must not count as kept. */
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

    /** Of the process that was let in last; 0 if none was. */
    public int incarnation() {
        return incarnation;
    }

    /** Whether that process has said goodbye. */
    public boolean finalized() {
        return finalized;
    }

    /** Whether it has ended as it should, too, and no other process follows. */
    public boolean done() {
        return done;
    }

    /** Whether a replay is not promised: the rank has said so behind the image that it is started from, as far as is known. */
    public boolean limited() {
        Checkpoint from = unreadable == 0 ? newest : unreadable == 1 ? older : null;
        return limit > (from == null ? 0 : from.events());
    }

    /** Number of the last event with which it has said that from there on a replay is not promised; 0 if it has not. */
    public long limit() {
        return limit;
    }

    /** Number of its last delivery. */
    public long deliveries() {
        return deliveries;
    }

    /** Number of its last event. */
    public long events() {
        return events;
    }

    /** Polls that have failed. */
    public long polls() {
        return polls;
    }

    /** Position of its first record. */
    public long firstPosition() {
        return firstPosition;
    }

    /** Position of its last record. */
    public long lastPosition() {
        return lastPosition;
    }

    /** Sees a channel into this rank's mailbox. */
    @FunctionalInterface
    public interface Channels {
        /** @param sequence the last that came */
        void channel(int context, int source, long sequence);
    }

    /** Shows each channel on which something came, in no order. */
    public void forEachChannel(Channels each) {
        received.forEach(each);
    }

    /** Shows the sequence numbers of this channel that were taken back, in their order. */
    public void forEachWithdrawn(int context, int source, LongConsumer each) {
        withdrawn.forEach(ChannelTable.channel(context, source), each);
    }

    /**
     * From where its history is to be read if this much of it is known: never too late, seldom more than 4,096 of its
     * records too early. Empty if the rank has no records, or the log does not reach back so far.
     */
    public Optional<Milestone> milestone(long knownDeliveries, long knownEvents) {
        return Optional.ofNullable(milestones.before(knownDeliveries, knownEvents));
    }

    /** Its first record, from which it can be done again from nothing; empty if nobody needs that any more. */
    public Optional<Milestone> beginning() {
        boolean there = milestones.count() > 0 && milestones.at(0).position() == firstPosition;
        return there ? Optional.of(milestones.at(0)) : Optional.empty();
    }

    /** The newest image that the log names. */
    public Optional<Checkpoint> checkpoint() {
        return Optional.ofNullable(newest);
    }

    /** The image before the newest. */
    public Optional<Checkpoint> olderCheckpoint() {
        return Optional.ofNullable(older);
    }

    /** The end of its prologue, if its program has one. */
    public Optional<Checkpoint> prologue() {
        return Optional.ofNullable(prologue);
    }

    /** Position of the oldest record that a start from the image before the newest, or from nothing, needs. Of a rank that is done as {@link #pinOfNewest}. */
    public long pin() {
        return done ? trails.oldest() : older == null || unreadable > 1 ? firstPosition : older.pin();
    }

    /**
     * Position of the oldest record that a start from the newest image needs that could be read when one was last looked for. A rank that is done is not started
     * again: it needs what is not all there, whose sender goes on or takes it back; or, if there is nothing, no record: {@link Long#MAX_VALUE}.
     */
    public long pinOfNewest() {
        return done ? trails.oldest() : unreadable > 0 ? pin() : newest == null ? firstPosition : newest.pin();
    }

    /**
     * The highest that {@link #pinOfNewest} has been since the log's beginning, or that of what is left of it, was read: so far the log may have been cut for this
     * rank. It needs more again when an image turns out to be unreadable, or it was not done.
     */
    long pinReached() {
        return Math.max(pinBefore, pinOfNewest());
    }

    Trails trails() {
        return trails;
    }

    Milestones milestones() {
        return milestones;
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(incarnation);
        out.writeBoolean(finalized);
        out.writeByte((done ? 8 : 0) | unreadable << 1 | (limit > 0 ? 16 : 0));
        if (limit > 0) {
            out.writeLong(limit);
        }
        for (long number : new long[] {deliveries, events, polls, firstPosition, lastPosition}) {
            out.writeLong(number);
        }
        for (Checkpoint checkpoint : new Checkpoint[] {newest, older, prologue}) {
            writeCheckpoint(out, checkpoint);
        }
        received.write(out);
        withdrawn.write(out);
        milestones.write(out);
        trails.write(out);
    }

    void read(DataInput in) throws IOException {
        incarnation = in.readInt();
        finalized = in.readBoolean();
        int flags = in.readByte();
        boolean limited = (flags & 1) != 0; // So earlier versions said of what is behind the newest image.
        limit = (flags & 16) != 0 ? in.readLong() : 0;
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
        milestones.read(in);
        trails.read(in);
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
