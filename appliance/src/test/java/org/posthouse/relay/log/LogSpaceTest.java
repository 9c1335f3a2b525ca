package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.WornLog;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.slf4j.LoggerFactory;

/** What a log that comes near its limit says and asks for, when ranks answer and when they do not. */
final class LogSpaceTest {
    private static final long LIMIT_BYTES = LogConfig.LIMIT_BYTES_MIN;
    private static final long JOB = 7;
    private static final int PIECE_BYTES = 1 << 20;

    @TempDir
    private Path folder;

    private final AtomicLong nowMs = new AtomicLong(1_000);
    private final List<String> told = new ArrayList<>();
    private final LogWatermarks logWatermarks = new LogWatermarks(LIMIT_BYTES, 60, 0);
    private MessageLog log;
    private long awaited;
    private boolean diskAnswers = true;
    private Runnable meanwhile = () -> {};

    @BeforeEach
    void open() {
        log = MessageLog.open(LogConfig.limited(folder, LIMIT_BYTES));
        log.appendJobOpened(new LogRecord.JobOpened(JOB, 2, 1), ByteBuffer.allocate(1));
        log.handOver();
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void lendsSpaceForTheNextCheckpointAfterAStall() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        fillUntilHeld(room);
        assertThat(told).last().asString().startsWith("held: ").contains("needs the oldest records");
        nowMs.addAndGet(LogSpace.STALL_MS);
        room.look();
        assertThat(room.status().state()).isEqualTo(LogStatus.State.OPEN);
        assertThat(logWatermarks.lentBytes()).isBetween(LIMIT_BYTES / 16, LIMIT_BYTES / 2);
        assertThat(room.holds()).isFalse();
    }

    /** A relay that has waited on a full disk begins when there is a little room, and is not to keep to that when there is more. */
    @Test
    void aLimitByTheRoomThatThereIsGrowsWithIt() {
        LogSpace given = room(LogLimits.OnFull.WAIT);
        fillUntilHeld(given);
        LogSpace room = room(LogLimits.DEFAULT);
        room.look();
        assertThat(logWatermarks.limitBytes()).isEqualTo(room.status().limitBytes()).isGreaterThan(LIMIT_BYTES);
        assertThat(room.holds()).isFalse();
        long most = logWatermarks.limitBytes();
        logWatermarks.grow(most - 1);
        assertThat(logWatermarks.limitBytes()).isEqualTo(most);
    }

    /** A shard holds a frame while a look waits for the disk, and the same look makes the room: nobody else would say so. */
    @Test
    void notifiesAppenderThatFoundLogFullDuringACheck() {
        List<Runnable> later = new ArrayList<>();
        background = later::add;
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        while (log.writtenBytes() < LIMIT_BYTES - 4 * PIECE_BYTES) {
            append(PIECE_BYTES - 1_024);
            appended(room);
        }
        checkpoints();
        boolean[] wasFull = new boolean[1];
        meanwhile = () -> {
            while (!room.isFull()) {
                append(PIECE_BYTES - 1_024);
                appended(room);
            }
            wasFull[0] = true;
        };
        room.look();
        meanwhile = () -> {};
        for (int round = 0; round < 10; round++) {
            List<Runnable> now = List.copyOf(later);
            later.clear();
            now.forEach(Runnable::run);
        }
        assertThat(wasFull[0]).isTrue();
        assertThat(room.isFull()).isFalse();
        assertThat(told).contains("try again");
    }

    /** A job of months comes to its log's end years before its disk's: who reads the status, or the relay's log, has time to end it. */
    @Test
    void saysOnceAnHourHowMuchIsLeftOnceTheNamesOfItsFilesComeToAnEnd(@TempDir Path other) throws Exception {
        ListAppender<ILoggingEvent> warned = new ListAppender<>();
        warned.start();
        Logger logger = (Logger) LoggerFactory.getLogger(LogSpace.class);
        logger.addAppender(warned);
        try (MessageLog fresh = log; MessageLog worn = WornLog.open(LogConfig.limited(other, LIMIT_BYTES))) {
            room(LogLimits.OnFull.WAIT).look();
            assertThat(warned.list).isEmpty();
            worn.handOver();
            log = worn;
            LogSpace room = room(LogLimits.OnFull.WAIT);
            String left = "there are names for 202,974,151,311,360 bytes more";
            room.look();
            room.look();
            assertThat(room.status().text()).contains(left);
            assertThat(warned.list).extracting(ILoggingEvent::getFormattedMessage).singleElement().asString().contains(left, other.toString());
            nowMs.addAndGet(LogSpace.WORN_MS);
            room.look();
            assertThat(warned.list).hasSize(2);
        } finally {
            logger.detachAppender(warned);
        }
    }

    /** It looks four times a second, until somebody has mounted the file system again. */
    @Test
    void saysOnceThatItsFolderIsNotThere() throws Exception {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        Logger logger = (Logger) LoggerFactory.getLogger(LogSpace.class);
        logger.addAppender(said);
        for (int times = 1; times <= 2; times++) {
            Path away = Files.move(folder, folder.resolveSibling(folder.getFileName() + "-away"));
            room.look();
            room.look();
            assertThat(said.list).extracting(ILoggingEvent::getFormattedMessage).hasSize(times).containsOnly("the log could not be cut");
            Files.move(away, folder);
            room.look();
        }
        logger.detachAppender(said);
    }

    /** Somebody may look at it for days. */
    @Test
    void saysOnceThatAllIsLent() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        ListAppender<ILoggingEvent> warned = new ListAppender<>();
        warned.list = new CopyOnWriteArrayList<>();
        warned.start();
        Logger logger = (Logger) LoggerFactory.getLogger(LogSpace.class);
        logger.addAppender(warned);
        for (int mebibytes = 0; room.status().state() != LogStatus.State.STALLED; mebibytes++) {
            assertThat(mebibytes).isLessThan(200);
            append(PIECE_BYTES - 1_024);
            nowMs.addAndGet(LogSpace.STALL_MS);
            room.look();
            room.look();
            nowMs.addAndGet(LogSpace.STALL_MS);
            room.look();
        }
        assertThat(logWatermarks.lentBytes()).isEqualTo(LIMIT_BYTES);
        warned.list.clear();
        room.look();
        room.look();
        logger.detachAppender(warned);
        assertThat(warned.list).extracting(ILoggingEvent::getFormattedMessage).noneMatch(line -> line.contains(Long.toString(logWatermarks.holdBytes())));
        assertThat(room.status().state()).isEqualTo(LogStatus.State.STALLED);
    }

    @Test
    void namesRankThatPinsTheLogWithoutCheckpoints() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        log.append(new LogRecord.Polls(JOB, 0, 1, 1));
        saves(1);
        fillUntilHeld(room);
        nowMs.addAndGet(LogSpace.STALL_MS);
        room.look();
        assertThat(logWatermarks.lentBytes()).as("nothing will come of it").isZero();
        assertThat(room.status().state()).isEqualTo(LogStatus.State.STALLED);
        assertThat(told).last().asString()
                .contains("rank 0 of job 0000000000000007 needs the oldest records and takes no checkpoints")
                .contains("raise --log-limit");
        assertThat(room.status().pinnedBytes()).isEqualTo(log.usedBytes());
        assertThat(told).doesNotContain("give up 7");
        append(1);
        room.look();
        assertThat(room.status().state()).as("something has come").isEqualTo(LogStatus.State.HELD);
    }

    /** To come to a point more often, or a larger limit, helps for a while at most. */
    @Test
    void saysWhichMessageACheckpointWaitsFor() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        long message = log.position();
        pinned(room, message, "message 1->0 context 0 tag 99 sequence 1 (100000 bytes)");
        for (int mebibytes = 0; room.status().state() != LogStatus.State.STALLED; mebibytes++) {
            assertThat(mebibytes).isLessThan(400);
            append(PIECE_BYTES - 1_024);
            checkpoint(mebibytes + 1, message);
            nowMs.addAndGet(LogSpace.STALL_MS);
            room.look();
            nowMs.addAndGet(LogSpace.STALL_MS);
            room.look();
        }
        assertThat(room.status().text())
                .contains("of job 0000000000000007 needs the oldest records, as at its checkpoint it had not received message 1->0 context 0"
                        + " tag 99 sequence 1 (100000 bytes), nothing moves: raise --log-limit, or have the program receive that message, or not send it");
    }

    @Test
    void endsAJobThatStandsStillAndIsNotToWait() {
        LogSpace room = room(LogLimits.OnFull.ABORT);
        fillUntilHeld(room);
        nowMs.addAndGet(LogSpace.STALL_MS);
        room.look();
        assertThat(told).last().isEqualTo("give up 7");
    }

    /** Credit holds senders; what ranks note for themselves needs none. */
    @Test
    void takesNothingInWhileItIsAsLargeAsItMayBe() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        for (int mebibytes = 0; !room.isFull(); mebibytes++) {
            assertThat(log.writtenBytes()).isLessThan(LIMIT_BYTES);
            assertThat(mebibytes).isLessThan(70);
            append(PIECE_BYTES - 1_024);
            appended(room);
        }
        assertThat(log.writtenBytes()).isBetween(LIMIT_BYTES, LIMIT_BYTES + 2 * PIECE_BYTES);
        room.look();
        assertThat(room.status().state()).isEqualTo(LogStatus.State.HELD);
        assertThat(told).doesNotContain("try again");
        nowMs.addAndGet(LogSpace.STALL_MS);
        room.look();
        assertThat(room.isFull()).as("more is lent").isFalse();
        assertThat(told).last().isEqualTo("try again");
        while (!room.isFull()) {
            append(PIECE_BYTES - 1_024);
            appended(room);
        }
        told.clear();
        checkpoints();
        room.look();
        assertThat(room.isFull()).as("what nobody needs has gone").isFalse();
        assertThat(told).contains("try again");
    }

    /** The least that must be free is more than any disk has. */
    @Test
    void takesNothingInWhileItsDiskIsFullAndEndsTheJobsThatAreNotToWait() {
        log.close();
        log = MessageLog.open(new LogConfig(folder, LogConfig.DEFAULT_ROLL_BYTES, Long.MAX_VALUE / 2));
        log.handOver();
        LogSpace room = room(LogLimits.OnFull.ABORT);
        assertThat(room.isFull()).isFalse();
        appended(room);
        assertThat(room.isFull()).as("at once").isTrue();
        assertThat(room.holds()).isTrue();
        log.handOver();
        room.look();
        assertThat(room.status().state()).isEqualTo(LogStatus.State.FULL);
        assertThat(room.status().text()).startsWith("the disk is full: ").contains(folder.toString()).contains(" must be: free ");
        assertThat(told).noneMatch(word -> word.startsWith("give up"));
        room.waits(JOB);
        assertThat(told).last().isEqualTo("give up 7");
        told.clear();
        room(LogLimits.OnFull.WAIT).waits(JOB);
        assertThat(told).isEmpty();
    }

    @Test
    void asksForCheckpointsWhileItIsFullerThanItsHighMarkOnly() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        room.look();
        assertThat(told).isEmpty();
        fillUntilHeld(room);
        assertThat(told).contains("ask 0");
        assertThat(told).doesNotContain("ask 1");
        nowMs.addAndGet(CheckpointRequester.NEXT_MS);
        room.look();
        assertThat(told).as("nothing came of it").contains("ask 1");
    }

    @Test
    void hostDurableJobsLogIsCutOnlyAfterASync() {
        log.appendJobOpened(new LogRecord.JobOpened(JOB + 1, 1, Durability.HOST.code()), ByteBuffer.allocate(1));
        log.handOver();
        LogSpace room = room(LogLimits.OnFull.WAIT);
        for (int mebibytes = 0; mebibytes < 20; mebibytes++) {
            append(PIECE_BYTES - 1_024);
        }
        room.look();
        assertThat(awaited).as("nothing can be deleted: nobody has to wait").isZero();
        checkpoints();
        diskAnswers = false;
        room.look();
        assertThat(awaited).isEqualTo(log.position());
        assertThat(log.firstPosition()).isEqualTo(1);
        diskAnswers = true;
        room.look();
        assertThat(log.firstPosition()).isGreaterThan(1);
    }

    /** Above the high mark only the newest images count; one that turns out to be damaged while the disk is waited for does not. */
    @Test
    void retainsRecordsOfRankRestartedFromOlderImage() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        checkpoint(1, 2);
        fillUntilHeld(room);
        checkpoint(2, log.position() + 1);
        meanwhile = () -> {
            log.append(new LogRecord.Incarnation(JOB, 0, 2, LogRecord.Incarnation.CHOSEN, 1));
            log.handOver();
        };
        room.look();
        assertThat(log.firstPosition()).isEqualTo(1);
        checkpoint(2, log.position() + 1);
        meanwhile = () -> {};
        room.look();
        assertThat(log.firstPosition()).isGreaterThan(1);
    }

    /** The newest image may turn out to be damaged: as long as there is room for what the one before it needs, that stays. */
    @Test
    void retainsRecordsOfOlderImagesBelowHighMarkAndNotifiesReaders() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        List<Path> gone = new ArrayList<>();
        room.onCut(gone::addAll);
        checkpoint(1, 2);
        for (int mebibytes = 0; mebibytes < 20; mebibytes++) {
            append(PIECE_BYTES - 1_024);
        }
        checkpoint(2, log.position() + 1);
        room.look();
        assertThat(logWatermarks.state()).isEqualTo(LogWatermarks.State.EASY);
        assertThat(log.firstPosition()).isEqualTo(1);
        assertThat(gone).isEmpty();
        checkpoint(3, log.position() + 1);
        room.look();
        assertThat(log.firstPosition()).isGreaterThan(1);
        assertThat(gone).isNotEmpty().doesNotHaveDuplicates();
    }

    /** One rank leaves early, the other goes on and saves: its launcher says that nobody starts it again. */
    @Test
    void aRankThatIsDoneKeepsNothing() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        log.append(new LogRecord.Finalized(JOB, 0, 1, false));
        log.handOver();
        while (!room.holds()) {
            appendAndSave();
            room.look();
        }
        assertThat(room.status().text()).contains("rank 0 of job 0000000000000007 needs the oldest records");
        told.clear();
        log.append(new LogRecord.Finalized(JOB, 0, 1, true));
        log.handOver();
        room.look();
        assertThat(told).as("senders go on").anyMatch(word -> word.startsWith("open: "));
        told.clear();
        for (int mebibytes = 0; mebibytes < 2 * LIMIT_BYTES / PIECE_BYTES; mebibytes++) {
            appendAndSave();
            room.look();
        }
        assertThat(told).isEmpty();
    }

    private void appendAndSave() {
        append(PIECE_BYTES - 1_024);
        log.append(new LogRecord.CheckpointTaken(JOB, 1, new Checkpoint(1, 1, log.position() + 1, 0, 0, 0, 0, false)));
        log.handOver();
    }

    /** Ranks that send much fill it between two looks. */
    @Test
    void looksByItselfAsItGrows() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        saves(0);
        saves(1);
        appended(room);
        for (int mebibytes = 0; !room.holds(); mebibytes++) {
            assertThat(mebibytes).isLessThan(70);
            append(PIECE_BYTES - 1_024);
            appended(room);
        }
        assertThat(told).contains("ask 0").last().asString().startsWith("held: ");
        assertThat(log.writtenBytes()).isBetween(logWatermarks.holdBytes(), logWatermarks.holdBytes() + 2 * PIECE_BYTES);
    }

    @Test
    void takesJobsWhoseRanksMayFillHalfOfItAndCountsEachOnce() {
        LogSpace room = room(LogLimits.OnFull.WAIT);
        long quarter = LIMIT_BYTES / 4;
        assertThat(room.admit(opening(1, 1), "user 1", quarter)).isEmpty();
        room.reservations().reserve(1, "user 1", quarter);
        assertThat(room.admit(opening(2, 2), "user 2", quarter)).as("a quarter is left")
                .hasValueSatisfying(why -> assertThat(why).contains("its 2 ranks", "raise --log-limit"));
        assertThat(room(LogLimits.DEFAULT).admit(opening(2, 2), "user 2", quarter)).as("nobody has limited it but its disk")
                .hasValueSatisfying(why -> assertThat(why).contains("free space on its disk").doesNotContain("raise"));
        assertThat(room.admit(opening(3, 2), "user 3", quarter / 2)).isEmpty();
        assertThat(room.admit(opening(4, 1), "user 4", 1)).isPresent();
        room.dismiss(3);
        room.dismiss(3);
        assertThat(logWatermarks.underWayBytes()).isEqualTo(quarter);
        assertThat(room.admit(opening(4, 1), "user 4", quarter)).isEmpty();
    }

    private static JobOpen opening(long job, int ranks) {
        return new JobOpen(job, new Token(1, 2), true, "test", List.of(new HomeRelay("here", "here", "h:1")), new int[ranks]);
    }

    /** Of both ranks, from here on. */
    private void checkpoints() {
        long here = log.position() + 1;
        checkpoint(1, here);
        checkpoint(2, here);
    }

    private void checkpoint(int number, long pin) {
        for (int rank = 0; rank <= 1; rank++) {
            log.append(new LogRecord.CheckpointTaken(JOB, rank, new Checkpoint(number, 1, pin, 0, 0, 0, 0, false)));
        }
        log.handOver();
    }

    private boolean awaitSafe(long position) {
        awaited = position;
        meanwhile.run();
        return diskAnswers;
    }

    /** What is to be done in the background, at once or when {@link #background} is asked for it. */
    private Executor background = Runnable::run;

    private synchronized void appended(LogSpace room) {
        room.appended();
    }

    private synchronized void pinned(LogSpace room, long position, String message) {
        room.pinned(position, message);
    }

    private LogSpace room(LogLimits.OnFull onFull) {
        return room(new LogLimits(LIMIT_BYTES, 60, onFull));
    }

    private LogSpace room(LogLimits limits) {
        LogSpace.Relief relief = new LogSpace.Relief() {
            @Override
            public void ask(long job, int rank) {
                told.add("ask " + rank);
            }

            @Override
            public void changed(boolean holds, String text) {
                assertThat(holds).isEqualTo(logWatermarks.state() == LogWatermarks.State.HOLD || text.startsWith("the disk is full"));
                told.add((holds ? "held: " : "open: ") + text);
            }

            @Override
            public void giveUp(long job, String text) {
                told.add("give up " + job);
            }

            @Override
            public void tryAgain() {
                told.add("try again");
            }
        };
        RestartPoints points = new RestartPoints(this, log, new ImageStore(folder.resolveSibling("images")), this::awaitSafe, job -> false);
        return new LogSpace(this, log, points, logWatermarks, limits, relief, background, nowMs::get);
    }

    /** The rank has asked once whether it is restored. */
    private void saves(int rank) {
        log.append(new LogRecord.CheckpointTaken(JOB, rank, new Checkpoint(0, 0, 2, 0, 0, 0, 0, true)));
        log.handOver();
    }

    private void fillUntilHeld(LogSpace room) {
        for (int i = 0; room.status().state() != LogStatus.State.HELD; i++) {
            assertThat(i).as("MiB appended").isLessThan(70);
            append(PIECE_BYTES - 1_024);
            room.look();
        }
    }

    private void append(int bytes) {
        LogRecord.Events events = new LogRecord.Events(JOB, 1, 1, bytes / 16 + 1, log.position(), false);
        log.appendEvents(events, ByteBuffer.allocate((bytes / 16 + 1) * 16));
        log.handOver();
    }
}
