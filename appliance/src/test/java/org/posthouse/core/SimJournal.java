package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * A journal that remembers what it was told, and fails when it is told in the wrong order. What is read back is what was
 * appended, found by place; reading what nobody wants to have now is an error.
 */
final class SimJournal implements Journal {
    /** A record with payload: from where on in its message, and the bytes. */
    private record Written(Message message, long offset, ByteBuffer payload) {}

    /** Places differ from positions, so that one taken for the other shows. */
    private static final long PLACE_BYTES = 1_000;

    private final CoreWorld world;
    private final Frames frames;
    private final ParcelLedger ledger;
    private final Map<Long, Written> records = new HashMap<>();
    private final Map<Integer, Long> polls = new HashMap<>();
    private final Map<Integer, Long> deliveries = new HashMap<>();
    private final Set<Message> arrived = new HashSet<>();
    private final Set<Message> delivered = new HashSet<>();
    private long position;
    private int piecesReadBack;

    SimJournal(CoreWorld world, Frames frames, ParcelLedger ledger) {
        this.world = world;
        this.frames = frames;
        this.ledger = ledger;
    }

    @Override
    public void arrival(long job, Message message, Parcel head) {
        SimLetter letter = world.letter(message.context(), message.source(), message.destination(), message.sequence());
        check(arrived.add(message) && letter.bytesLogged < 0, "arrived twice: " + message);
        check(message.receive() == null, "matched before its arrival was logged: " + message);
        letter.bytesLogged = head.payloadBytes();
        message.logged(position, write(message, 0, head));
    }

    @Override
    public void arrivalDelivered(
            long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        arrival(job, message, head);
        delivery(job, message.destination(), incarnation, delivery, message);
    }

    private long write(Message message, long offset, Parcel parcel) {
        long place = ++position * PLACE_BYTES;
        records.put(place, new Written(message, offset, ((TestParcel) parcel).payload()));
        return place;
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        SimLetter letter = world.letter(message.context(), message.source(), message.destination(), message.sequence());
        check(letter.bytesLogged == offset, "chunk at " + offset + " logged after " + letter.bytesLogged + " bytes of " + letter);
        letter.bytesLogged += chunk.payloadBytes();
        return write(message, offset, chunk);
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        check(arrived.contains(message), "delivered before its arrival was logged: " + message);
        check(delivered.add(message), "delivered twice: " + message);
        check(deliveries.merge(rank, 1L, Long::sum) == delivery, "delivery " + delivery + " of rank " + rank);
        check(incarnation == 1, "incarnation " + incarnation);
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        check(failedPolls > polls(rank), "logged " + failedPolls + " failed polls after " + polls(rank));
        polls.put(rank, failedPolls);
    }

    @Override
    public void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {}

    @Override
    public void incarnation(long job, int rank, int incarnation) {}

    @Override
    public void withdrawn(long job, Message offer) {}

    @Override
    public void finalized(long job, int rank, int incarnation) {}

    @Override
    public void checkpoint(long job, int rank, Standing at, ImageNote image) {}

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean hasAmpleRoom() {
        return world.hasAmpleRoom();
    }

    @Override
    public Parcel head(long job, Message message, boolean payload) {
        boolean rides = payload && message.form() == FrameType.SEND;
        ByteBuffer frame = frames.message(
                message.form(), message.context(), message.source(), message.destination(), message.tag(), message.sequence(),
                message.bytes());
        if (rides) {
            frame.put(Wire.MESSAGE_HEADER_BYTES, read(message, 0, message.logPlace()), 0, (int) message.bytes());
        } else {
            frame = ByteBuffer.wrap(frame.array(), 0, Wire.MESSAGE_HEADER_BYTES).slice();
            new FrameView().wrap(frame, 0).length(Wire.MESSAGE_HEADER_BYTES);
        }
        return new TestParcel(ledger, frame);
    }

    @Override
    public Parcel piece(long job, Message message, long offset) {
        boolean whole = message.form() == FrameType.SEND;
        ByteBuffer payload = read(message, offset, whole ? message.logPlace() : message.chunkPlace(offset));
        ByteBuffer frame = frames.chunk(
                message.context(), message.source(), message.destination(), message.sequence(), offset, payload.remaining());
        return new TestParcel(ledger, frame.put(Wire.CHUNK_HEADER_BYTES, payload, 0, payload.remaining()));
    }

    private ByteBuffer read(Message message, long offset, long place) {
        Written record = records.get(place);
        check(record != null && record.message == message && record.offset == offset, "read at place " + place + ", byte "
                + offset + " of " + message + ", found " + record);
        check(delivered.contains(message), "read back before it was matched: " + message);
        check(world.isReading(message.destination()), "read back for a rank that does not read: " + message);
        piecesReadBack++;
        return record.payload;
    }

    /** Times that payload was read back. */
    int piecesReadBack() {
        return piecesReadBack;
    }

    long polls(int rank) {
        return polls.getOrDefault(rank, 0L);
    }

    boolean hasArrival(Message message) {
        return arrived.contains(message);
    }

    boolean hasDelivery(Message message) {
        return delivered.contains(message);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("journal: " + what);
        }
    }
}
