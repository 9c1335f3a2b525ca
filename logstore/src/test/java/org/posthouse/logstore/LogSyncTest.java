package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.SyncedPosition;
import org.posthouse.logstore.file.SyncedPositionFile;

/** What is forced to the disk, in which order, and when it counts as safe. */
@Timeout(120)
final class LogSyncTest {
    @TempDir
    private Path folder;

    private final List<Path> forced = new ArrayList<>();
    private long position = 10;
    private long file = 3;
    private long firstPosition;
    private SyncedPositionFile word;

    @BeforeEach
    void word() {
        word = new SyncedPositionFile(folder, () -> firstPosition);
    }

    private LogSync sync(int first) {
        return new LogSync(folder, () -> position, () -> file, first, word, forced::add);
    }

    private Path file(int number) {
        return QueueFiles.file(folder, number);
    }

    @Test
    void firstSyncForcesAllFilesOfPreviousWriter() {
        LogSync sync = sync(1);
        assertThat(sync.safe()).isZero();
        assertThat(sync.sync()).isEqualTo(10);
        assertThat(forced).containsExactly(file(1), file(2), file(3), folder);
    }

    @Test
    void rolledFileIsForcedBeforeLaterRecordsAreSafe() {
        LogSync sync = sync(3);
        sync.sync();
        forced.clear();
        position = 20;
        sync.sync();
        assertThat(forced).containsExactly(file(3));
        forced.clear();
        position = 30;
        file = 4;
        assertThat(sync.sync()).isEqualTo(30);
        assertThat(forced).containsExactly(file(3), file(4), folder);
        forced.clear();
        assertThat(sync.sync()).isEqualTo(30);
        assertThat(forced).as("nothing new").isEmpty();
    }

    /** It may lag, and must not run ahead. */
    @Test
    void syncedPositionIsWrittenAndForcedAfterSync() throws IOException {
        LogSync sync = sync(3);
        sync.tell();
        assertThat(SyncedPosition.read(folder)).as("nothing is safe yet").isEqualTo(SyncedPosition.UNKNOWN);
        sync.sync();
        assertThat(SyncedPosition.read(folder)).isEqualTo(SyncedPosition.UNKNOWN);
        forced.clear();
        sync.tell();
        assertThat(SyncedPosition.read(folder)).isEqualTo(new SyncedPosition(10));
        assertThat(forced).containsExactly(folder.resolve(SyncedPosition.FILE));
        sync.tell();
        assertThat(forced).as("nothing new").hasSize(1);
        assertThat(sync.isUntold()).isFalse();
    }

    /** The log was cut between the sync and the word of it, and what is left need not be on the disk. */
    @Test
    void discardOfSyncedRecordsResetsSyncedPosition() throws IOException {
        LogSync sync = sync(3);
        sync.sync();
        sync.tell();
        position = 20;
        sync.sync();
        firstPosition = 21;
        assertThat(word.isOfWhatStays()).isFalse();
        sync.tell();
        assertThat(sync.isUntold()).isFalse();
        assertThat(SyncedPosition.read(folder)).isEqualTo(new SyncedPosition(0));
        position = 30;
        sync.sync();
        sync.tell();
        assertThat(SyncedPosition.read(folder)).isEqualTo(new SyncedPosition(30));
        assertThat(word.isOfWhatStays()).isTrue();
    }

    @Test
    void recordsAppendedDuringSyncAreNotYetSafe() {
        LogSync sync = new LogSync(folder, () -> position, () -> file, 3, word, path -> position = 99);
        assertThat(sync.sync()).isEqualTo(10);
        assertThat(sync.safe()).isEqualTo(10);
        assertThat(sync.sync()).isEqualTo(99);
    }

    /** A file that is begun between the two questions is not forced for a position that was asked first. */
    @Test
    void positionThatIsMadeSafeStandsInAFileThatIsForced() {
        LogSync sync = new LogSync(folder, () -> position, () -> {
            long now = file;
            file = 4;
            position = 30;
            return now;
        }, 3, word, forced::add);
        assertThat(sync.sync()).isEqualTo(10);
        assertThat(forced).doesNotContain(file(4));
        assertThat(sync.sync()).isEqualTo(30);
        assertThat(forced).contains(file(4));
    }

    /** A folder of its name stands for a file that cannot be forced. */
    @Test
    void firstSyncOfALogCoversItsOldestFile() throws IOException {
        LogConfig small = new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
        try (MessageLog dead = LogOpening.open(small, book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            Samples.fill(dead, 10, 60_000);
        }
        try (MessageLog log = LogOpening.open(small, book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            Files.delete(file(0));
            Files.createDirectory(file(0));
            assertThatThrownBy(() -> log.sync().sync()).isInstanceOf(LogException.class).hasMessageContaining("cannot be made safe");
        }
    }

    @Test
    void diskThatFailedOnceIsNotBelievedAgain() {
        AtomicBoolean fails = new AtomicBoolean();
        LogSync sync = new LogSync(folder, () -> position, () -> file, 3, word, path -> {
            if (fails.get()) {
                throw new IOException("Input/output error");
            }
        });
        sync.sync();
        position = 11;
        fails.set(true);
        assertThatThrownBy(sync::sync).isInstanceOf(LogException.class)
                .hasMessageContaining("position 11").hasMessageContaining("Input/output error");
        fails.set(false);
        assertThatThrownBy(sync::sync).isInstanceOf(LogException.class);
        assertThat(sync.safe()).isEqualTo(10);
    }

    /** Connections may have taken all that the process may open: no disk has failed. */
    @Test
    void syncRetriesAfterTooManyOpenFiles() throws IOException {
        AtomicBoolean full = new AtomicBoolean(true);
        LogSync sync = new LogSync(folder, () -> position, () -> file, 3, word, path -> {
            if (full.get()) {
                throw new FileSystemException(path.toString(), null, "Too many open files");
            }
        });
        assertThat(sync.sync()).isZero();
        full.set(false);
        assertThat(sync.sync()).isEqualTo(10);
        full.set(true);
        sync.tell();
        assertThat(sync.isUntold()).isTrue();
        full.set(false);
        sync.tell();
        assertThat(SyncedPosition.read(folder)).isEqualTo(new SyncedPosition(10));
        assertThat(sync.isUntold()).isFalse();
    }

    @Test
    void aRealLogIsSafeUpToItsEndOverAllItsFiles() {
        LogConfig small = new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
        try (MessageLog log = LogOpening.open(small, book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            LogSync sync = log.sync();
            Samples.fill(log, 10, 60_000);
            assertThat(log.rolls()).isGreaterThan(2);
            assertThat(sync.sync()).isEqualTo(log.position());
            long before = log.position();
            Samples.fill(log, 1, 60_000);
            assertThat(sync.safe()).isEqualTo(before).isLessThan(log.position());
        }
    }

    /** Who may open no file cannot list the folder either, as here for what somebody has put there. */
    @Test
    void whereItBeginsIsKnownWithoutALookAtTheFolder() throws IOException {
        LogConfig small = new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
        try (MessageLog log = LogOpening.open(small, book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            Path strange = Files.createFile(folder.resolve("strange.cq4"));
            assertThatThrownBy(() -> QueueFiles.list(folder)).isInstanceOf(LogException.class);
            assertThat(log.sync().sync()).isEqualTo(log.position());
            Files.delete(strange);
        }
    }
}
