package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.LogDefect.Kind;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;

/** Files that nobody needs go, oldest first, and what is left is a log, wherever a crash comes in between. */
final class TruncateTest {
    private static final int RANK = 3;
    private static final UUID OTHER_BOOT = new UUID(1, 2);

    @TempDir
    private Path folder;

    private LogConfig config() {
        return new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
    }

    private static void fill(MessageLog log, int files) {
        long until = log.rolls() + files;
        while (log.rolls() < until) {
            log.appendArrival(Samples.arrival(RANK, 10_000), ByteBuffer.allocate(10_000));
        }
    }

    private static Optional<OldestPin> strict(MessageLog log) {
        return Samples.oldest(log.book(), RankLog::pin);
    }

    private static Optional<OldestPin> newest(MessageLog log) {
        return Samples.oldest(log.book(), RankLog::pinOfNewest);
    }

    private static void checkpoint(MessageLog log, long number) {
        log.append(new CheckpointTaken(Samples.JOB, RANK, Checkpoint.at(log.position() + 1, 0, 0, 0).ofImage(number, 1, 1)));
    }

    @Test
    void aRankPinsItsBeginningUntilItHasTwoImagesAndThenTheOlder() {
        try (MessageLog log = MessageLog.open(config())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            assertThat(strict(log)).isEmpty();
            fill(log, 2);
            long first = log.book().rank(Samples.JOB, RANK).firstPosition();
            assertThat(strict(log)).contains(new OldestPin(Samples.JOB, RANK, first));
            checkpoint(log, 1);
            assertThat(strict(log)).contains(new OldestPin(Samples.JOB, RANK, first));
            long one = log.position();
            assertThat(newest(log)).contains(new OldestPin(Samples.JOB, RANK, one));
            fill(log, 2);
            checkpoint(log, 2);
            assertThat(strict(log)).contains(new OldestPin(Samples.JOB, RANK, one));
            log.append(new Polls(Samples.JOB, 0, 1, 5));
            assertThat(newest(log).orElseThrow().rank()).isEqualTo(RANK);
            log.append(new JobClosed(Samples.JOB, 0));
            assertThat(strict(log)).isEmpty();
        }
    }

    @Test
    void filesGoOnceNothingInThemIsNeeded() throws IOException {
        try (MessageLog log = MessageLog.open(config())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 3);
            assertThat(log.cut(strict(log).orElseThrow().position())).isEmpty();
            long used = log.usedBytes();
            assertThat(used).isEqualTo(bytesOfFiles());
            checkpoint(log, 1);
            fill(log, 2);
            checkpoint(log, 2);
            List<Path> gone = log.cut(strict(log).orElseThrow().position());
            assertThat(gone).containsExactly(QueueFiles.file(folder, 0), QueueFiles.file(folder, 1), QueueFiles.file(folder, 2));
            assertThat(log.usedBytes()).as("they are still there").isEqualTo(bytesOfFiles());
            log.discard(gone, 0);
            assertThat(log.firstPosition()).isGreaterThan(1);
            assertThat(log.usedBytes()).isEqualTo(bytesOfFiles());
            try (LogCursor sent = log.sentCursor(Samples.JOB, 2)) {
                assertThat(sent.advance()).isTrue();
                assertThat(sent.position()).isGreaterThanOrEqualTo(log.firstPosition());
            }
            fill(log, 1);
        }
        assertThat(MessageLog.scan(folder, entry -> {}).defects()).isEmpty();
        try (MessageLog log = MessageLog.open(config())) {
            assertThat(log.book().rank(Samples.JOB, RANK).checkpoint().orElseThrow().number()).isEqualTo(2);
            assertThat(log.usedBytes()).isEqualTo(bytesOfFiles());
        }
    }

    /** The first record of a file that is not cut is the first of which nothing before it is needed. */
    @Test
    void aFileStaysForItsLastRecordAndGoesForTheFirstOfTheNext() {
        try (MessageLog log = MessageLog.open(config())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 2);
            List<Long> firstOfFile = new ArrayList<>();
            MessageLog.scan(folder, entry -> {
                if (entry.record() instanceof LogRecord.Snapshot) {
                    firstOfFile.add(entry.position());
                }
            });
            long next = firstOfFile.getFirst();
            assertThat(log.canCut(next - 1)).isFalse();
            assertThat(log.cut(next - 1)).isEmpty();
            assertThat(log.canCut(next)).isTrue();
            assertThat(log.cut(next)).containsExactly(QueueFiles.file(folder, 0));
            assertThat(log.firstPosition()).isEqualTo(next);
        }
    }

    @Test
    void crashBetweenFileDeletionsLeavesValidLog() throws IOException {
        try (MessageLog log = MessageLog.open(config())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 4);
            checkpoint(log, 1);
            fill(log, 1);
            checkpoint(log, 2);
        }
        for (int number = 0; number < 4; number++) {
            Files.delete(QueueFiles.file(folder, number));
            LogScan scan = MessageLog.scan(folder, entry -> {});
            assertThat(scan.defects()).as("without the files up to " + number).isEmpty();
            assertThat(scan.book().rank(Samples.JOB, RANK).checkpoint().orElseThrow().number()).isEqualTo(2);
        }
        try (MessageLog log = MessageLog.open(config())) {
            assertThat(log.cut(newest(log).orElseThrow().position())).isNotEmpty();
        }
    }

    private MessageLog open(UUID boot) {
        return LogOpening.open(config(), book -> 0, entry -> {}, Samples.host(boot));
    }

    /** What a cut leaves looks the same, but that nobody needs what is gone. */
    @ParameterizedTest(name = "with an image {0}")
    @ValueSource(booleans = {false, true})
    void findsThatAFileIsGoneWhichARankNeeds(boolean image) throws IOException {
        try (MessageLog log = open(Samples.BOOT)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 2);
            if (image) {
                checkpoint(log, 1);
            }
            fill(log, 2);
            log.appendJobOpened(new JobOpened(5, 2, 1), ByteBuffer.allocate(10));
            log.append(new Polls(5, 1, 1, 99));
        }
        long pin = Samples.scan(folder).book().rank(Samples.JOB, RANK).pinOfNewest();
        int needed = Samples.scan(folder).end().firstOfFile().entrySet().stream().filter(e -> e.getValue() <= pin).toList().getLast().getKey();
        for (int number = 0; number <= needed; number++) {
            assertThat(Samples.scan(folder).defects()).as("all from file " + number + " on").isEmpty();
            Files.delete(QueueFiles.file(folder, number));
        }
        assertThat(Samples.scan(folder).defect()).as("what is left is whole").isEmpty();
        LogDefect defect = Samples.scan(folder).gone().orElseThrow();
        assertThat(List.of(defect.kind(), defect.file(), defect.position(), defect.atTail()))
                .containsExactly(Kind.MISSING_RECORDS, QueueFiles.file(folder, needed + 1), pin, false);
        assertThat(defect.detail()).startsWith("rank 3 of job 1122334455667788 needs what is there from position " + pin + " on");
        for (int open = 1; open <= 3; open++) {
            try (MessageLog log = open(open == 2 ? OTHER_BOOT : Samples.BOOT)) {
                assertThat(log.book().job(Samples.JOB).fault()).as("a boot brings nothing back").hasMessageContainingAll(defect.file().toString(),
                        defect.detail());
                assertThat(newest(log)).as("what is left of it stays until it is ended").contains(new OldestPin(Samples.JOB, LogRecord.NO_RANK, pin));
                assertThat(log.book().job(5).fault()).as("a job that needs nothing of it").isNull();
                assertThat(log.book().rank(5, 1).polls()).isEqualTo(98L + open);
                log.append(new Polls(5, 1, 1, 99 + open));
            }
        }
        try (MessageLog log = open(Samples.BOOT)) {
            log.append(new JobClosed(Samples.JOB, 0));
        }
        assertThat(Samples.scan(folder).defects()).isEmpty();
    }

    /** A file had gone when its job was over, and that is no more to be read. */
    @Test
    void tellsOfATornEndThatHadLetOlderFilesGo() throws IOException {
        try (MessageLog log = open(Samples.BOOT)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 2);
            log.append(new JobClosed(Samples.JOB, 0));
            log.discard(log.cut(log.position() + 1), 0);
        }
        LogEntry closed = Samples.entries(folder).getLast();
        Samples.overwrite(closed.file(), closed.offset() + closed.bytes().remaining() - 40, new byte[40]);
        LogScan scan = Samples.scan(folder);
        LogDefect torn = scan.defect().orElseThrow();
        assertThat(List.of(torn.position(), torn.offset() + 4, torn.atTail())).containsExactly(closed.position(), closed.offset(), true);
        assertThat(scan.gone().orElseThrow().detail()).endsWith("older files are gone; what is not read may have let them go");
        assertThat(scan.defects()).extracting(LogDefect::position).startsWith(torn.position());
        assertThatThrownBy(() -> open(Samples.BOOT)).isInstanceOf(LogException.class).hasMessageContaining(torn.toString());
    }

    /** What stood behind a hole that a power cut has left is cut, and with it what had let older files go. */
    @Test
    void jobFailsIfCheckpointForDeletedFilesIsLost() throws IOException {
        long checkpointed;
        try (MessageLog log = open(Samples.BOOT)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 2);
            checkpointed = log.position() + 1;
            checkpoint(log, 1);
            log.append(new Polls(Samples.JOB, RANK, 1, 5));
        }
        LogEntry hole = Samples.entry(folder, checkpointed);
        Samples.flip(hole.file(), hole.offset() + 60);
        Files.delete(QueueFiles.file(folder, 0));
        assertThat(Samples.scan(folder).gone().orElseThrow().detail()).endsWith("older files are gone; what is not read may have let them go");
        for (int open = 1; open <= 2; open++) {
            try (MessageLog log = open(OTHER_BOOT)) {
                assertThat(log.position()).isEqualTo(checkpointed - 1 + open);
                assertThat(log.book().job(Samples.JOB).fault()).hasMessageContaining("older files are gone");
            }
        }
    }

    /** What was never published is cut, whatever else is gone. */
    @Test
    void aTornTailIsCutThoughOlderFilesAreGone() throws IOException {
        try (MessageLog log = open(Samples.BOOT)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 2);
            log.append(new Polls(Samples.JOB, RANK, 1, 5));
        }
        LogEntry last = Samples.entries(folder).getLast();
        Samples.overwrite(last.file(), last.offset() + last.bytes().remaining() + 4, Samples.bytes(1, 40));
        Files.delete(QueueFiles.file(folder, 0));
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defects()).extracting(LogDefect::kind).containsExactly(Kind.TORN_TAIL, Kind.MISSING_RECORDS);
        try (MessageLog log = open(Samples.BOOT)) {
            assertThat(log.position()).isEqualTo(last.position() + 1);
            assertThat(log.book().job(Samples.JOB).fault()).hasMessageContaining("older files are gone");
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** It is cut for an image that cannot be read later, or for a rank that is done and then is not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRankMayNeedMoreThanWhenTheLogWasCut(boolean done) throws IOException {
        try (MessageLog log = open(Samples.BOOT)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            fill(log, 1);
            checkpoint(log, 1);
            fill(log, 2);
            if (done) {
                log.append(new Finalized(Samples.JOB, RANK, 1, true));
            } else {
                checkpoint(log, 2);
            }
            log.discard(log.cut(newest(log).map(OldestPin::position).orElse(log.position() + 1)), 0);
            log.append(new Incarnation(Samples.JOB, RANK, 2, done ? 0 : Incarnation.CHOSEN, 1));
            assertThat(newest(log).orElseThrow().position()).isLessThan(log.firstPosition());
            fill(log, 2);
        }
        assertThat(Samples.scan(folder).defects()).isEmpty();
        try (MessageLog log = open(Samples.BOOT)) {
            assertThat(log.book().job(Samples.JOB).fault()).isNull();
        }
    }

    /** A log whose oldest file stays and whose second one goes could not be opened any more. */
    @Test
    void aFileThatCannotBeRemovedIsTriedAgainBeforeAnyNewerOne() throws IOException {
        Path oldest = QueueFiles.file(folder, 0);
        Path aside = folder.resolve("aside");
        try (MessageLog log = MessageLog.open(config())) {
            fill(log, 1);
            Files.move(oldest, aside);
            Files.createDirectories(oldest.resolve("in the way"));
            log.discard(log.cut(log.position()), 0);
            fill(log, 2);
            log.discard(log.cut(log.position()), 0);
            assertThat(QueueFiles.list(folder)).containsOnlyKeys(0, 1, 2, 3);
            Files.delete(oldest.resolve("in the way"));
            Files.delete(oldest);
            Files.move(aside, oldest);
            assertThat(Samples.scan(folder).defects()).isEmpty();
            log.discard(List.of(), 0);
            assertThat(QueueFiles.list(folder)).containsOnlyKeys(3);
            assertThat(log.usedBytes()).isEqualTo(bytesOfFiles());
        }
    }

    private long bytesOfFiles() throws IOException {
        long bytes = 0;
        for (Path file : QueueFiles.list(folder).values()) {
            bytes += Files.size(file);
        }
        return bytes;
    }
}
