package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.SyncedPosition;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;

/** What a disk has after a power cut: all that was synced, and of what was written since some pages, in no order (ADR 61). */
final class PowerCutTest {
    private static final UUID OTHER_BOOT = new UUID(9, 9);
    private static final int PAGE_BYTES = 4096;

    /** No life writes more into a file: the rest of it is a hole. */
    private static final int BYTES_MAX = 2 << 20;

    @TempDir
    private Path base;

    private static MessageLog open(Path folder, boolean rolls, UUID boot) {
        long rollBytes = rolls ? LogConfig.ROLL_BYTES_MIN : LogConfig.DEFAULT_ROLL_BYTES;
        return LogOpening.open(new LogConfig(folder, rollBytes, 0), book -> 0, entry -> {}, Samples.host(boot));
    }

    /** The files of the log, without Chronicle's state. */
    private static SortedMap<String, byte[]> content(Path folder) throws IOException {
        SortedMap<String, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(QueueFiles.SUFFIX)).toList()) {
                try (InputStream in = Files.newInputStream(file)) {
                    content.put(file.getFileName().toString(), in.readNBytes(BYTES_MAX));
                }
            }
        }
        return content;
    }

    /** One life of a log, and what it would leave. */
    private final class Life {
        private final Random random;
        private final Path folder;
        private long safe;
        private SortedMap<String, byte[]> synced = new TreeMap<>();
        private final SortedMap<String, byte[]> written;
        private final byte[] began;
        private final byte[] reached;
        private final byte[] told;

        Life(int seed, boolean rolls, boolean syncs) throws IOException {
            random = new Random(seed);
            folder = base.resolve("life" + seed);
            try (MessageLog log = open(folder, rolls, Samples.BOOT)) {
                began = Files.readAllBytes(folder.resolve(LogHighWater.FILE));
                log.appendJobOpened(new JobOpened(Samples.JOB, 4, syncs ? 2 : 1), ByteBuffer.allocate(10));
                LogSync sync = log.sync();
                int batches = 2 + random.nextInt(4);
                for (int batch = 1; batch <= batches; batch++) {
                    append(log, 3 + random.nextInt(15));
                    if (syncs && batch < batches) {
                        safe = sync.sync();
                        synced = content(folder);
                        if (random.nextBoolean()) {
                            sync.tell();
                        }
                    }
                }
                written = content(folder);
                reached = Files.readAllBytes(folder.resolve(LogHighWater.FILE));
                told = Files.readAllBytes(folder.resolve(SyncedPosition.FILE));
            }
        }

        private void append(MessageLog log, int count) {
            for (int i = 0; i < count; i++) {
                long sequence = log.position();
                int bytes = random.nextInt(12_000);
                if (random.nextInt(3) == 0) {
                    log.append(new Polls(Samples.JOB, 3, 1, sequence));
                }
                log.appendArrival(Samples.arrival(sequence, bytes), ByteBuffer.wrap(Samples.bytes(sequence, bytes)));
            }
        }

        /** What the disk has of it. */
        Path left() throws IOException {
            Path disk = Files.createDirectory(base.resolve(folder.getFileName() + "-left"));
            List<Runnable> pages = new ArrayList<>();
            SortedMap<String, byte[]> left = new TreeMap<>();
            written.forEach((name, now) -> {
                byte[] before = Arrays.copyOf(synced.getOrDefault(name, new byte[0]), now.length);
                left.put(name, before);
                for (int at = 0; at < now.length; at += PAGE_BYTES) {
                    int from = at;
                    int to = Math.min(now.length, at + PAGE_BYTES);
                    if (!Arrays.equals(now, from, to, before, from, to)) {
                        pages.add(() -> System.arraycopy(now, from, before, from, to - from));
                    }
                }
            });
            Collections.shuffle(pages, random);
            pages.subList(0, random.nextInt(pages.size() + 1)).forEach(Runnable::run);
            for (Map.Entry<String, byte[]> file : left.entrySet()) {
                if (synced.containsKey(file.getKey()) || random.nextInt(4) > 0) {
                    Files.write(disk.resolve(file.getKey()), file.getValue());
                }
            }
            Files.write(disk.resolve(LogHighWater.FILE), random.nextBoolean() ? reached : began);
            Files.write(disk.resolve(SyncedPosition.FILE), told);
            return disk;
        }
    }

    @ParameterizedTest(name = "seed {0}, several files {1}, synced {2}")
    @CsvSource({"1,true,true", "2,false,true", "3,true,false", "4,false,false"})
    void allThatWasSyncedIsThereAndTheRestIsCut(int first, boolean rolls, boolean syncs) throws IOException {
        for (int seed = first * 1000; seed < first * 1000 + 6; seed++) {
            Life life = new Life(seed, rolls, syncs);
            Path disk = life.left();
            try (MessageLog log = open(disk, rolls, OTHER_BOOT)) {
                assertThat(log.position()).as("seed %d", seed).isGreaterThanOrEqualTo(life.safe);
                Samples.fill(log, 20, 5000);
            }
            assertThat(Samples.scan(disk).defect()).as("seed %d", seed).isEmpty();
        }
    }

    /** 21 records, of which so many were synced. */
    private Path synced(int safe) throws IOException {
        Path folder = base.resolve("log");
        try (MessageLog log = open(folder, false, Samples.BOOT)) {
            LogSync sync = log.sync();
            Samples.fill(log, safe - 1, 200);
            sync.sync();
            sync.tell();
            Samples.fill(log, 21 - safe, 200);
        }
        return folder;
    }

    /** A disk that flips bytes, not one that lost them with the power. */
    @ParameterizedTest(name = "record {0} of 21, of which 15 were synced")
    @CsvSource({"2,true", "15,true", "16,false", "21,false"})
    void rebootWithCorruptRecordIsRefusedOnlyIfSynced(int position, boolean refused) throws IOException {
        Path folder = synced(15);
        Samples.flip(Samples.onlyFile(folder), Samples.entry(folder, position).offset() + 60);
        assertThatThrownBy(() -> open(folder, false, Samples.BOOT).close()).as("within the boot of its writer").hasMessageContaining("damaged");
        if (refused) {
            assertThatThrownBy(() -> open(folder, false, OTHER_BOOT).close()).isInstanceOf(LogException.class)
                    .hasMessageContaining("position " + position).hasMessageContaining("damaged");
        } else {
            open(folder, false, OTHER_BOOT).close();
            assertThat(Samples.scan(folder).lastPosition()).as("and the new writer's start").isEqualTo(position);
        }
    }

    @Test
    void missingSyncedTailIsDetectedWithoutHighWaterFile() throws IOException {
        Path folder = synced(15);
        TailTruncation.cut(folder, 0, 14);
        Files.delete(folder.resolve(LogHighWater.FILE));
        assertThatThrownBy(() -> open(folder, false, OTHER_BOOT).close()).isInstanceOf(LogException.class)
                .hasMessageContaining("the log ends here, and had been on the disk up to position 15");
    }

    /** It may have promised all of it to somebody. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void logOfAnEarlierVersionIsTakenAsSyncedUpToItsEnd(boolean openedMeanwhile) throws IOException {
        Path folder = synced(2);
        Files.delete(folder.resolve(SyncedPosition.FILE));
        if (openedMeanwhile) {
            open(folder, false, Samples.BOOT).close();
            assertThat(SyncedPosition.read(folder)).isEqualTo(new SyncedPosition(21));
        }
        Samples.flip(Samples.onlyFile(folder), Samples.entry(folder, 11).offset() + 60);
        assertThatThrownBy(() -> open(folder, false, OTHER_BOOT).close()).isInstanceOf(LogException.class).hasMessageContaining("damaged");
    }

    /** A job of so many rolls that has ended, and is promised nothing. */
    private static void processJob(MessageLog log, int rolls) {
        log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1), ByteBuffer.allocate(10));
        for (long until = log.rolls() + rolls; log.rolls() < until;) {
            append(log);
        }
        log.append(new JobClosed(Samples.JOB, 0));
    }

    private static void append(MessageLog log) {
        Samples.fill(log, 1, 5000);
    }

    /** Nobody syncs what is left before the rest goes: it need not be on the disk, nor its name. */
    @ParameterizedTest(name = "the name of what is left is on the disk: {0}")
    @ValueSource(booleans = {false, true})
    void aLogOfWhichAllThatWasSyncedWasCutIsGoneOnWith(boolean named) throws IOException {
        Path folder = base.resolve("log");
        try (MessageLog log = open(folder, true, Samples.BOOT)) {
            LogSync sync = log.sync();
            sync.sync();
            sync.tell();
            processJob(log, 2);
            log.discard(log.cut(log.position() + 1), 0);
        }
        Path left = QueueFiles.list(folder).get(2);
        Files.delete(left);
        if (named) {
            Files.write(left, new byte[1 << 20]);
        }
        open(folder, true, OTHER_BOOT).close();
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** Its zeros may come to the disk, and that it has another name may not. */
    @Test
    void discardedFileBeforeSyncedPositionIsNotZeroed() throws IOException {
        Path folder = base.resolve("log");
        try (MessageLog log = open(folder, true, Samples.BOOT)) {
            processJob(log, 1);
            append(log);
            LogSync sync = log.sync();
            sync.sync();
            sync.tell();
        }
        Path first = QueueFiles.file(folder, 0);
        Path disk = Files.createDirectory(base.resolve("disk"));
        try (MessageLog log = open(folder, true, Samples.BOOT)) {
            byte[] before = Files.readAllBytes(first);
            log.discard(log.cut(log.position() + 1), Long.MAX_VALUE);
            Path spare = folder.resolve("spare.tmp").resolve(first.getFileName());
            Files.write(disk.resolve(first.getFileName()), Files.exists(spare) ? Files.readAllBytes(spare) : before);
            for (String name : List.of(QueueFiles.file(folder, 1).getFileName().toString(), LogHighWater.FILE, SyncedPosition.FILE)) {
                Files.copy(folder.resolve(name), disk.resolve(name));
            }
        }
        open(disk, true, OTHER_BOOT).close();
    }

    /** From there on the log is as one that was never synced. */
    @Test
    void discardedFilesBecomeSparesOnceSyncedPositionIsReset() throws IOException {
        Path folder = base.resolve("log");
        synced(2);
        try (MessageLog log = open(folder, true, Samples.BOOT)) {
            processJob(log, 2);
            log.discard(log.cut(log.position() + 1), Long.MAX_VALUE);
            assertThat(SyncedPosition.read(folder)).isEqualTo(new SyncedPosition(0));
            assertThat(folder.resolve("spare.tmp")).isNotEmptyDirectory();
        }
    }
}
