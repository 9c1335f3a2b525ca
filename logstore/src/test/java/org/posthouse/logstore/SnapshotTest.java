package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.LogDefect.Kind;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.SyncedPosition;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Snapshot;

/** A log without its older files says what it said with them; without the whole of a snapshot it is none. */
final class SnapshotTest {
    private static final int SEEDS = Integer.getInteger("posthouse.seeds", 6);

    @TempDir
    private Path folder;

    private LogConfig smallFiles() {
        return new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
    }

    private LogConfig filesOf4Mib() {
        return new LogConfig(folder, 4 << 20, 0);
    }

    /** A second file that begins with three pieces: jobs whose openings are as large as may be. */
    private void writeWithLargeBook(int records) {
        byte[] opening = Samples.bytes(1, MessageLog.MAX_PAYLOAD_BYTES);
        try (MessageLog log = LogOpening.open(filesOf4Mib(), book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            log.appendJobOpened(new JobOpened(1, 4, 1), ByteBuffer.wrap(opening));
            log.appendJobOpened(new JobOpened(2, 4, 1), ByteBuffer.wrap(opening));
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            Samples.fill(log, records, 200_000);
        }
    }

    private Map<Path, List<LogEntry>> snapshots() {
        Map<Path, List<LogEntry>> snapshots = new TreeMap<>();
        for (LogEntry entry : Samples.entries(folder)) {
            if (entry.record() instanceof Snapshot) {
                snapshots.computeIfAbsent(entry.file(), f -> new ArrayList<>()).add(entry);
            }
        }
        return snapshots;
    }

    @Test
    void saysTheSameWithoutItsOlderFiles() throws Exception {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Traffic traffic = new Traffic(seed);
            try (MessageLog log = LogOpening.open(smallFiles(), book -> 7, entry -> {}, Samples.host(Samples.BOOT))) {
                traffic.write(log, 1_500);
                traffic.checkpointAll(log);
            }
            LogScan whole = Samples.scan(folder);
            int oldest = QueueFiles.list(folder).firstKey();
            assertThat(whole.files()).isGreaterThan(3);
            for (int file = oldest; file < whole.end().lastFile(); file++) {
                Files.delete(QueueFiles.file(folder, file));
                LogScan rest = Samples.scan(folder);
                assertThat(rest.defect()).as("seed " + seed).isEmpty();
                assertThat(Traffic.text(rest.book())).as("seed " + seed).isEqualTo(Traffic.text(whole.book()));
                assertThat(List.of(rest.lastPosition(), rest.epoch())).containsExactly(whole.lastPosition(), whole.epoch());
                assertThat(rest.firstPosition()).isGreaterThan(1);
                checkUnderWay(seed, rest, traffic);
            }
            try (MessageLog log = LogOpening.open(smallFiles(), book -> book.relayEpoch(), entry -> {}, Samples.host(Samples.BOOT))) {
                assertThat(List.of(log.epoch(), log.relayEpoch())).containsExactly(whole.epoch() + 1, 7L);
                traffic.write(log, 300);
                assertThat(Traffic.text(Samples.scan(folder).book())).as("seed " + seed).isEqualTo(Traffic.text(log.book()));
            }
            for (Path file : QueueFiles.list(folder).values()) {
                Files.delete(file);
            }
            Files.delete(folder.resolve(LogHighWater.FILE));
        }
    }

    /** Of the messages under way those are known that came behind the snapshot. */
    private static void checkUnderWay(int seed, LogScan scan, Traffic traffic) {
        traffic.jobs().forEach((job, ranks) -> {
            for (int rank = 0; rank < Traffic.RANKS; rank++) {
                assertThat(Traffic.texts(scan.end().drafts().take(job, rank))).as("seed " + seed).isEqualTo(Traffic.texts(
                        ranks.get(rank).underWay.stream().filter(m -> m.position() >= scan.firstPosition()).toList()));
            }
        });
    }

    @Test
    void takesSeveralPiecesAndLargerFilesForThem() {
        writeWithLargeBook(100);
        assertThat(snapshots()).as("20 MB, in a file of at least 8 times 3 MiB").hasSize(1);
        List<LogEntry> pieces = snapshots().get(QueueFiles.file(folder, 1));
        assertThat(pieces).extracting(LogEntry::record).containsExactly(
                new Snapshot(0, 3), new Snapshot(1, 3), new Snapshot(2, 3));
        assertThat(Samples.entries(folder)).filteredOn(LogEntry::file, QueueFiles.file(folder, 1)).extracting(LogEntry::position)
                .startsWith(pieces.stream().map(LogEntry::position).toArray(Long[]::new));
    }

    /** A writer was killed between two pieces: the file is begun again, so that it can be the log's first one day. */
    @ParameterizedTest(name = "{0} pieces left")
    @ValueSource(ints = {1, 2})
    void beginsAFileAgainWhoseSnapshotWasNotFinished(int left) throws Exception {
        writeWithLargeBook(40);
        Map.Entry<Path, List<LogEntry>> newest = snapshots().entrySet().stream().toList().getLast();
        int number = Samples.scan(folder).end().lastFile();
        Samples.killedBeforeItTold(folder, number);
        TailTruncation.cut(folder, number, left);
        new SyncedPosition(Samples.scan(folder).lastPosition()).write(folder, Disk::force);
        assertThat(Samples.scan(folder).defect()).as("the older files say it all").isEmpty();
        long firstOfNewest = newest.getValue().getFirst().position();
        try (MessageLog log = LogOpening.open(filesOf4Mib(), book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            assertThat(log.position()).as("three pieces, and the writer's start").isEqualTo(firstOfNewest + 3);
            Samples.fill(log, 1, 10);
            assertThat(log.book().jobs()).hasSize(3);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        for (Path older : QueueFiles.list(folder).values()) {
            if (!older.equals(newest.getKey())) {
                Files.delete(older);
            }
        }
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.book().jobs()).hasSize(3);
    }

    @Test
    void isNoLogIfItEndsWithinTheSnapshotThatItBeginsWith() throws Exception {
        writeWithLargeBook(40);
        int newest = Samples.scan(folder).end().lastFile();
        TailTruncation.cut(folder, newest, 2);
        for (int file = 0; file < newest; file++) {
            Files.delete(QueueFiles.file(folder, file));
        }
        assertThat(Samples.scan(folder).defect().orElseThrow().kind()).isEqualTo(Kind.MISSING_RECORDS);
        assertThatThrownBy(() -> Samples.open(folder)).isInstanceOf(LogException.class).hasMessageContaining("snapshot");
        try (MessageLog log = LogOpening.open(filesOf4Mib(), book -> 0, entry -> {}, Samples.host(new UUID(1, 2)))) {
            assertThat(log.position()).as("power was lost, and nothing had been synced").isEqualTo(1);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void isNoLogIfItBeginsWithinAFile() throws Exception {
        try (MessageLog log = LogOpening.open(smallFiles(), book -> 0, entry -> {}, Samples.host(Samples.BOOT))) {
            Samples.fill(log, 300, 1000);
        }
        TreeMap<Integer, Path> files = new TreeMap<>(QueueFiles.list(folder));
        Path first = files.firstEntry().getValue();
        Files.delete(first);
        assertThat(Samples.scan(folder).defect()).isEmpty();
        Samples.flip(files.get(1), snapshots().get(files.get(1)).getFirst().offset() + 80);
        LogDefect defect = Samples.scan(folder).defect().orElseThrow();
        assertThat(List.of(defect.file(), defect.kind())).containsExactly(files.get(1), Kind.FLIPPED_BYTE);
        assertThatThrownBy(() -> Samples.open(folder)).isInstanceOf(LogException.class).hasMessageContaining("damaged");
    }
}
