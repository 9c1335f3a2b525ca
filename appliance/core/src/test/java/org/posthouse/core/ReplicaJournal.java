package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** The log of a {@link ReplicaModel}: records of messages of one byte, read back as histories. */
final class ReplicaJournal implements Journal {
    /** One record; {@code value} is the payload, the number of failed polls, or an incarnation. */
    record Entry(String kind, int rank, long number, long ordinal, Message.Logged message, long value) {
        @Override
        public String toString() {
            String about = message == null ? "" : " #" + message.sequence() + " from " + message.source();
            return kind + " " + rank + " " + number + "/" + ordinal + about + " = " + value;
        }
    }

    private final Frames frames;
    private final ParcelLedger ledger;
    private boolean logsPromotions = true;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Long, Byte> payloads = new HashMap<>();

    ReplicaJournal(Frames frames, ParcelLedger ledger) {
        this.frames = frames;
        this.ledger = ledger;
    }

    private long add(Entry entry) {
        entries.add(entry);
        return entries.size();
    }

    List<Entry> entries() {
        return entries;
    }

    /** It logs no promotion. */
    void forgetPromotions() {
        logsPromotions = false;
    }

    /** Number of records of this kind about a rank, up to a position. */
    long count(String kind, int rank, long upTo) {
        return entries.subList(0, (int) upTo).stream().filter(entry -> entry.kind.equals(kind) && entry.rank == rank).count();
    }

    /** The payload of a message that arrived, or null. */
    Byte payload(int source, int destination, long sequence) {
        return entries.stream()
                .filter(entry -> entry.kind.equals("arrival") && entry.rank == destination && entry.message.source() == source
                        && entry.message.sequence() == sequence)
                .map(entry -> (byte) entry.value)
                .findFirst()
                .orElse(null);
    }

    /** The steps of a rank's history in the records {@code (from, upTo]}, and the end. */
    List<HistoryStep> history(int rank, long from, long upTo) {
        List<HistoryStep> steps = new ArrayList<>();
        long end = Math.min(upTo, position());
        for (Entry entry : entries.subList((int) from, (int) end)) {
            if (entry.rank == rank) {
                switch (entry.kind) {
                    case "delivery" -> steps.add(new HistoryStep.Delivered(entry.number, entry.ordinal, Message.of(entry.message), 1));
                    case "events" -> steps.add(new HistoryStep.Events(entry.number, 1, ByteBuffer.allocate(Wire.EVENT_BYTES)));
                    case "polls" -> steps.add(new HistoryStep.Polls(entry.value));
                    default -> {}
                }
            }
        }
        steps.add(new HistoryStep.End(end));
        return steps;
    }

    @Override
    public void arrival(long job, Message message, Parcel head) {
        byte payload = ((TestParcel) head).payload().get(0);
        long position = entries.size() + 1L;
        Message.Logged logged = new Message.Logged(
                message.context(), message.source(), message.destination(), message.tag(), message.sequence(), message.bytes(),
                message.elements(), message.datatype(), message.form(), false, position, position);
        add(new Entry("arrival", message.destination(), 0, 0, logged, payload));
        payloads.put(position, payload);
        message.logged(position, position);
    }

    @Override
    public void arrivalDelivered(long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        arrival(job, message, head);
        delivered(message, delivery, receive.ordinal());
    }

    private void delivered(Message message, long delivery, long ordinal) {
        Message.Logged logged = entries.get((int) message.logPosition() - 1).message;
        add(new Entry("delivery", message.destination(), delivery, ordinal, logged, 0));
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        delivered(message, delivery, message.receive().ordinal());
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        add(new Entry("polls", rank, 0, 0, null, failedPolls));
    }

    @Override
    public void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        add(new Entry("events", rank, first, 0, null, count));
    }

    @Override
    public void incarnation(long job, int rank, int incarnation) {
        add(new Entry("incarnation", rank, 0, 0, null, incarnation));
    }

    @Override
    public void promoted(long job, int rank, int incarnation, int follower) {
        if (logsPromotions) {
            add(new Entry("promoted", rank, follower, 0, null, incarnation));
        }
    }

    @Override
    public void failed(long job, int rank, ByteBuffer frame) {
        throw new AssertionError("no rank fails");
    }

    @Override
    public void agreed(long job, ByteBuffer frame) {
        throw new AssertionError("nothing is agreed on");
    }

    @Override
    public void finalized(long job, int rank, int incarnation) {
        add(new Entry("finalized", rank, 0, 0, null, incarnation));
    }

    @Override
    public Parcel head(long job, Message message, boolean payload) {
        ByteBuffer frame = frames.message(
                FrameType.SEND, message.context(), message.source(), message.destination(), message.tag(), message.sequence(), 1);
        return new TestParcel(ledger, frame.put(Wire.MESSAGE_HEADER_BYTES, payloads.get(message.logPlace())));
    }

    @Override
    public long position() {
        return entries.size();
    }

    @Override
    public boolean hasAmpleRoom() {
        return true;
    }

    @Override
    public boolean isBroken(long job) {
        return false;
    }

    @Override
    public void giveUp(long job, String why) {
        throw new AssertionError(why);
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        throw new AssertionError("all messages are short: " + message);
    }

    @Override
    public Parcel piece(long job, Message message, long offset) {
        throw new AssertionError("all messages are short: " + message);
    }

    @Override
    public void withdrawn(long job, Message offer) {
        throw new AssertionError("nobody takes back: " + offer);
    }

    @Override
    public void done(long job, int rank, int incarnation) {
        throw new AssertionError("the launcher is not part of the model");
    }

    @Override
    public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {
        throw new AssertionError("nobody saves: rank " + rank);
    }
}
