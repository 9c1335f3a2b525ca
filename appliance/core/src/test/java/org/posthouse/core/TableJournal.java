package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.FrameType;

/** A journal of table tests: it has room unless told, and reads back frames of zeros, unless they are damaged. */
class TableJournal implements Journal {
    private final ParcelLedger ledger;
    private final Frames frames;
    private final List<String> trace;
    private final Map<Long, Integer> payloadBytes = new HashMap<>();
    final List<String> events = new ArrayList<>();

    /** The processes that were let in. */
    final List<Integer> incarnations = new ArrayList<>();

    private final Set<Long> broken = new HashSet<>();
    private long position;
    int reads;

    /** The last that were logged. */
    long polls;

    boolean ample = true;
    boolean holds;

    /** Whether it holds senders for each follower. */
    boolean holdsForFollowers;

    /** Whether the beginnings of histories are gone. */
    boolean cut;

    boolean damaged;

    /** No process can be let in any more. */
    boolean full;

    /** @param trace what is logged is written down there too */
    TableJournal(ParcelLedger ledger, Frames frames, List<String> trace) {
        this.trace = trace;
        this.ledger = ledger;
        this.frames = frames;
    }

    /** The place of a record with so much payload that is said to have been logged. */
    long pretend(int bytes) {
        payloadBytes.put(++position, bytes);
        return position;
    }

    @Override
    public void arrival(long job, Message message, Parcel head) {
        payloadBytes.put(++position, head.payloadBytes());
        message.logged(position, position);
        trace.add("log: message #" + message.sequence() + " from " + message.source() + " to " + message.destination());
    }

    @Override
    public void arrivalDelivered(
            long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        arrival(job, message, head);
        delivery(job, message.destination(), incarnation, delivery, message);
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        payloadBytes.put(++position, chunk.payloadBytes());
        return position;
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        trace.add("log: delivery " + delivery + " of rank " + rank + " is #" + message.sequence() + " from " + message.source());
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        polls = failedPolls;
    }

    @Override
    public void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        events.add("rank " + rank + " events " + first + " to " + (first + count - 1) + (limited ? ", limited" : ""));
    }

    @Override
    public void incarnation(long job, int rank, int incarnation) {
        if (full) {
            throw new JournalBroken("incarnation " + incarnation + " of rank " + rank, null);
        }
        incarnations.add(incarnation);
        trace.add("log: rank " + rank + " is incarnation " + incarnation);
    }

    @Override
    public void promoted(long job, int rank, int incarnation, int follower) {
        if (full) {
            throw new JournalBroken("incarnation " + incarnation + " of rank " + rank, null);
        }
        incarnations.add(incarnation);
        trace.add("log: follower " + follower + " of rank " + rank + " leads as incarnation " + incarnation);
    }

    @Override
    public void withdrawn(long job, Message offer) {}

    @Override
    public void failed(long job, int rank, ByteBuffer frame) {
        events.add(FailureText.of(frame) + " is logged");
    }

    @Override
    public void agreed(long job, ByteBuffer frame) {
        events.add(FailureText.of(frame) + " is logged");
    }

    @Override
    public void finalized(long job, int rank, int incarnation) {}

    @Override
    public void done(long job, int rank, int incarnation) {
        events.add("rank " + rank + " is done");
    }

    @Override
    public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {
        events.add("rank " + rank + " at " + at + ", " + image);
        if (image != null) {
            trace.add("log: rank " + rank + " starts from image " + image.number() + ", its earlier history is not needed");
        }
    }

    @Override
    public void giveUp(long job, String why) {
        broken.add(job);
    }

    @Override
    public boolean isBroken(long job) {
        return broken.contains(job);
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean hasAmpleRoom() {
        return ample;
    }

    @Override
    public boolean hasHistory(int rank, long deliveries, long events) {
        return !cut;
    }

    @Override
    public boolean isHeldFor(HomedRank rank, int replay) {
        return holdsForFollowers;
    }

    @Override
    public boolean holds() {
        return holds;
    }

    @Override
    public Parcel head(long job, Message message, boolean payload) {
        boolean rides = payload && message.form() == FrameType.SEND;
        FrameType form = message.form() == FrameType.SEND && !rides ? FrameType.EAGER : message.form();
        return parcel(frames.message(
                form, message.context(), message.source(), message.destination(), message.tag(), message.sequence(),
                rides ? read(message.logPlace()) : message.bytes()));
    }

    @Override
    public Parcel piece(long job, Message message, long offset) {
        int bytes = read(message.form() == FrameType.SEND ? message.logPlace() : message.chunkPlace(offset));
        return parcel(frames.chunk(
                message.context(), message.source(), message.destination(), message.sequence(), offset, bytes));
    }

    private int read(long place) {
        if (damaged) {
            throw new JournalDamaged("the record at place " + place, null);
        }
        reads++;
        return payloadBytes.get(place);
    }

    private Parcel parcel(ByteBuffer frame) {
        return new TestParcel(ledger, frame);
    }
}
