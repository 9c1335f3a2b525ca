package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.RecordPosition;

/** Payload that is read back by place: any record in any order beside the writer, and never a wrong or damaged one. */
final class PayloadReaderTest {
    private static final int RANK = 3;

    @TempDir
    private Path folder;

    /** A record that was appended; {@code offset} is -1 for an arrival, else that of a chunk of the arrival. */
    private record Piece(int seed, int bytes, long arrivalPosition, long offset, long position, long place) {
        static Piece arrival(MessageLog log, int seed, int bytes) {
            long position = log.appendArrival(Samples.arrival(seed, 1L << 30), ByteBuffer.wrap(Samples.bytes(seed, bytes)));
            return new Piece(seed, bytes, position, -1, position, log.place());
        }

        static Piece chunk(MessageLog log, int seed, int bytes, Piece of) {
            long offset = 7L * seed;
            long position = log.appendChunk(
                    Samples.JOB, RANK, of.position, offset, ByteBuffer.wrap(Samples.bytes(seed, bytes)));
            return new Piece(seed, bytes, of.position, offset, position, log.place());
        }

        void read(PayloadReader reader, ByteBuffer payload) {
            if (offset < 0) {
                reader.readArrival(Samples.JOB, RANK, arrivalPosition, place, payload);
            } else {
                reader.readChunk(Samples.JOB, RANK, arrivalPosition, offset, place, payload);
            }
        }

        void check(PayloadReader reader) {
            ByteBuffer payload = ByteBuffer.allocateDirect(bytes + 20).position(11).limit(11 + bytes);
            read(reader, payload);
            assertThat(payload.remaining()).isZero();
            assertThat(payload.position(11)).isEqualTo(ByteBuffer.wrap(Samples.bytes(seed, bytes)));
        }
    }

    private static List<Piece> fill(MessageLog log, int count) {
        Random random = new Random(count);
        List<Piece> pieces = new ArrayList<>();
        for (int seed = 1; seed <= count; seed++) {
            Piece of = seed % 3 == 0 ? pieces.get(random.nextInt(pieces.size())) : null;
            int bytes = seed % 50 == 1 ? MessageLog.MAX_PAYLOAD_BYTES : random.nextInt(1, 70_000);
            boolean chunk = of != null && of.offset < 0;
            pieces.add(chunk ? Piece.chunk(log, seed, bytes, of) : Piece.arrival(log, seed, seed % 7 == 0 ? 0 : bytes));
        }
        return pieces;
    }

    @Test
    void readsInAnyOrderAcrossFilesWhileTheLogGrows() {
        LogConfig config = new LogConfig(folder, 1 << 20, 0);
        List<Piece> pieces = new ArrayList<>();
        try (MessageLog log = MessageLog.open(config); PayloadReader reader = log.reader()) {
            for (int round = 0; round < 4; round++) {
                pieces.addAll(fill(log, 150));
                Collections.shuffle(pieces, new Random(round));
                pieces.forEach(piece -> piece.check(reader));
            }
            assertThat(log.rolls()).isGreaterThan(9);
        }
        MessageLog.scan(folder, entry -> pieces.stream()
                .filter(piece -> piece.position == entry.position())
                .forEach(piece -> assertThat(piece.place)
                        .isEqualTo(RecordPosition.of(QueueFiles.number(entry.file()), entry.offset()))));
    }

    @Test
    void readsPayloadsOfPreviousWriter() {
        List<Piece> pieces;
        try (MessageLog log = Samples.open(folder)) {
            pieces = fill(log, 30);
        }
        try (MessageLog log = Samples.open(folder); PayloadReader reader = log.reader()) {
            pieces.forEach(piece -> piece.check(reader));
        }
    }

    @Test
    void readsInAnotherThreadBesideTheAppends() throws Exception {
        BlockingQueue<Piece> appended = new LinkedBlockingQueue<>();
        try (MessageLog log = MessageLog.open(new LogConfig(folder, 1 << 20, 0)); PayloadReader reader = log.reader()) {
            FutureTask<Void> reading = new FutureTask<>(() -> {
                for (int i = 0; i < 2_000; i++) {
                    appended.take().check(reader);
                }
                return null;
            });
            Thread.ofPlatform().start(reading);
            for (int seed = 1; seed <= 2_000; seed++) {
                appended.add(Piece.arrival(log, seed, 1 + seed * 17 % 20_000));
            }
            reading.get();
        }
    }

    @Test
    void readsThoughItsThreadIsInterrupted() {
        try (MessageLog log = Samples.open(folder); PayloadReader reader = log.reader()) {
            for (Piece piece : fill(log, 20)) {
                Thread.currentThread().interrupt();
                ByteBuffer payload = ByteBuffer.allocateDirect(piece.bytes);
                piece.read(reader, payload);
                assertThat(Thread.interrupted()).isTrue();
                assertThat(payload.flip()).isEqualTo(ByteBuffer.wrap(Samples.bytes(piece.seed, piece.bytes)));
            }
        }
    }

    @Test
    void takesNoHeapForARecord() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer payload = ByteBuffer.allocateDirect(10_000);
        try (MessageLog log = Samples.open(folder); PayloadReader reader = log.reader()) {
            Piece piece = Piece.arrival(log, 1, payload.capacity());
            for (int i = 0; i < 1_000; i++) {
                piece.read(reader, payload.clear());
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                piece.read(reader, payload.clear());
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).as("bytes for 1,000 records").isLessThan(1_000);
        }
    }

    @ParameterizedTest(name = "at byte {0} of the record")
    @ValueSource(ints = {0, 4, 6, 7, 8, 12, 16, 24, 32, 40, 44, 48, 111, 112, 200, 311})
    void namesFileAndPositionOfAFlippedByte(int at) {
        try (MessageLog log = Samples.open(folder); PayloadReader reader = log.reader()) {
            Piece before = Piece.arrival(log, 1, 200);
            Piece damaged = Piece.arrival(log, 2, 200);
            Piece behind = Piece.chunk(log, 3, 200, damaged);
            Samples.flip(Samples.onlyFile(folder), RecordPosition.offset(damaged.place) + at);
            assertIsRefused(damaged, reader, "is damaged: the record at offset " + RecordPosition.offset(damaged.place));
            before.check(reader);
            behind.check(reader);
            Samples.flip(Samples.onlyFile(folder), RecordPosition.offset(behind.place) + 100);
            assertIsRefused(behind, reader, "has a payload of CRC32C");
        }
    }

    private void assertIsRefused(Piece piece, PayloadReader reader, String what) {
        assertThatThrownBy(() -> piece.read(reader, ByteBuffer.allocateDirect(piece.bytes)))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("log " + QueueFiles.file(folder, RecordPosition.file(piece.place)))
                .hasMessageContaining("position " + piece.arrivalPosition)
                .hasMessageContaining(what);
    }

    @Test
    void refusesEveryRecordButTheOneAskedFor() {
        try (MessageLog log = Samples.open(folder); PayloadReader reader = log.reader()) {
            Piece first = Piece.arrival(log, 1, 200);
            Piece second = Piece.arrival(log, 2, 200);
            Piece chunk = Piece.chunk(log, 3, 200, second);
            ByteBuffer payload = ByteBuffer.allocateDirect(200);
            List<Runnable> wrong = List.of(
                    () -> reader.readArrival(Samples.JOB, RANK, first.position, second.place, payload),
                    () -> reader.readArrival(Samples.JOB, RANK + 1, first.position, first.place, payload),
                    () -> reader.readArrival(Samples.JOB + 1, RANK, first.position, first.place, payload),
                    () -> reader.readArrival(Samples.JOB, RANK, chunk.position, chunk.place, payload),
                    () -> reader.readArrival(Samples.JOB, RANK, first.position, first.place + 4, payload),
                    () -> reader.readArrival(Samples.JOB, RANK, first.position, first.place, payload.limit(199)),
                    () -> reader.readChunk(Samples.JOB, RANK, first.position, chunk.offset, chunk.place, payload),
                    () -> reader.readChunk(Samples.JOB, RANK, second.position, chunk.offset + 1, chunk.place, payload),
                    () -> reader.readChunk(Samples.JOB, RANK, second.position, 0, second.place, payload));
            for (Runnable read : wrong) {
                payload.clear();
                assertThatThrownBy(read::run).isInstanceOf(LogException.class).hasMessageContaining("is damaged");
            }
            first.check(reader);
        }
    }

    @Test
    void namesTheFileThatIsCutOrGone() throws Exception {
        try (MessageLog log = Samples.open(folder); PayloadReader reader = log.reader()) {
            Piece piece = Piece.arrival(log, 1, 200);
            Piece elsewhere = new Piece(1, 200, piece.position, -1, piece.position, RecordPosition.of(9, 0));
            assertIsRefused(elsewhere, reader, "cannot be read back");
            Path copy = QueueFiles.file(folder, 8);
            try (FileChannel cut = FileChannel.open(copy, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                cut.write(ByteBuffer.allocate(100));
            }
            Piece behindTheEnd = new Piece(1, 200, piece.position, -1, piece.position, RecordPosition.of(8, 90));
            assertIsRefused(behindTheEnd, reader, "the file ends before offset");
        }
    }
}
