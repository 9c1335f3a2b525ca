package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.FolderLock;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.PageAdvice;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.RecordType;

final class RollTest {
    @TempDir
    private Path folder;

    private LogConfig smallFiles() {
        return new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
    }

    @Test
    void beginsANewFileOnceTheCurrentOneIsFull() throws Exception {
        try (MessageLog log = LogOpening.open(smallFiles(), book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            Samples.fill(log, 1000, 1000);
            assertThat(log.rolls()).isBetween(13L, 19L).isEqualTo(QueueFiles.list(folder).size() - 1);
        }
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.lastPosition()).isEqualTo(1001 + scan.counts().get(RecordType.SNAPSHOT));
        assertThat(QueueFiles.file(folder, 3)).exists().hasFileName("19700101-03F.cq4");
    }

    @Test
    void rolledFileIsAsLongAsItsContent() throws Exception {
        long roll = 6 << 20;
        long longest = roll + 2 * PageAdvice.PAGE_BYTES_MAX;
        try (MessageLog log = MessageLog.open(new LogConfig(folder, roll, 0))) {
            Samples.fill(log, 300, 64_000);
            SortedMap<Integer, Path> files = QueueFiles.list(folder);
            long newest = Files.size(files.remove(files.lastKey()));
            long full = 0;
            for (Path file : files.values()) {
                assertThat(Files.size(file)).as(file.toString()).isBetween(roll, longest);
                full += Files.size(file);
            }
            assertThat(log.usedBytes()).isEqualTo(full + newest);
            assertThat(log.writtenBytes()).as("of the newest what has records").isBetween(full, full + longest);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        try (MessageLog log = MessageLog.open(new LogConfig(folder, roll, 0))) {
            Samples.fill(log, 200, 64_000);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void reportsProgressWhileReadingLog() throws Exception {
        try (MessageLog log = MessageLog.open(smallFiles())) {
            Samples.fill(log, 200, 1000);
        }
        long bytes = 0;
        for (Path file : QueueFiles.list(folder).values()) {
            bytes += Files.size(file);
        }
        LogReading reading = LogReading.of(folder);
        List<String> told = new ArrayList<>();
        long[] read = {-1};
        MessageLog.scan(folder, entry -> {
            reading.accept(entry);
            assertThat(reading.read()).isGreaterThan(read[0]);
            read[0] = reading.read();
            told.add(reading.toString());
        });
        Path newest = QueueFiles.list(folder).sequencedValues().getLast();
        assertThat(read[0]).isBetween(bytes - Files.size(newest), bytes);
        assertThat(told.getLast()).isEqualTo(String.format(Locale.ROOT, "it reads its log: %,d of %,d bytes", read[0], bytes));
    }

    @Test
    void hasNamesForALogOfAMonth() throws Exception {
        long day = 24 * 3600;
        long smallest = LogConfig.limited(folder, 1L << 30).rollBytes() - (5 << 20);
        assertThat((QueueFiles.LAST + 1L) * smallest / 30 / day).as("bytes a second of a log of 1 GiB").isGreaterThan(1_000_000_000);
        try (MessageLog log = MessageLog.open(smallFiles())) {
            assertThat(log.bytesToLastFile()).isEqualTo((QueueFiles.LAST + 1L) * LogConfig.ROLL_BYTES_MIN);
        }
    }

    @Test
    void filesThatAreNamedByDaysGoOn() throws Exception {
        try (MessageLog log = MessageLog.open(smallFiles())) {
            Samples.fill(log, 300, 1000);
        }
        for (var each : QueueFiles.list(folder).entrySet()) {
            Files.move(each.getValue(), folder.resolve(String.format("197001%02dF.cq4", each.getKey() + 1)));
        }
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        long position = scan.lastPosition();
        try (MessageLog log = MessageLog.open(smallFiles())) {
            Samples.fill(log, 300, 1000);
        }
        assertThat(QueueFiles.list(folder)).allSatisfy((number, file) -> assertThat(file).isEqualTo(QueueFiles.file(folder, number)));
        scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.lastPosition()).isGreaterThan(position + 300);
    }

    /** A log that was opened as the next file was this one, and has an open job. */
    private MessageLog logAt(int file) throws Exception {
        try (MessageLog log = MessageLog.open(smallFiles())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1), ByteBuffer.allocate(1));
        }
        HostCalls hostCalls = Samples.host(Samples.BOOT);
        LogRecovery recovery = new LogRecovery(Samples.scan(folder), file, false);
        MessageLog log = new MessageLog(smallFiles(), hostCalls, FolderLock.take(folder, hostCalls.pid()), recovery, 0);
        log.start(new LogRecord.WriterStarted(Samples.WALL_TIME_MS, hostCalls.pid(), hostCalls.boot(), 0), recovery);
        return log;
    }

    @Test
    void takesNothingBehindItsLastFileButTheEndOfItsJobsAndBeginsAnewThen() throws Exception {
        long position;
        long epoch;
        try (MessageLog log = logAt(QueueFiles.LAST - 1)) {
            assertThat(log.isWorn()).isTrue();
            assertThatThrownBy(() -> Samples.fill(log, 1000, 1000))
                    .isInstanceOf(LogException.class)
                    .hasMessageEndingWith("has used up the names of its files, of which 99991231-23F.cq4 is the last; end its jobs and start the relay"
                            + " again: when none is open the log begins anew");
            position = log.append(new LogRecord.JobClosed(Samples.JOB, 1));
            epoch = log.epoch();
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        try (MessageLog log = MessageLog.open(smallFiles())) {
            assertThat(QueueFiles.list(folder)).containsOnlyKeys(0);
            assertThat(log.position()).isGreaterThan(position);
            assertThat(log.epoch()).isEqualTo(epoch + 1);
            assertThat(log.isWorn()).isFalse();
            Samples.fill(log, 300, 1000);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void oneThatIsWornGoesOnAsLongAsAJobIsOpen() throws Exception {
        logAt(QueueFiles.WORN).close();
        // Chronicle would look for each file between them; the newer one begins with all that is open.
        Files.delete(QueueFiles.list(folder).firstEntry().getValue());
        try (MessageLog log = MessageLog.open(smallFiles())) {
            assertThat(QueueFiles.list(folder).lastKey()).isEqualTo(QueueFiles.WORN);
            assertThat(log.isWorn()).isTrue();
            assertThat(log.book().jobs()).hasSize(1);
        }
    }

    @Test
    void fillsSameFileRegardlessOfDate() throws Exception {
        Samples.closedLog(folder, 3);
        try (MessageLog log = MessageLog.open(Samples.config(folder))) {
            Samples.fill(log, 3, 10);
        }
        assertThat(QueueFiles.list(folder)).containsOnlyKeys(0);
    }

    @Test
    void goesOnInTheNewestFileWhenTheClockWasSetBack() {
        try (MessageLog log = openAt(2_000_000_000_000L)) {
            Samples.fill(log, 500, 1000);
        }
        int newest = Samples.scan(folder).end().lastFile();
        try (MessageLog log = openAt(5)) {
            Samples.fill(log, 500, 1000);
        }
        assertThat(Samples.entries(folder)).filteredOn(e -> e.epoch() == 2)
                .allSatisfy(e -> assertThat(e.file()).isGreaterThanOrEqualTo(QueueFiles.file(folder, newest)));
        LogScan scan = Samples.scan(folder);
        assertThat(scan.lastPosition()).isEqualTo(1002 + scan.counts().get(RecordType.SNAPSHOT));
        assertThat(scan.defect()).isEmpty();
    }

    private MessageLog openAt(long wallTimeMs) {
        HostCalls hostCalls = new HostCalls(() -> Long.MAX_VALUE, () -> wallTimeMs, 1, Samples.BOOT);
        return LogOpening.open(smallFiles(), book -> 0, entry -> {}, hostCalls);
    }

    @Test
    void goesOnBehindAFileThatWasMarkedCompleteByAWriterThatDiedBeforeTheNext() throws Exception {
        try (MessageLog log = LogOpening.open(smallFiles(), book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            Samples.fill(log, 200, 1000);
        }
        int newest = Samples.scan(folder).end().lastFile();
        long lastOfOlder = Samples.entries(folder).stream()
                .filter(e -> e.file().equals(QueueFiles.file(folder, newest - 1))).mapToLong(LogEntry::position).max()
                .orElseThrow();
        Samples.killedBeforeItTold(folder, newest);
        Files.delete(QueueFiles.file(folder, newest));
        try (MessageLog log = LogOpening.open(smallFiles(), book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            assertThat(log.position()).as("snapshot and start record").isEqualTo(lastOfOlder + 2);
        }
        assertThat(Samples.scan(folder).end().lastFile()).isEqualTo(newest);
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** Its writer died when it had given a file of zeros the next name. Chronicle marks the file when it begins the next: a history would end there. */
    @Test
    void historiesGoOnBehindAFileThatWasNotMarkedComplete() throws Exception {
        try (MessageLog log = MessageLog.open(smallFiles())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            Samples.fill(log, 200, 1000);
        }
        int newest = Samples.scan(folder).end().lastFile();
        try (MappedQueueFile file = new MappedQueueFile(QueueFiles.file(folder, newest - 1))) {
            while (file.advance() == MappedQueueFile.At.RECORD) {
                // To the mark.
            }
            Samples.overwrite(file.file(), file.header(), new byte[4]);
        }
        Samples.killedBeforeItTold(folder, newest);
        Files.write(QueueFiles.file(folder, newest), new byte[200_000]);
        try (MessageLog log = LogOpening.open(smallFiles(), book -> 0, entry -> {}, Samples.host(Samples.BOOT));
                LogCursor sent = log.sentCursor(Samples.JOB, 2)) {
            Samples.fill(log, 3, 10);
            while (sent.advance()) {
                // To its end.
            }
            assertThat(sent.position()).isEqualTo(log.position());
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }
}
