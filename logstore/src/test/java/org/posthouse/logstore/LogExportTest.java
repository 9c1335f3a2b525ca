package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.RecordType;

/** A log of two jobs, exported: what comes back, and what is refused. */
final class LogExportTest {
    private static final long OTHER = 5;

    @TempDir
    private Path folder;

    private Path log;
    private Path file;

    @BeforeEach
    void write() {
        log = folder.resolve("log");
        file = folder.resolve("job.phx");
        try (MessageLog to = Samples.open(log)) {
            to.appendJobOpened(new JobOpened(Samples.JOB, 4, 1), ByteBuffer.wrap(Samples.bytes(1, 30)));
            to.appendJobOpened(new JobOpened(OTHER, 4, 1));
            Samples.fill(to, 3, 70);
            to.appendArrival(new Arrival(OTHER, 3, 1, 2, 9, 1, 7, 0, 0, Form.SEND, false, null));
            to.append(new Polls(Samples.JOB, 1, 1, 17));
            to.append(new JobClosed(Samples.JOB, 0));
        }
    }

    private long export(int rank) throws IOException {
        try (LogExport export = LogExport.begin(file, Samples.JOB, rank)) {
            copies(log).forEach(entry -> take(export, entry));
            export.finish();
            return export.records();
        }
    }

    private static void take(LogExport export, LogEntry entry) {
        try {
            export.take(entry);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the log has, with bytes that outlive the scan. */
    private static List<LogEntry> copies(Path log) {
        List<LogEntry> copies = new ArrayList<>();
        MessageLog.scan(log, e -> {
            ByteBuffer bytes = ByteBuffer.allocate(e.bytes().remaining()).put(e.bytes().duplicate()).flip();
            int head = bytes.limit() - e.payload().remaining();
            copies.add(new LogEntry(e.position(), e.epoch(), e.record(), bytes, bytes.slice(head, bytes.limit() - head),
                    e.file(), e.offset()));
        });
        return copies;
    }

    private List<LogEntry> read() {
        List<LogEntry> entries = new ArrayList<>();
        LogExport.read(file, entries::add);
        return entries;
    }

    @Test
    void givesBackAllRecordsOfTheJobAndNoOther() throws IOException {
        assertThat(export(LogRecord.NO_RANK)).isEqualTo(6);
        List<LogEntry> expected =
                copies(log).stream().filter(e -> e.record().job() == Samples.JOB).toList();
        assertThat(read()).extracting(LogEntry::record).containsExactlyElementsOf(
                expected.stream().map(LogEntry::record).toList());
        assertThat(read()).extracting(LogEntry::position).containsExactly(2L, 4L, 5L, 6L, 8L, 9L);
        assertThat(read()).extracting(LogEntry::bytes).containsExactlyElementsOf(
                expected.stream().map(LogEntry::bytes).toList());
        assertThat(read().get(2).payload()).isEqualTo(ByteBuffer.wrap(Samples.bytes(2, 70)));
    }

    @Test
    void ofOneRankHasTheRecordsOfItsJobToo() throws IOException {
        assertThat(export(1)).isEqualTo(3);
        assertThat(read()).extracting(e -> e.record().type())
                .containsExactly(RecordType.JOB_OPENED, RecordType.POLLS, RecordType.JOB_CLOSED);
    }

    @Test
    void thatIsNotFinishedLeavesNoFile() throws IOException {
        try (LogExport export = LogExport.begin(file, Samples.JOB, LogRecord.NO_RANK)) {
            export.take(copies(log).get(1));
        }
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactly(log);
        }
    }

    @Test
    void thatIsDamagedIsRefusedWithItsOffset() throws IOException {
        export(LogRecord.NO_RANK);
        long offset = read().get(2).offset();
        Samples.flip(file, offset + 150);
        assertThatThrownBy(this::read).isInstanceOf(LogException.class)
                .hasMessageContaining("offset " + offset).hasMessageContaining("CRC32C");
    }

    @Test
    void thatHasAFlippedByteAnywhereIsRefused() throws IOException {
        export(LogRecord.NO_RANK);
        for (int at = 0; at < Files.size(file); at++) {
            Samples.flip(file, at);
            assertThatThrownBy(this::read).as("byte %d", at).isInstanceOf(LogException.class);
            Samples.flip(file, at);
        }
        assertThat(read()).hasSize(6);
    }

    @Test
    void thatWasCutShortOrIsSomethingElseIsRefused() throws IOException {
        export(LogRecord.NO_RANK);
        byte[] whole = Files.readAllBytes(file);
        for (int bytes : new int[] {0, 39, 40, 60, whole.length - 1}) {
            Files.write(file, Arrays.copyOf(whole, bytes));
            assertThatThrownBy(this::read).as("%d bytes", bytes).isInstanceOf(LogException.class);
        }
        Files.write(file, Arrays.copyOf(whole, whole.length + 1));
        assertThatThrownBy(this::read).hasMessageContaining("the file ends at");
    }
}
