package org.posthouse.logstore;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.Chunk;
import org.posthouse.logstore.LogRecord.Delivery;

/**
 * A log in memory: the records of {@link MessageLog} as bytes, with the same book kept over them and scanned the same way when
 * it is opened again, perhaps without its end. It has files too, each of which begins with what the book says there, and whole ones
 * can be cut; then nobody may ask for their records any more. It outlives whoever writes it.
 */
public final class MemoryLog {
    /** Places differ from positions, so that one taken for the other shows. */
    private static final long PLACE = 1_000;

    private static final ByteBuffer[] NOTHING = {};

    /** Those too that were cut, for {@link #everRecord}. */
    private final List<ByteBuffer> records = new ArrayList<>();

    /** The book at the beginning of each file, by the position of its first record. */
    private final TreeMap<Long, byte[]> files = new TreeMap<>();

    /** By rank: the positions of its prologue, which was copied out of the log as {@link Prologue} does. */
    private final Map<Integer, List<Long>> prologues = new HashMap<>();

    /** The places of what was copied. */
    private final Set<Long> copies = new HashSet<>();

    private final RecordCodec codec = new RecordCodec();
    private LogBook book = new LogBook();
    private Drafts drafts = new Drafts();
    private long first = 1;

    // ---- writing

    /** Appends a record. @return its position */
    public long append(LogRecord record, ByteBuffer... payload) {
        RankLog of = record.rank() < 0 ? null : book.rank(record.job(), record.rank());
        switch (record) {
            case Arrival arrival -> codec.arrival(arrival);
            case Chunk chunk -> codec.chunk(
                    chunk.job(), chunk.rank(), chunk.arrivalPosition(), chunk.offset(), of.trails().lastPlace(chunk.arrivalPosition()));
            case Delivery delivery -> {
                long last = of.trails().lastPlace(delivery.arrivalPosition());
                codec.delivery(delivery, last == MessageLog.NO_PLACE ? delivery.lastPiecePlace() : last);
            }
            case LogRecord.Polls polls -> codec.polls(polls);
            case LogRecord.Events events -> codec.events(events);
            case LogRecord.JobOpened opened -> codec.jobOpened(opened);
            case LogRecord.Incarnation incarnation -> codec.incarnation(incarnation);
            case LogRecord.Withdrawn withdrawn -> codec.withdrawn(withdrawn);
            case LogRecord.Finalized finalized -> codec.finalized(finalized);
            case LogRecord.CheckpointTaken taken -> codec.checkpoint(taken);
            default -> throw new IllegalArgumentException("no relay appends " + record);
        }
        return publish(payload);
    }

    private long publish(ByteBuffer[] payload) {
        int payloadBytes = 0;
        for (ByteBuffer piece : payload) {
            payloadBytes += piece.remaining();
        }
        codec.seal(position() + 1, 1, 0, payload, payloadBytes);
        ByteBuffer record = ByteBuffer.allocate(codec.head().remaining() + payloadBytes).order(ByteOrder.LITTLE_ENDIAN);
        record.put(codec.head().duplicate());
        for (ByteBuffer piece : payload) {
            record.put(piece.duplicate());
        }
        book.check(record, 0);
        records.add(record.flip());
        apply(book, record, position());
        return position();
    }

    private static void apply(LogBook book, ByteBuffer record, long position) {
        boolean opens = RecordDecoder.type(record, 0) == RecordType.JOB_OPENED;
        book.apply(record, 0, place(position), opens ? new ByteBuffer[] {RecordDecoder.payload(record, 0)} : NOTHING);
    }

    public long position() {
        return records.size();
    }

    /** Where a record stands. */
    public static long place(long position) {
        return position * PLACE;
    }

    public LogBook book() {
        return book;
    }

    // ---- files

    /** What comes next begins a file. */
    public void roll() {
        files.put(position() + 1, bytes(book));
    }

    /** Position of the oldest record that is there. */
    public long firstPosition() {
        return first;
    }

    /** The files go of which nothing is needed from {@code needed} on. @return how many records went */
    public long cut(long needed) {
        Long last = files.floorKey(needed);
        if (last == null || last <= first) {
            return 0;
        }
        long gone = last - first;
        files.headMap(last).clear();
        first = last;
        return gone;
    }

    /** Copies a rank's prologue, so that the log is not needed for it; the first time only. */
    public void keepPrologue(long job, int rank) {
        if (prologues.containsKey(rank)) {
            return;
        }
        List<Long> prologue = new ArrayList<>();
        RecordCursor history = ofRank(job, rank, book.rank(job, rank).beginning().orElseThrow().position());
        boolean ends = false;
        while (!ends && history.advance()) {
            prologue.add(history.position());
            copies.add(history.place());
            ends = history.record() instanceof LogRecord.CheckpointTaken taken && taken.checkpoint().ready();
        }
        if (!ends) {
            throw new AssertionError("the prologue of rank " + rank + " has no end in the log");
        }
        prologues.put(rank, prologue);
    }

    // ---- opening it again

    /**
     * What the next one to open it finds: what stands there up to {@code end}.
     *
     * @throws AssertionError if that is all, and the book says something else than before
     */
    public void reopen(long end) {
        if (end < first - 1) {
            throw new AssertionError("the log ends at " + end + ", and was cut up to " + first);
        }
        List<String> before = says(book);
        boolean all = end == position();
        records.subList((int) end, records.size()).clear();
        files.tailMap(end + 1, false).clear();
        drafts = new Drafts();
        book = begin();
        drafts.begin(book);
        for (long position = first; position <= end; position++) {
            ByteBuffer record = at(place(position));
            apply(book, record, position);
            drafts.apply(record, 0, place(position));
        }
        if (all && !before.equals(says(book))) {
            throw new AssertionError("the log says something else when it is read, " + says(book) + ", than when it was written, " + before);
        }
    }

    /** What the first file that is there begins with. */
    private LogBook begin() {
        if (first == 1) {
            return new LogBook();
        }
        try {
            return LogBook.read(new DataInputStream(new ByteArrayInputStream(files.get(first))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a book says of its ranks, in an order that does not depend on how it came to know it. */
    private static List<String> says(LogBook book) {
        List<String> all = new ArrayList<>();
        for (JobState job : book.jobs()) {
            for (RankLog rank : job.ranks()) {
                all.add("rank " + rank.rank() + ", incarnation " + rank.incarnation() + ", " + rank.deliveries() + " deliveries, " + rank.events()
                        + " events, " + rank.polls() + " polls, records " + rank.firstPosition() + " to " + rank.lastPosition() + ", finalized "
                        + rank.finalized() + ", limited " + rank.limited() + ", prologue " + rank.prologue() + ", images " + rank.checkpoint() + " "
                        + rank.olderCheckpoint() + ", needs " + rank.pin() + " or " + rank.pinOfNewest());
                Set<String> channels = new TreeSet<>();
                rank.forEachChannel((context, source, sequence) -> {
                    List<Long> withdrawn = new ArrayList<>();
                    rank.forEachWithdrawn(context, source, withdrawn::add);
                    channels.add("channel " + context + " from " + source + " up to " + sequence + " without " + withdrawn);
                });
                all.addAll(channels);
                for (int i = 0; i < rank.milestones().count(); i++) {
                    all.add(rank.milestones().at(i).toString());
                }
                for (long position = rank.firstPosition(); position <= rank.lastPosition(); position++) {
                    if (rank.trails().arrived(position) >= 0) {
                        all.add("message " + position + ", piece " + rank.trails().lastPlace(position) + ", " + rank.trails().arrived(position)
                                + " bytes, without " + rank.trails().missing(position));
                    }
                }
            }
        }
        return all;
    }

    private static byte[] bytes(LogBook book) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            book.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** The messages that are under way, as {@link #reopen} found them. */
    public Drafts drafts() {
        return drafts;
    }

    // ---- reading

    /** The payload of the record at a place. */
    public ByteBuffer payload(long place) {
        return RecordDecoder.payload(at(place), 0);
    }

    /** What the record at a place says. */
    public LogRecord record(long place) {
        return RecordDecoder.decode(at(place), 0);
    }

    private ByteBuffer at(long place) {
        if (place % PLACE != 0 || place <= 0 || place > place(position())) {
            throw new AssertionError("nothing stands at place " + place + " of " + position() + " records");
        }
        if (place < place(first) && !copies.contains(place)) {
            throw new AssertionError("the record at place " + place + " was cut, the log begins at position " + first);
        }
        return records.get((int) (place / PLACE) - 1);
    }

    /** For those who check what came of it: what was appended at a position, cut or not. */
    public LogRecord everRecord(long position) {
        return RecordDecoder.decode(records.get((int) position - 1), 0);
    }

    /** The records of a rank from a position on. */
    public RecordCursor ofRank(long job, int rank, long from) {
        return new Cursor(from, record -> record.job() == job && record.rank() == rank);
    }

    /** What a rank has sent. */
    public RecordCursor ofSource(long job, int source) {
        Set<Long> arrivals = new HashSet<>();
        return new Cursor(first, null) {
            @Override
            boolean wants(LogRecord record) {
                if (record instanceof Arrival arrival && arrival.job() == job && arrival.source() == source) {
                    return arrivals.add(position());
                }
                return record instanceof Chunk chunk && arrivals.contains(chunk.arrivalPosition());
            }
        };
    }

    /** What a rank has lived through before it asked whether it is restored, as it was kept. */
    public RecordCursor prologue(int rank) {
        Iterator<Long> kept = prologues.get(rank).iterator();
        return new Cursor(1, null) {
            @Override
            public boolean advance() {
                boolean more = kept.hasNext();
                standAt(more ? kept.next() : position());
                return more;
            }
        };
    }

    private interface Filter {
        boolean wants(LogRecord record);
    }

    private class Cursor implements RecordCursor {
        private final Filter filter;
        private long position;

        Cursor(long from, Filter filter) {
            this.position = from - 1;
            this.filter = filter;
        }

        void standAt(long now) {
            position = now;
        }

        boolean wants(LogRecord record) {
            return filter.wants(record);
        }

        @Override
        public boolean advance() {
            while (position < MemoryLog.this.position()) {
                position++;
                if (position < first) {
                    throw new LogException(Path.of("memory"), "has no record " + position-- + ", it begins at " + first, "none is cut that is needed");
                }
                if (wants(record())) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public long place() {
            return MemoryLog.place(position);
        }

        @Override
        public LogRecord record() {
            return MemoryLog.this.record(place());
        }

        @Override
        public int payloadBytes() {
            return RecordDecoder.payloadBytes(at(place()), 0);
        }

        @Override
        public int payloadCrc() {
            return RecordDecoder.payloadCrc(at(place()), 0);
        }

        @Override
        public ByteBuffer payload() {
            return MemoryLog.this.payload(place());
        }

        @Override
        public StoredMessage message() {
            return switch (record()) {
                case Arrival arrival -> new StoredMessage(arrival, position, place(), payloadBytes());
                case Delivery delivery -> delivered(delivery);
                case LogRecord other -> throw new AssertionError(other + " is about no message");
            };
        }

        private StoredMessage delivered(Delivery delivery) {
            long arrival = delivery.arrivalPlace();
            StoredMessage message = new StoredMessage(
                    (Arrival) MemoryLog.this.record(arrival), delivery.arrivalPosition(), arrival, MemoryLog.this.payload(arrival).remaining());
            message.delivered(delivery.receipt());
            for (long piece = delivery.lastPiecePlace(); piece != arrival; ) {
                Chunk chunk = (Chunk) MemoryLog.this.record(piece);
                message.add(piece, MemoryLog.this.payload(piece).remaining());
                piece = chunk.previousPlace();
            }
            message.reverse();
            return message;
        }

        @Override
        public void close() {}
    }
}
