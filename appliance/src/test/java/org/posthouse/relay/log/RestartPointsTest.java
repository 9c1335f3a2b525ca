package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.HistoryStep;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.image.ImageFile;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.Durability;

/** Which of a rank's images are deleted, and when. */
final class RestartPointsTest {
    private static final long JOB = 9;
    private static final int EVENTS = 4_000;
    private static final int ROLL_BYTES = 128 << 10;

    @TempDir
    private Path folder;

    private final List<Long> awaited = new ArrayList<>();
    private MessageLog log;
    private ImageStore images;
    private RestartPoints points;
    private boolean diskAnswers = true;
    private boolean diskHasFailed;
    private boolean broken;

    private final LogSyncWaiter disk = new LogSyncWaiter() {
        @Override
        public boolean await(long position) {
            awaited.add(position);
            return diskAnswers;
        }

        @Override
        public boolean hasFailed() {
            return diskHasFailed;
        }
    };

    @BeforeEach
    void open() {
        log = MessageLog.open(new LogConfig(folder.resolve("log"), ROLL_BYTES, 0));
        images = new ImageStore(folder.resolve("images"));
        points = new RestartPoints(this, log, images, disk, job -> broken);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void keepTheTwoNewestImages() throws IOException {
        savesThreeTimes(Durability.PROCESS);
        points.tidy(JOB, 0);
        assertThat(stored()).containsExactly("2.img", "3.img");
        assertThat(awaited).as("this job is not to outlive the host").containsExactly(0L);
    }

    /** A process has died while its image was being stored, and the next one's, of the same number, is there before the relay comes to clean up behind the first. */
    @Test
    void keepAnImageThatIsAboutToCount() throws IOException {
        savesThreeTimes(Durability.PROCESS);
        Checkpoint about = stores(4, 0);
        points.tidy(JOB, 0);
        assertThat(stored()).containsExactly("2.img", "3.img", "4.img");
        log.append(new LogRecord.CheckpointTaken(JOB, 0, about));
        log.handOver();
        points.tidy(JOB, 0);
        assertThat(stored()).containsExactly("3.img", "4.img");
    }

    @Test
    void keepAnOlderImageUntilItIsOnTheDiskThatThereAreTwoNewerOnes() throws IOException {
        savesThreeTimes(Durability.HOST);
        diskAnswers = false;
        points.tidy(JOB, 0);
        assertThat(stored()).containsExactly("1.img", "2.img", "3.img");
        diskAnswers = true;
        points.tidy(JOB, 0);
        assertThat(stored()).containsExactly("2.img", "3.img");
        assertThat(awaited).containsExactly(log.position(), log.position());
    }

    /** The jobs that were to outlive the host were told, and the others must not fill the disk. */
    @Test
    void keepTheTwoNewestImagesOfAJobThatNeedNotOutliveTheHostThoughTheDiskHasFailed() throws IOException {
        endsAfterItWasToOutliveTheHost();
        diskAnswers = false;
        savesThreeTimes(Durability.PROCESS);
        points.tidy(JOB, 0);
        assertThat(stored()).as("the end of the other job may come to the disk").containsExactly("1.img", "2.img", "3.img");
        diskHasFailed = true;
        points.tidy(JOB, 0);
        assertThat(stored()).containsExactly("2.img", "3.img");
        log.appendJobOpened(new LogRecord.JobOpened(JOB + 1, 1, Durability.HOST.code()), ByteBuffer.allocate(1));
        log.handOver();
        assertThat(points.mayDelete()).as("that one may go on out of the log").isFalse();
    }

    /** The relay was started again since, and its host was not. */
    @Test
    void nothingGoesBeforeTheLastEndOfAJobThatWasToOutliveTheHostIsOnTheDisk() {
        long end = endsAfterItWasToOutliveTheHost();
        log.close();
        open();
        assertThat(points.mayDelete()).isTrue();
        assertThat(awaited).containsExactly(end);
    }

    private long endsAfterItWasToOutliveTheHost() {
        log.appendJobOpened(new LogRecord.JobOpened(JOB + 2, 1, Durability.HOST.code()), ByteBuffer.allocate(1));
        long end = log.append(new LogRecord.JobClosed(JOB + 2, 0));
        log.handOver();
        return end;
    }

    /** The next relay must know: it would else cut the log behind an image that is of no use, in front of one that a process goes on from. */
    @Test
    void restartFromOlderImageIsLoggedBeforeItIsRead() throws IOException {
        begins();
        saves(1);
        saves(2);
        log.handOver();
        damage("2.img");
        points.choice(JOB, 0).open(2).close();
        long pin = log.book().rank(JOB, 0).pin();
        assertThat(pin).isGreaterThan(2);
        assertThat(log.book().rank(JOB, 0).pinOfNewest()).as("the older image counts").isEqualTo(pin);
        log.handOver();
        log.close();
        open();
        assertThat(log.book().rank(JOB, 0).pinOfNewest()).as("for the relay that comes next too").isEqualTo(pin);
        log.handOver();
    }

    /** What is left of the log is not what the image before it needs: nobody may begin to read there. */
    @Test
    void namesEachUnusableRestartPointAndItsDefect() throws IOException {
        begins();
        saves(1);
        log.handOver();
        long needed = log.book().rank(JOB, 0).pinOfNewest();
        while (!log.canCut(log.position())) {
            log.appendEvents(new LogRecord.Events(JOB, 0, 1, EVENTS, log.position(), false), ByteBuffer.allocate(16 * EVENTS));
        }
        saves(2);
        log.discard(log.cut(log.book().rank(JOB, 0).pinOfNewest()), 0);
        log.handOver();
        damage("2.img");
        long left = log.firstPosition();
        assertThatThrownBy(() -> points.choice(JOB, 0).open(2))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("nothing is left to start rank 0 from: image 2: ")
                .hasMessageContaining("2.img: is damaged in the chunk at offset ")
                .hasMessageContaining("image 1: ")
                .hasMessageContaining(" from position " + needed + " on, and it was cut up to position " + left)
                .hasMessageContaining("its beginning: ")
                .hasMessageEndingWith("; restore the relay's data folder from a copy")
                .hasMessageNotContainingAny("the image before it is used", "\n");
        assertThat(log.book().rank(JOB, 0).pinOfNewest()).as("nothing else was chosen").isGreaterThanOrEqualTo(left);
    }

    /** The log may take records again by then, and the relay's next process go on from what it has: nothing of the job goes behind what it has not taken. */
    @Test
    void nothingIsChosenInTheLogOfAJobThatItHasNotTakenSomethingOf() throws IOException {
        begins();
        saves(1);
        saves(2);
        log.handOver();
        broken = true;
        long before = log.position();
        points.choice(JOB, 0).open(2).close();
        damage("2.img");
        assertThatThrownBy(() -> points.choice(JOB, 0).open(3))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("it cannot be kept that rank 0 goes on from image 1");
        assertThat(log.position()).isEqualTo(before);
    }

    /** Its launcher is told of the newest image only: from an older one the rank would go on with other messages in other threads. */
    @Test
    void neverRestartsFromImageOlderThanAReplayLimit() throws IOException {
        begins();
        saves(1);
        log.appendEvents(new LogRecord.Events(JOB, 0, 1, 1, 1, true), ByteBuffer.allocate(16));
        saves(2, 1);
        log.handOver();
        points.choice(JOB, 0).open(2).close();
        damage("2.img");
        assertThatThrownBy(() -> points.choice(JOB, 0).open(3))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("2.img: is damaged in the chunk at offset ")
                .hasMessageContaining("image 1: log " + folder.resolve("log") + ": behind it the rank did what cannot be replayed");
    }

    /** The relay's host lost its power, and with it the end of the log, before the first image counted: the rank lives through something else then. */
    @Test
    void aPrologueIsOfTheLogThatNamesItsFirstImage() throws IOException {
        beginsWith(1);
        log.close();
        try (Stream<Path> files = Files.list(folder.resolve("log"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        open();
        beginsWith(2);
        saves(1);
        log.handOver();
        points.keepPrologue(JOB, 0);
        try (LogCursor prologue = points.prologue(JOB, 0)) {
            assertThat(prologue.advance()).isTrue();
            assertThat(prologue.payload()).isEqualTo(ByteBuffer.allocate(16).put(0, (byte) 2));
        }
    }

    /** A restarted process would begin at the image, and the log would say so. */
    @Test
    void followerBeginsAtTheRanksBeginningAndNothingIsLogged() {
        begins();
        log.appendEvents(new LogRecord.Events(JOB, 0, 1, 1, 1, false), ByteBuffer.allocate(16));
        saves(1, 1);
        log.handOver();
        long before = log.position();
        try (FollowerHistory history = points.forFollower(JOB, 0, true, 0, 0)) {
            List<HistoryStep> steps = history.read(before);
            assertThat(steps).first().isEqualTo(new HistoryStep.PrologueEnd(0, 0, 0, 0, 0));
            assertThat(steps).hasSize(3).last().isEqualTo(new HistoryStep.End(before));
        }
        assertThat(log.position()).isEqualTo(before);
    }

    /** Of a rank that is busy for long, a follower reads no end. */
    @Test
    void partOfAHistorySaysHowFarItWasRead() {
        begins();
        for (int event = 1; event <= 1_100; event++) {
            log.appendEvents(new LogRecord.Events(JOB, 0, 1, 1, event, false), ByteBuffer.allocate(16));
        }
        log.handOver();
        try (FollowerHistory history = points.forFollower(JOB, 0, true, 0, 0)) {
            List<HistoryStep> part = history.read(log.position());
            HistoryStep.Events last = (HistoryStep.Events) part.get(part.size() - 2);
            long behind = 1_100 - last.first();
            assertThat(part).last().isEqualTo(new HistoryStep.Reached(log.position() - behind));
            assertThat(behind).isPositive();
        }
    }

    @Test
    void followerIsRefusedWhereCheckpointsHaveCutTheBeginningOrTheRankCannotBeReplayed() {
        begins();
        log.appendEvents(new LogRecord.Events(JOB, 0, 1, 1, 1, true), ByteBuffer.allocate(16));
        log.handOver();
        assertThatThrownBy(() -> points.forFollower(JOB, 0, true, 0, 0))
                .isInstanceOf(LogException.class)
                .hasMessageEndingWith("rank 0 did what cannot be replayed; rank 0 goes on with the processes that it has");
        saves(1, 1);
        saves(2, 1);
        saves(3, 1);
        log.handOver();
        assertThatThrownBy(() -> points.forFollower(JOB, 0, true, 0, 0))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("it does not reach back to the beginning of rank 0, which checkpoints have cut");
    }

    @Test
    void logKeepsWhatAFollowerWasNotSent() {
        begins();
        saves(1);
        log.handOver();
        FollowerHistory history = points.forFollower(JOB, 0, true, 0, 0);
        saves(2);
        saves(3);
        long own = log.book().rank(JOB, 0).pin();
        long first = log.book().rank(JOB, 0).firstPosition();
        synchronized (this) {
            assertThat(points.withFollowers(JOB, 0, own)).isEqualTo(first).isLessThan(own);
            history.reached(log.position());
            assertThat(points.withFollowers(JOB, 0, own)).isEqualTo(own);
        }
        log.handOver();
        history.close();
    }

    /** @param observed what the rank observes in its prologue */
    private void beginsWith(int observed) {
        log.appendJobOpened(new LogRecord.JobOpened(JOB, 1, Durability.HOST.code()), ByteBuffer.allocate(1));
        log.appendEvents(new LogRecord.Events(JOB, 0, 1, 1, 1, false), ByteBuffer.allocate(16).put(0, (byte) observed));
        log.append(new LogRecord.CheckpointTaken(JOB, 0, new Checkpoint(0, 0, 0, 1, 0, 0, 0, true)));
        log.handOver();
        points.keepPrologue(JOB, 0);
    }

    /** A rank with its prologue. */
    private void begins() {
        log.appendJobOpened(new LogRecord.JobOpened(JOB, 1, Durability.PROCESS.code()), ByteBuffer.allocate(1));
        log.append(new LogRecord.Incarnation(JOB, 0, 1, 0, 0));
        log.append(new LogRecord.CheckpointTaken(JOB, 0, new Checkpoint(0, 0, 0, 0, 0, 0, 0, true)));
        log.handOver();
        points.keepPrologue(JOB, 0);
    }

    private void damage(String name) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("images"))) {
            Path image = files.filter(file -> file.getFileName().toString().equals(name)).findFirst().orElseThrow();
            byte[] bytes = Files.readAllBytes(image);
            bytes[bytes.length - 1] ^= 1;
            Files.write(image, bytes);
        }
    }

    private void savesThreeTimes(Durability durability) {
        log.appendJobOpened(new LogRecord.JobOpened(JOB, 1, durability.code()), ByteBuffer.allocate(1));
        for (int number = 1; number <= 3; number++) {
            saves(number);
        }
        log.handOver();
    }

    private void saves(int number) {
        saves(number, 0);
    }

    private void saves(int number, long events) {
        log.append(new LogRecord.CheckpointTaken(JOB, 0, stores(number, events)));
    }

    private Checkpoint stores(int number, long events) {
        try (ImageFile image = images.begin(JOB, 0, 1, number, 8)) {
            image.put(ByteBuffer.allocate(8));
            return image.commit(Checkpoint.at(log.position() + 1, events, 0, 0));
        }
    }

    private List<String> stored() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("images"))) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
