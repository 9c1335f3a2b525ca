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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordType;

/**
 * A log in memory: the records of {@link MessageLog} as bytes, with the same book kept over them and scanned the same way when
 * it is opened again, perhaps without its end. It is in files of a few records, each of which begins with a snapshot, and the oldest can be cut: what
 * stood there is read no more. It outlives whoever writes it.
 */
public final class MemoryLog {
    /** Places differ from positions, so that one taken for the other shows. */
    private static final long PLACE = 1_000;

    private static final int FILE_RECORDS = 8;

    /** Added to places in a rank's prologue, which stands in a file of its own and outlives what is cut. */
    private static final long PROLOGUE = 1L << 40;

    private static final ByteBuffer[] NOTHING = {};

    private record Owner(long job, int rank) {}

    private final List<ByteBuffer> records = new ArrayList<>();
    private final RecordCodec codec = new RecordCodec();
    private LogState book = new LogState();
    private InFlightMessages inFlightMessages = new InFlightMessages();

    /** By the position of a file's first record, what the snapshot says that it begins with; the first file has none. */
    private final TreeMap<Long, byte[]> files = new TreeMap<>();

    /** Ranks whose prologues are in files of their own. */
    private final Set<Owner> prologues = new HashSet<>();

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
            case LogRecord.Pressing pressing -> codec.pressing(pressing);
            case LogRecord.Events events -> codec.events(events);
            case LogRecord.JobOpened opened -> codec.jobOpened(opened);
            case LogRecord.Withdrawn withdrawn -> codec.withdrawn(withdrawn);
            case LogRecord.Failed failed -> codec.failed(failed);
            case LogRecord.Agreed agreed -> codec.agreed(agreed);
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
        if (position() % FILE_RECORDS == 0) {
            files.put(position() + 1, bytes(book));
        }
        records.add(record.flip());
        apply(book, record, position());
        return position();
    }

    private static void apply(LogState book, ByteBuffer record, long position) {
        RecordType type = RecordDecoder.type(record, 0);
        boolean isRead = type == RecordType.JOB_OPENED || type == RecordType.FAILED || type == RecordType.AGREED;
        book.apply(record, 0, place(position), isRead ? new ByteBuffer[] {RecordDecoder.payload(record, 0)} : NOTHING);
    }

    public long position() {
        return records.size();
    }

    /** Where a record stands. */
    public static long place(long position) {
        return position * PLACE;
    }

    public LogState book() {
        return book;
    }

    // ---- cutting it

    /** Position of the oldest record that is there. */
    public long first() {
        return files.isEmpty() ? 1 : files.firstKey();
    }

    /** Forgets the files of which no record is at this position or behind it, but never the newest. */
    public void cut(long position) {
        while (files.size() > 1 && files.higherKey(files.firstKey()) <= position) {
            files.pollFirstEntry();
        }
    }

    /** A rank's prologue is put beside the log, unless it is there. @throws AssertionError if the log does not reach back to its beginning */
    public void keepPrologue(long job, int rank) {
        if (prologues.add(new Owner(job, rank)) && book.rank(job, rank).firstPosition() < first()) {
            throw new AssertionError("the prologue of rank " + rank + " is cut at " + first());
        }
    }

    // ---- opening it again

    /**
     * What the next one to open it finds: what stands there up to {@code end}.
     *
     * @throws AssertionError if that is all, and the book says something else than before
     */
    public void reopen(long end) {
        List<String> before = says(book);
        boolean all = end == position();
        records.subList((int) end, records.size()).clear();
        files.tailMap(end, false).clear();
        book = snapshot();
        inFlightMessages = new InFlightMessages();
        inFlightMessages.begin(book);
        for (long position = first(); position <= end; position++) {
            ByteBuffer record = records.get((int) position - 1);
            apply(book, record, position);
            inFlightMessages.apply(record, 0, place(position));
        }
        if (all && !before.equals(says(book))) {
            throw new AssertionError("the log says something else when it is read, " + says(book) + ", than when it was written, " + before);
        }
    }

    private LogState snapshot() {
        try {
            return first() == 1 ? new LogState() : LogState.read(new DataInputStream(new ByteArrayInputStream(files.firstEntry().getValue())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a book says of its ranks, in an order that does not depend on how it came to know it. */
    private static List<String> says(LogState book) {
        List<String> all = new ArrayList<>();
        for (JobState job : book.jobs()) {
            job.failures().forEach(frame -> all.add("failure of " + frame.remaining() + " bytes, " + frame.hashCode()));
            for (RankLog rank : job.ranks()) {
                all.add("rank " + rank.rank() + ", incarnation " + rank.incarnation() + ", " + rank.deliveries() + " deliveries, " + rank.events()
                        + " events, " + rank.polls() + " polls, records " + rank.firstPosition() + " to " + rank.lastPosition() + ", finalized "
                        + rank.finalized() + ", done " + rank.done() + ", limited " + rank.limited() + ", prologue " + rank.prologue() + ", images "
                        + rank.checkpoint() + " "
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

    private static byte[] bytes(LogState book) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            book.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** The messages that are under way, as {@link #reopen} found them. */
    public InFlightMessages drafts() {
        return inFlightMessages;
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

    /** What the record at a place says, or has said before it was cut. */
    public LogRecord was(long place) {
        return RecordDecoder.decode(at(place | PROLOGUE), 0);
    }

    private ByteBuffer at(long place) {
        long here = place & ~PROLOGUE;
        if (here % PLACE != 0 || here <= 0 || here > place(position())) {
            throw new AssertionError("nothing stands at place " + here + " of " + position() + " records");
        }
        if (here == place && here < place(first())) {
            throw new AssertionError("what stood at place " + here + " is cut, up to " + first());
        }
        return records.get((int) (here / PLACE) - 1);
    }

    /** The records of a rank from a position on. */
    public RecordCursor ofRank(long job, int rank, long from) {
        return new Cursor(from, 0, record -> record.job() == job && record.rank() == rank);
    }

    /** Those of a rank's prologue, and what follows. */
    public RecordCursor ofPrologue(long job, int rank) {
        if (!prologues.contains(new Owner(job, rank))) {
            throw new AssertionError("rank " + rank + " has an image and no prologue");
        }
        return new Cursor(1, PROLOGUE, record -> record.job() == job && record.rank() == rank);
    }

    /** What a rank has sent, as far as it is there. */
    public RecordCursor ofSource(long job, int source) {
        Set<Long> arrivals = new HashSet<>();
        return new Cursor(first(), 0, null) {
            @Override
            public boolean advance() {
                if (position() + 1 < first()) {
                    throw new LogException(Path.of("memory"), position() + 1, "is cut", "read it again", null);
                }
                return super.advance();
            }

            @Override
            boolean wants(LogRecord record) {
                if (record instanceof Arrival arrival && arrival.job() == job && arrival.source() == source) {
                    return arrivals.add(position());
                }
                return record instanceof Chunk chunk && arrivals.contains(chunk.arrivalPosition());
            }
        };
    }

    private interface Filter {
        boolean wants(LogRecord record);
    }

    private class Cursor implements RecordCursor {
        private final Filter filter;
        private final long where;
        private long position;

        /** @param where 0, or {@link #PROLOGUE} */
        Cursor(long from, long where, Filter filter) {
            this.position = from - 1;
            this.where = where;
            this.filter = filter;
        }

        boolean wants(LogRecord record) {
            return filter.wants(record);
        }

        @Override
        public boolean advance() {
            while (position < MemoryLog.this.position()) {
                position++;
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
            return MemoryLog.place(position) | where;
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
            long arrival = delivery.arrivalPlace() | where;
            StoredMessage message = new StoredMessage(
                    (Arrival) MemoryLog.this.record(arrival), delivery.arrivalPosition(), arrival, MemoryLog.this.payload(arrival).remaining());
            message.delivered(delivery.receipt());
            for (long piece = delivery.lastPiecePlace() | where; piece != arrival;) {
                Chunk chunk = (Chunk) MemoryLog.this.record(piece);
                message.add(piece, MemoryLog.this.payload(piece).remaining());
                piece = chunk.previousPlace() | where;
            }
            message.reverse();
            return message;
        }

        @Override
        public void close() {}
    }
}
