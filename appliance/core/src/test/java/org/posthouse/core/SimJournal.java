package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * A journal that remembers what it was told, and fails when it is told in the wrong order. What is read back is what was
 * appended, found by place; reading what nobody wants to have now is an error. It outlives the core that writes it.
 */
final class SimJournal implements Journal {
    /** Names a message for ever. */
    record Key(int context, int source, int destination, long sequence) {
        static Key of(Message message) {
            return new Key(message.context(), message.source(), message.destination(), message.sequence());
        }
    }

    /** A message as it stands in the journal. */
    static final class Stored {
        final Message.Logged logged;
        final List<Long> places = new ArrayList<>();
        final List<Integer> pieces = new ArrayList<>();
        long arrived;
        boolean delivered;
        boolean withdrawn;

        Stored(Message.Logged logged, int inline) {
            this.logged = logged;
            this.arrived = inline;
        }

        /** The message with its first {@code count} pieces, for {@code made}. */
        Message fill(Message made, int count) {
            for (int i = 0; i < count; i++) {
                made.loggedPiece(pieces.get(i), places.get(i));
            }
            return made;
        }
    }

    /** A record with payload: from where on in its message, and the bytes. */
    private record Written(Key message, long offset, ByteBuffer payload) {}

    /** A delivery, and how many pieces of the message had come by then. */
    record Delivery(Stored message, long number, long ordinal, long arrived, int pieces) {}

    record Piece(Stored message, int index, long offset, int bytes, long place) {}

    record Events(long first, int count) {}

    record Polls(long failed) {}

    /** Places differ from positions, so that one taken for the other shows. */
    private static final long PLACE_BYTES = 1_000;

    private final CoreWorld world;
    private final Frames frames;
    private final Map<Long, Written> records = new HashMap<>();
    private final Map<Integer, Long> polls = new HashMap<>();
    private final Map<Integer, Long> deliveries = new HashMap<>();
    private final Map<Integer, Long> events = new HashMap<>();
    private final Map<Integer, Integer> incarnations = new HashMap<>();
    private final Set<Integer> finalized = new HashSet<>();
    private final Map<Integer, List<Record>> histories = new HashMap<>();
    private final Map<Key, Stored> messages = new LinkedHashMap<>();
    private ParcelLedger ledger;
    private long position;
    private int piecesReadBack;
    private boolean holds;

    SimJournal(CoreWorld world, Frames frames) {
        this.world = world;
        this.frames = frames;
    }

    /** Where what is read back is counted from now on. */
    void countIn(ParcelLedger next) {
        ledger = next;
    }

    @Override
    public void arrival(long job, Message message, Parcel head) {
        SimLetter letter = world.letter(message.context(), message.source(), message.destination(), message.sequence());
        Key key = Key.of(message);
        check(!messages.containsKey(key) && letter.bytesLogged < 0, "arrived twice: " + message);
        check(message.receive() == null, "matched before its arrival was logged: " + message);
        letter.bytesLogged = head.payloadBytes();
        long place = write(key, 0, head);
        message.logged(position, place);
        messages.put(key, new Stored(
                new Message.Logged(
                        message.context(), message.source(), message.destination(), message.tag(), message.sequence(),
                        message.bytes(), message.elements(), message.datatype(), message.form(), message.isStorable(),
                        position, place),
                head.payloadBytes()));
    }

    @Override
    public void arrivalDelivered(
            long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        arrival(job, message, head);
        delivered(message.destination(), incarnation, delivery, message, receive);
    }

    private long write(Key message, long offset, Parcel parcel) {
        long place = ++position * PLACE_BYTES;
        records.put(place, new Written(message, offset, ((TestParcel) parcel).payload()));
        return place;
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        SimLetter letter = world.letter(message.context(), message.source(), message.destination(), message.sequence());
        check(letter.bytesLogged == offset, "chunk at " + offset + " logged after " + letter.bytesLogged + " bytes of " + letter);
        int bytes = chunk.payloadBytes();
        letter.bytesLogged += bytes;
        Stored stored = messages.get(Key.of(message));
        long place = write(Key.of(message), offset, chunk);
        history(message.destination()).add(new Piece(stored, stored.places.size(), offset, bytes, place));
        stored.places.add(place);
        stored.pieces.add(bytes);
        stored.arrived += bytes;
        return place;
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        delivered(rank, incarnation, delivery, message, message.receive());
    }

    private void delivered(int rank, int incarnation, long delivery, Message message, Receive receive) {
        Stored stored = messages.get(Key.of(message));
        check(stored != null, "delivered before its arrival was logged: " + message);
        check(!stored.delivered, "delivered twice: " + message);
        check(!stored.withdrawn, "delivered though it was taken back: " + message);
        stored.delivered = true;
        check(deliveries.merge(rank, 1L, Long::sum) == delivery, "delivery " + delivery + " of rank " + rank);
        check(incarnation == 1, "incarnation " + incarnation);
        position++;
        history(rank).add(new Delivery(stored, delivery, receive.ordinal(), stored.arrived, stored.places.size()));
    }

    List<Record> history(int rank) {
        return histories.computeIfAbsent(rank, unseen -> new ArrayList<>());
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        check(failedPolls > polls(rank), "logged " + failedPolls + " failed polls after " + polls(rank));
        polls.put(rank, failedPolls);
        position++;
        history(rank).add(new Polls(failedPolls));
    }

    @Override
    public void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        check(first == events(rank) + 1, "event " + first + " of rank " + rank + " after " + events(rank));
        events.put(rank, first + count - 1);
        position++;
        history(rank).add(new Events(first, count));
    }

    @Override
    public void incarnation(long job, int rank, int incarnation) {
        check(incarnations.put(rank, incarnation) == null, "a second process of rank " + rank);
    }

    @Override
    public void promoted(long job, int rank, int incarnation, int follower) {
        throw new AssertionError("rank " + rank + " has no followers");
    }

    @Override
    public void withdrawn(long job, Message offer) {
        Stored stored = messages.get(Key.of(offer));
        check(!stored.delivered && !stored.withdrawn, "taken back too late: " + offer);
        stored.withdrawn = true;
        world.withdrawn(world.letter(offer.context(), offer.source(), offer.destination(), offer.sequence()));
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
        finalized.add(rank);
    }

    @Override
    public void done(long job, int rank, int incarnation) {}

    @Override
    public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {}

    @Override
    public void giveUp(long job, String why) {
        throw new AssertionError(why);
    }

    @Override
    public boolean isBroken(long job) {
        return false;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean hasAmpleRoom() {
        return !holds && world.hasAmpleRoom();
    }

    @Override
    public boolean holds() {
        return holds;
    }

    void holds(boolean now) {
        holds = now;
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
        check(record != null && record.message.equals(Key.of(message)) && record.offset == offset, "read at place " + place
                + ", byte " + offset + " of " + message + ", found " + record);
        check(messages.get(Key.of(message)).delivered, "read back before it was matched: " + message);
        check(world.isReading(message.destination()), "read back for a rank that does not read: " + message);
        piecesReadBack++;
        return record.payload;
    }

    /** What a relay that starts on this journal knows of a rank. */
    RecoveredRank recovered(int rank) {
        Map<List<Integer>, RecoveredRank.Channel> channels = new LinkedHashMap<>();
        List<RecoveredRank.Channel> takenBack = new ArrayList<>();
        List<Message> underWay = new ArrayList<>();
        for (Stored stored : messages.values()) {
            Message.Logged logged = stored.logged;
            if (logged.destination() != rank) {
                continue;
            }
            RecoveredRank.Channel place = new RecoveredRank.Channel(logged.context(), logged.source(), logged.sequence());
            channels.put(List.of(logged.context(), logged.source()), place);
            if (stored.withdrawn) {
                takenBack.add(place);
            } else if (!stored.delivered || stored.arrived < logged.bytes()) {
                underWay.add(stored.fill(Message.recovered(logged, stored.delivered), stored.places.size()));
            }
        }
        return new RecoveredRank(
                rank,
                incarnations.getOrDefault(rank, 0),
                0,
                finalized.contains(rank),
                deliveries.getOrDefault(rank, 0L),
                events(rank),
                polls(rank),
                List.copyOf(channels.values()),
                takenBack,
                underWay,
                false,
                List.of());
    }

    /** Times that payload was read back. */
    int piecesReadBack() {
        return piecesReadBack;
    }

    long polls(int rank) {
        return polls.getOrDefault(rank, 0L);
    }

    long events(int rank) {
        return events.getOrDefault(rank, 0L);
    }

    boolean hasArrival(Message message) {
        return messages.containsKey(Key.of(message));
    }

    boolean hasDelivery(Message message) {
        return hasArrival(message) && messages.get(Key.of(message)).delivered;
    }

    boolean isFinalized(int rank) {
        return finalized.contains(rank);
    }

    /** Whether what this frame brings is here, if it was to come here. */
    boolean has(FrameView frame) {
        Stored stored = messages.get(new Key(frame.context(), frame.source(), frame.destination(), frame.sequence()));
        if (stored == null || stored.withdrawn) {
            return stored != null;
        }
        long end = frame.type() == FrameType.CHUNK ? frame.offset() + frame.length() - Wire.CHUNK_HEADER_BYTES : 0;
        return stored.arrived >= end;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("journal: " + what);
        }
    }
}
