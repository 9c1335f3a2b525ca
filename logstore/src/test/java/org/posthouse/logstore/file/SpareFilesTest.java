package org.posthouse.logstore.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.FileTrimmer;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.LogDefect;
import org.posthouse.logstore.LogDefect.Kind;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.LogOpening;
import org.posthouse.logstore.LogScan;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.Samples;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;

/** Files that were cut are begun again, and nothing of their earlier life is ever seen. */
final class SpareFilesTest {
    private static final UUID OTHER_BOOT = new UUID(1, 2);
    private static final int PAYLOAD = 10_000;

    @TempDir
    private Path folder;

    private MessageLog open(UUID boot) {
        return LogOpening.open(new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0), book -> 0, entry -> {}, Samples.host(boot));
    }

    private MessageLog open() {
        return open(Samples.BOOT);
    }

    /** A job with so many rolls in it, which has ended. */
    private static void job(MessageLog log, int rolls) {
        log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
        for (long until = log.rolls() + rolls; log.rolls() < until;) {
            Samples.fill(log, 1, PAYLOAD);
        }
        log.append(new JobClosed(Samples.JOB, 0));
    }

    private static List<Path> cut(MessageLog log) {
        return log.cut(log.position() + 1);
    }

    private Path spareFolder() {
        return folder.resolve("spare.tmp");
    }

    private static Object inode(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    private long bytesOfFiles() throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(f -> f.toString().endsWith(QueueFiles.SUFFIX)).mapToLong(f -> f.toFile().length()).sum();
        }
    }

    @Test
    void aFileThatWasCutIsBegunAgainUnderTheNextName() throws IOException {
        try (MessageLog log = open()) {
            job(log, 2);
            Object first = inode(QueueFiles.file(folder, 0));
            Object second = inode(QueueFiles.file(folder, 1));
            log.discard(cut(log), Long.MAX_VALUE);
            assertThat(Files.readAllBytes(spareFolder().resolve(QueueFiles.file(folder, 0).getFileName()))).containsOnly(0);
            assertThat(log.usedBytes()).isEqualTo(bytesOfFiles());
            job(log, 3);
            assertThat(List.of(inode(QueueFiles.file(folder, 3)), inode(QueueFiles.file(folder, 4)))).containsExactly(second, first);
            assertThat(spareFolder()).isEmptyDirectory();
            assertThat(log.usedBytes()).isEqualTo(bytesOfFiles());
        }
        assertThat(spareFolder()).doesNotExist();
        assertThat(Samples.scan(folder).defect()).isEmpty();
        try (MessageLog log = open()) {
            assertThat(log.firstPosition()).isGreaterThan(1);
        }
    }

    @Test
    void filesAreDeletedWithoutRoomForThemAndOnceTheLogIsSynced() throws IOException {
        try (MessageLog log = open()) {
            job(log, 2);
            long full = FileTrimmer.BYTES_MIN;
            long file = log.usedBytes() - 2 * full;
            log.discard(cut(log), file);
            assertThat(bytesOfFiles()).as("room for the newest only").isEqualTo(log.usedBytes()).isEqualTo(file);
            job(log, 2);
            log.discard(cut(log), Long.MAX_VALUE);
            assertThat(bytesOfFiles()).isEqualTo(file + 2 * full);
            log.discard(List.of(), file + full);
            assertThat(bytesOfFiles()).as("less room than before").isEqualTo(file + full);
            assertThat(log.sync().sync()).isEqualTo(log.position());
            log.discard(List.of(), Long.MAX_VALUE);
            job(log, 1);
            log.discard(cut(log), Long.MAX_VALUE);
            assertThat(bytesOfFiles()).isEqualTo(file);
        }
    }

    @Test
    void undiscardedFilesAreDiscardedAfterReopen() throws IOException {
        try (MessageLog log = open()) {
            job(log, 2);
            log.discardNoMore();
            log.discard(cut(log), Long.MAX_VALUE);
        }
        assertThat(QueueFiles.list(folder)).hasSize(3);
        assertThat(Samples.scan(folder).defect()).isEmpty();
        try (MessageLog log = open()) {
            log.discard(cut(log), Long.MAX_VALUE);
            assertThat(QueueFiles.list(folder)).hasSize(1);
        }
    }

    @Test
    void filesOpenInCursorAreNotZeroed() throws IOException {
        try (MessageLog log = open()) {
            job(log, 2);
            try (LogCursor cursor = log.sentCursor(Samples.JOB, 2)) {
                assertThat(cursor.advance()).isTrue();
                log.discard(cut(log), Long.MAX_VALUE);
                assertThat(cursor.advance()).as("in a file that is gone").isTrue();
                assertThat(cursor.payload()).isEqualTo(ByteBuffer.wrap(Samples.bytes(1, PAYLOAD)));
                assertThat(spareFolder()).isEmptyDirectory();
                cursor.close();
            }
            LogCursor closed = log.sentCursor(Samples.JOB, 2);
            try (LogCursor open = log.sentCursor(Samples.JOB, 2)) {
                closed.close();
                closed.close();
                job(log, 1);
                log.discard(cut(log), Long.MAX_VALUE);
                assertThat(spareFolder()).as("one is open, though another was closed twice").isEmptyDirectory();
            }
            job(log, 1);
            log.discard(cut(log), Long.MAX_VALUE);
            assertThat(spareFolder()).isNotEmptyDirectory();
        }
    }

    @Test
    void aScanGoesOnThoughTheLogIsCutMeanwhile() {
        try (MessageLog log = open()) {
            job(log, 2);
            List<Path> gone = cut(log);
            List<Long> seen = new ArrayList<>();
            LogScan scan = MessageLog.scan(folder, entry -> {
                seen.add(entry.position());
                if (entry.position() == 2) {
                    log.discard(gone, Long.MAX_VALUE);
                }
            });
            assertThat(scan.defect()).isEmpty();
            assertThat(scan.lastPosition()).isEqualTo(log.position());
            assertThat(scan.firstPosition()).isEqualTo(log.firstPosition());
            assertThat(seen).startsWith(1L, 2L).endsWith(log.position()).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void idleSpareFilesExpire() throws IOException {
        AtomicLong now = new AtomicLong(-5);
        SpareFiles spares = new SpareFiles(folder, now::get);
        Path old = Files.write(QueueFiles.file(folder, 0), Samples.bytes(1, 100));
        spares.retire(old, 1000);
        now.addAndGet(SpareFiles.IDLE_NANOS_MAX - 1);
        Path young = Files.write(QueueFiles.file(folder, 1), Samples.bytes(1, 50));
        spares.retire(young, 1000);
        spares.trim(1000);
        assertThat(spares.bytes()).isEqualTo(150);
        now.incrementAndGet();
        spares.trim(1000);
        assertThat(spares.bytes()).isEqualTo(50);
        assertThat(spares.take(old, 51)).as("too small").isZero();
        assertThat(spares.take(old, 50)).isEqualTo(50);
        assertThat(Files.readAllBytes(old)).hasSize(50).containsOnly(0);
        assertThat(spares.take(young, 0)).isZero();
        spares.retire(young, 1000);
        assertThat(spares.bytes()).as("of a file that is not there").isZero();
        spares.retire(old, 49);
        assertThat(List.of(spares.bytes(), Files.exists(old))).as("of one that is too large").containsExactly(0L, false);
    }

    @Test
    void openingRemovesSpareFilesOfPreviousWriter() throws IOException {
        Samples.closedLog(folder, 20);
        Files.write(Files.createDirectory(spareFolder()).resolve("19700101-00F.cq4"), Samples.bytes(1, 100));
        open().close();
        assertThat(spareFolder()).doesNotExist();
    }

    @Test
    void aFlippedByteInAFileThatWasBegunAgainIsFound() {
        long position = writeSecondLife();
        LogEntry entry = Samples.entry(folder, position);
        Samples.flip(entry.file(), entry.offset() + 150);
        LogDefect defect = Samples.scan(folder).defect().orElseThrow();
        assertThat(List.of(defect.kind(), defect.position(), defect.file())).containsExactly(Kind.FLIPPED_BYTE, position, entry.file());
        assertThatThrownBy(this::open).isInstanceOf(LogException.class).hasMessageContaining("damaged");
    }

    /** @return the position of a record in a file that was begun again, with others behind it */
    private long writeSecondLife() {
        try (MessageLog log = open()) {
            job(log, 2);
            log.discard(cut(log), Long.MAX_VALUE);
            job(log, 1);
            Samples.fill(log, 6, PAYLOAD);
            return log.position() - 3;
        }
    }

    /** The host has lost its page cache, and with it the zeros, and what was written behind the first so many bytes. */
    @ParameterizedTest(name = "of the newest file {0} bytes are on the disk")
    @ValueSource(ints = {0, 4096, 40_960, 66_000, 90_112})
    void powerCutTruncatesStaleContentOfReusedFile(int kept) throws IOException {
        byte[] earlier;
        long before;
        Path newest;
        try (MessageLog log = open()) {
            job(log, 2);
            earlier = Files.readAllBytes(QueueFiles.file(folder, 1));
            log.discard(cut(log), Long.MAX_VALUE);
            job(log, 1);
            newest = QueueFiles.file(folder, 3);
            before = Samples.entries(folder).stream().filter(e -> !e.file().equals(newest)).mapToLong(LogEntry::position).max()
                    .orElseThrow();
            Samples.fill(log, 6, PAYLOAD);
        }
        byte[] rest = new byte[earlier.length - kept];
        System.arraycopy(earlier, kept, rest, 0, rest.length);
        Samples.overwrite(newest, kept, rest);
        assertThat(Samples.scan(folder).lastPosition()).isBetween(before, before + 9);
        assertThatThrownBy(this::open).as("within one boot").isInstanceOf(LogException.class).hasMessageContaining("damaged");
        try (MessageLog log = open(OTHER_BOOT)) {
            assertThat(log.position()).isBetween(before + 1, before + 11);
            Samples.fill(log, 20, PAYLOAD);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void aRecordThatWasPassedIsDamageBehindTheLastOneUnlessPowerWasLost() throws IOException {
        Samples.closedLog(folder, 20);
        byte[] old = new byte[4 + 312];
        ByteBuffer.wrap(Files.readAllBytes(Samples.onlyFile(folder))).get((int) Samples.entry(folder, 2).offset() - 4, old);
        Samples.overwrite(Samples.onlyFile(folder), Samples.entry(folder, 21).offset() + 312, old);
        LogDefect defect = Samples.scan(folder).defect().orElseThrow();
        assertThat(List.of(defect.kind(), defect.position(), defect.lost())).containsExactly(Kind.BROKEN_CHAIN, 22L, 0L);
        assertThatThrownBy(this::open).isInstanceOf(LogException.class).hasMessageContaining("damaged");
        try (MessageLog log = open(OTHER_BOOT)) {
            assertThat(log.position()).isEqualTo(22);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** All that is left is one file, and that is as it was before it was begun again. */
    @ParameterizedTest(name = "that had number {0}")
    @ValueSource(ints = {0, 1})
    void aFileOfAnEarlierLifeIsNoLog(int number) throws IOException {
        byte[] earlier;
        try (MessageLog log = open()) {
            job(log, 2);
            earlier = Files.readAllBytes(QueueFiles.file(folder, number));
            cut(log).forEach(file -> assertThat(file.toFile().delete()).isTrue());
            job(log, 1);
            cut(log).forEach(file -> assertThat(file.toFile().delete()).isTrue());
        }
        Files.write(QueueFiles.file(folder, 3), earlier);
        LogScan scan = Samples.scan(folder);
        assertThat(scan.records()).isZero();
        assertThat(scan.defect().orElseThrow().kind()).isEqualTo(Kind.BROKEN_CHAIN);
        assertThatThrownBy(this::open).isInstanceOf(LogException.class).hasMessageContaining("damaged");
        for (long position : new long[] {1, 2}) {
            try (MessageLog log = open(OTHER_BOOT)) {
                assertThat(log.position()).as("begun anew").isEqualTo(position);
            }
        }
    }
}
