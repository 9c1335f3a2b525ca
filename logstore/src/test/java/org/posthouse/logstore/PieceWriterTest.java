package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordType;

/** Large pieces, copied beside Chronicle's mapping, are the same to whoever reads the log. */
final class PieceWriterTest {
    @TempDir
    private Path folder;

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length + 7).position(7).put(bytes).position(7);
    }

    /** 31 MiB: over one of the boundaries at which Chronicle maps anew and makes its file longer, and into a second file. */
    @Test
    void largeRecordsAreWholeOverTheBoundariesOfMappingsAndFiles() {
        try (MessageLog log = MessageLog.open(new LogConfig(folder, 30 << 20, 0))) {
            for (int i = 1; i <= 60; i++) {
                int bytes = PieceWriter.BYTES_MIN + 8_400 * i;
                ByteBuffer front = direct(Samples.bytes(i, bytes));
                ByteBuffer back = direct(Samples.bytes(-i, bytes));
                log.appendArrival(Samples.arrival(i, 2L * bytes), front, back);
                assertThat(front.position()).isEqualTo(7);
            }
        }
        LogScan scan = MessageLog.scan(folder, entry -> {
            if (entry.record() instanceof Arrival arrival) {
                int half = (int) arrival.length() / 2;
                assertThat(entry.payload().slice(0, half)).isEqualTo(ByteBuffer.wrap(Samples.bytes(arrival.sequence(), half)));
                assertThat(entry.payload().slice(half, half)).isEqualTo(ByteBuffer.wrap(Samples.bytes(-arrival.sequence(), half)));
            }
        });
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.counts()).containsEntry(RecordType.ARRIVAL, 60L);
        assertThat(scan.files()).isEqualTo(2);
    }

    @Test
    void anInterruptOfTheWriterIsPutOffUntilThePieceIsWhole() throws IOException {
        byte[] bytes = Samples.bytes(1, PieceWriter.BYTES_MIN);
        Files.write(QueueFiles.file(folder, 0), new byte[5]);
        Files.write(QueueFiles.file(folder, 1), new byte[5]);
        try (PieceWriter pieces = new PieceWriter(folder)) {
            Thread.currentThread().interrupt();
            pieces.write(0, 100, direct(bytes));
            assertThat(Thread.interrupted()).isTrue();
            pieces.write(1, 0, direct(bytes));
            assertThat(Thread.interrupted()).isFalse();
        }
        assertThat(Files.readAllBytes(QueueFiles.file(folder, 0))).endsWith(bytes).hasSize(100 + bytes.length);
        assertThat(Files.readAllBytes(QueueFiles.file(folder, 1))).isEqualTo(bytes);
    }

    @Test
    void aPieceThatCannotBeWrittenIsNotPublished() throws IOException {
        RecordCodec codec = new RecordCodec();
        try (RecordAppender appender = new RecordAppender(folder, 0)) {
            codec.arrival(Samples.arrival(1, 0));
            codec.seal(1, 1, 0, new ByteBuffer[0], 0);
            appender.append(codec.head());
            Files.move(QueueFiles.file(folder, 0), folder.resolve("elsewhere"));
            ByteBuffer large = direct(Samples.bytes(1, PieceWriter.BYTES_MIN));
            assertThatThrownBy(() -> appender.append(codec.head(), large)).isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("16384 bytes cannot be written");
            assertThat(appender.broken()).isFalse();
            Files.move(folder.resolve("elsewhere"), QueueFiles.file(folder, 0));
            assertThat(Samples.scan(folder).records()).isEqualTo(1);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** They are copied before anything else of the record, so they are what a failure finds there. */
    @Test
    void piecesOfARecordThatFailsAreCleared() throws IOException {
        RecordCodec codec = new RecordCodec();
        try (RecordAppender appender = new RecordAppender(folder, 0)) {
            codec.arrival(Samples.arrival(1, 0));
            codec.seal(1, 1, 0, new ByteBuffer[0], 0);
            appender.append(codec.head());
            int end = (int) appender.fileBytes();
            ByteBuffer large = direct(Samples.bytes(1, PieceWriter.BYTES_MIN));
            assertThatThrownBy(() -> appender.append(codec.head(), large, null)).isInstanceOf(NullPointerException.class);
            byte[] there = Files.readAllBytes(QueueFiles.file(folder, 0));
            assertThat(Arrays.copyOfRange(there, end, end + 2 * PieceWriter.BYTES_MIN)).containsOnly(0);
            assertThat(appender.broken()).isFalse();
            appender.append(codec.head(), large);
        }
    }

    @Test
    void smallPiecesAndThoseOnTheHeapAreNotForIt() {
        assertThat(PieceWriter.takes(ByteBuffer.allocateDirect(PieceWriter.BYTES_MIN))).isTrue();
        assertThat(PieceWriter.takes(ByteBuffer.allocateDirect(PieceWriter.BYTES_MIN - 1))).isFalse();
        assertThat(PieceWriter.takes(ByteBuffer.allocate(PieceWriter.BYTES_MIN))).isFalse();
    }
}
