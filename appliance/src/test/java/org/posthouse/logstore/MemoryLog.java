package org.posthouse.logstore;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.Chunk;
import org.posthouse.logstore.LogRecord.Delivery;

/**
 * A log in memory: the records of {@link MessageLog} as bytes, with the same book kept over them and scanned the same way when
 * it is opened again, perhaps without its end. It outlives whoever writes it.
 */
public final class MemoryLog {
    /** Places differ from positions, so that one taken for the other shows. */
    private static final long PLACE = 1_000;

    private static final ByteBuffer[] NOTHING = {};

    private final List<ByteBuffer> records = new ArrayList<>();
    private final RecordCodec codec = new RecordCodec();
    private LogBook book = new LogBook();
    private Drafts drafts = new Drafts();

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

    // ---- opening it again

    /**
     * What the next one to open it finds: what stands there up to {@code end}.
     *
     * @throws AssertionError if that is all, and the book says something else than before
     */
    public void reopen(long end) {
        byte[] before = bytes(book);
        boolean all = end == position();
        records.subList((int) end, records.size()).clear();
        book = new LogBook();
        drafts = new Drafts();
        for (long position = 1; position <= end; position++) {
            ByteBuffer record = records.get((int) position - 1);
            apply(book, record, position);
            drafts.apply(record, 0, place(position));
        }
        if (all && !Arrays.equals(before, bytes(book))) {
            throw new AssertionError("the log says something else when it is read than when it was written");
        }
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
        return records.get((int) (place / PLACE) - 1);
    }

    /** The records of a rank from a position on. */
    public RecordCursor ofRank(long job, int rank, long from) {
        return new Cursor(from, record -> record.job() == job && record.rank() == rank);
    }

    /** What a rank has sent. */
    public RecordCursor ofSource(long job, int source) {
        Set<Long> arrivals = new HashSet<>();
        return new Cursor(1, null) {
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
        private long position;

        Cursor(long from, Filter filter) {
            this.position = from - 1;
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
