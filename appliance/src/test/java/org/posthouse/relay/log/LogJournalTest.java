package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.core.JournalBroken;
import org.posthouse.core.JournalDamaged;
import org.posthouse.core.Message;
import org.posthouse.core.RecoveredRank;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** What a relay does with the log that a dead one has left. */
public final class LogJournalTest {
    @TempDir
    private Path folder;

    public static final LogSpace.Relief NOBODY = new LogSpace.Relief() {
        @Override
        public void ask(long job, int rank) {}

        @Override
        public void changed(boolean holds, String text) {}

        @Override
        public void giveUp(long job, String text) {}

        @Override
        public void tryAgain() {}
    };

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        for (Path none : List.of(file.resolve("log"), Path.of("/proc/none/log"))) {
            assertThatThrownBy(() -> new LogJournal().open(none, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true))
                    .hasMessageContainingAll("the log's folder " + none + " cannot be made: ", "name a folder with --data");
        }
    }

    @Test
    void jobsOfWhichTheOpeningCannotBeReadAreEndedOnce() throws Exception {
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(7, 2, 1), ByteBuffer.allocate(8));
            dead.appendJobOpened(new LogRecord.JobOpened(8, 2, 1), ByteBuffer.allocate(8));
            dead.append(new LogRecord.JobClosed(7, 0));
            dead.appendArrival(
                    new LogRecord.Arrival(8, 1, 0, 0, 5, 1, 1, 4, 4, LogRecord.Form.SEND, false, null), ByteBuffer.allocate(4));
        }
        for (int start = 0; start < 2; start++) {
            LogJournal journal = new LogJournal();
            assertThat(journal.open(folder, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true)).isEmpty();
            journal.close();
        }
        List<LogRecord> closed = new ArrayList<>();
        MessageLog.scan(folder, entry -> {
            if (entry.record() instanceof LogRecord.JobClosed) {
                closed.add(entry.record());
            }
        });
        assertThat(closed).containsExactly(new LogRecord.JobClosed(7, 0), new LogRecord.JobClosed(8, 1));
        try (MessageLog next = MessageLog.open(LogConfig.of(folder))) {
            assertThat(next.book().jobs()).isEmpty();
            assertThat(next.takeDrafts().count()).isZero();
        }
    }

    @Test
    void jobsThatWereOpenAreHandedOutAsTheyWere() throws Exception {
        JobOpen opening = new JobOpen(
                9, Token.random(), true, "went on", List.of(new HomeRelay("a", "a", "a:1"), new HomeRelay("here", "here", "h:1")),
                new int[] {0, 1, 1});
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder), book -> 70, entry -> {})) {
            dead.appendJobOpened(new LogRecord.JobOpened(9, 3, 1), opening.encode());
            dead.append(new LogRecord.Incarnation(9, 1, 2, 0, 0));
            dead.append(new LogRecord.Polls(9, 1, 2, 33));
            arrival(dead, 1, 1, 4, 4, new LogRecord.Receipt(2, 1, 1));
            arrival(dead, 1, 2, 4, 4, null);
            arrival(dead, 1, 3, 8, 0, null);
        }
        LogJournal journal = new LogJournal();
        List<LoggedJob> jobs = journal.open(folder, "here", 5, LogLimits.DEFAULT, 0, NOBODY, safe -> true);
        assertThat(journal.relayEpoch()).as("later than all that the log has seen").isEqualTo(71);
        journal.close();
        assertThat(jobs).hasSize(1);
        assertThat(jobs.getFirst().opening().name()).isEqualTo("went on");
        assertThat(jobs.getFirst().ranks()).extracting(RecoveredRank::rank).containsExactly(1, 2);
        RecoveredRank rank = jobs.getFirst().ranks().getFirst();
        assertThat(List.of(rank.incarnation(), rank.deliveries(), rank.failedPolls())).asList().containsExactly(2, 1L, 33L);
        assertThat(rank.channels()).containsExactly(new RecoveredRank.Channel(0, 0, 3));
        assertThat(rank.messages()).extracting(Message::sequence).containsExactly(2L, 3L);
        assertThat(jobs.getFirst().ranks().get(1)).isEqualTo(RecoveredRank.nothing(2));
        LogJournal next = new LogJournal();
        assertThat(next.open(folder, "here", 100, LogLimits.DEFAULT, 0, NOBODY, safe -> true)).as("as long as it is open").hasSize(1);
        assertThat(next.relayEpoch()).isEqualTo(100);
        next.close();
    }

    /** One wrong word where a relay is started ended that site's jobs in its log, and deleted their images. */
    @Test
    void theLogOfAnotherRelayIsLeftAsItIs() throws Exception {
        Path there = folder.resolve("log");
        try (MessageLog dead = MessageLog.open(LogConfig.of(there))) {
            dead.appendJobOpened(new LogRecord.JobOpened(7, 2, 1), job(7).encode());
            dead.appendJobOpened(new LogRecord.JobOpened(8, 2, 1), ByteBuffer.allocate(8));
        }
        Path image = Files.createDirectories(folder.resolve("images/0000000000000007")).resolve("image");
        Files.createFile(image);
        long before = MessageLog.scan(there, entry -> {}).lastPosition();
        assertThatThrownBy(() -> new LogJournal().open(there, "elsewhere", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true))
                .hasMessageContainingAll("the log in " + there + " is of relay here, and this is relay elsewhere", "0000000000000007", "--data");
        assertThat(MessageLog.scan(there, entry -> {}).lastPosition()).isEqualTo(before);
        assertThat(image).exists();
        LogJournal owner = new LogJournal();
        assertThat(owner.open(there, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true)).hasSize(1);
        owner.close();
    }

    /** Two relays of a job that come back with each other's --data: their ranks would begin anew, and what they had would be in a log of both. */
    @Test
    void theLogOfAnotherRelayOfTheJobIsToo() throws Exception {
        Path here = folder.resolve("log");
        JobOpen job = new JobOpen(
                7, Token.random(), true, "job", List.of(new HomeRelay("here", "here", "h:1"), new HomeRelay("there", "there", "h:2")), new int[] {0, 1});
        try (MessageLog dead = MessageLog.open(LogConfig.of(here))) {
            dead.appendJobOpened(new LogRecord.JobOpened(7, 2, 1), job.encode());
            dead.append(new LogRecord.Incarnation(7, 0, 1, 0, 0));
        }
        assertThatThrownBy(() -> new LogJournal().open(here, "there", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true))
                .hasMessageContainingAll("the log in " + here + " is of relay here, and this is relay there", "0000000000000007", "--data");
        LogJournal owner = new LogJournal();
        assertThat(owner.open(here, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true)).hasSize(1);
        owner.close();
    }

    private static JobOpen job(long id) {
        return new JobOpen(id, Token.random(), true, "job", List.of(new HomeRelay("here", "here", "h:1")), new int[] {0, 0});
    }

    private static LogJournal open(Path log) throws IOException {
        LogJournal journal = new LogJournal();
        journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true);
        return journal;
    }

    /** As many events as fit into one frame. */
    public static void events(LogJournal journal, long job, long first, ByteBuf items) {
        int count = items.readableBytes() / LogRecord.Events.ITEM_BYTES;
        journal.events(job, 1, 1, first, count, false, new BufferParcel(items, 0, items.readableBytes(), 0));
    }

    /** It was the appending thread's alone, and refused everybody else from then on. */
    @Test
    void anAppendThatFailsEndsItsJobByNameAndNobodyElseIsKeptFromTheLog() throws Exception {
        LogJournal journal = open(folder);
        journal.forJob(job(7));
        journal.forJob(job(8));
        ByteBuf items = Unpooled.directBuffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        Path file = folder.resolve("19700101-00F.cq4");
        Path away = Files.move(file, folder.resolve("away"));
        assertThatThrownBy(() -> events(journal, 7, 1, items)).isInstanceOf(JournalBroken.class).hasMessageContaining("job 0000000000000007");
        items.release();
        Files.move(away, file);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            other.submit(() -> journal.polls(8, 1, 1, 1)).get(60, TimeUnit.SECONDS);
        }
        long before = journal.position();
        assertThatThrownBy(() -> journal.polls(7, 1, 1, 1)).as("behind what is missing").isInstanceOf(JournalBroken.class)
                .hasMessageContaining("job 0000000000000007");
        assertThat(journal.position()).isEqualTo(before);
        journal.jobClosed(7, 1);
        assertThat(journal.position()).as("but its end").isEqualTo(before + 1);
        journal.close();
    }

    /** The kernel makes a file system read-only, or somebody unmounts it lazily, while 4 MiB of blocks are reserved: what goes there may be lost. */
    @Test
    void takesNothingIntoReservedBlocksOfAFileSystemThatIsNotThere() throws Exception {
        Path there = folder.resolve("log");
        LogJournal journal = open(there);
        journal.forJob(job(7));
        journal.forJob(job(8));
        Path away = Files.move(there, folder.resolve("away"));
        await().until(() -> journal.failure().isPresent());
        assertThat(journal.failure().get()).contains(there.toString(), "cannot be written");
        long before = journal.position();
        assertThatThrownBy(() -> journal.polls(7, 1, 1, 1)).isInstanceOf(JournalBroken.class).hasMessageContaining("0000000000000007");
        assertThat(journal.position()).isEqualTo(before);
        Files.move(away, there);
        await().until(() -> journal.failure().isEmpty());
        journal.polls(8, 1, 1, 1);
        assertThat(journal.position()).isEqualTo(before + 1);
        journal.close();
    }

    /** What it needed would stay, and there would be no room for others; and the relay's next process would have it again. */
    @Test
    void theEndOfAJobThatTheLogDidNotTakeIsLoggedAsSoonAsItDoes() throws Exception {
        Path there = folder.resolve("log");
        LogJournal journal = open(there);
        journal.forJob(job(7));
        Path away = Files.move(there, folder.resolve("away"));
        await().until(() -> journal.failure().isPresent());
        long before = journal.position();
        assertThat(journal.jobClosed(7, 1)).isFalse();
        Files.move(away, there);
        await().until(() -> journal.position() == before + 1);
        assertThat(journal.isUnended(7)).isFalse();
        journal.close();
        try (MessageLog next = MessageLog.open(LogConfig.of(there))) {
            assertThat(next.book().jobs()).isEmpty();
        }
    }

    /** The delivery of what cannot be read may be logged by then: its rank never got it, and goes on with the next. */
    @Test
    void nothingIsLoggedOfAJobThatACoreHasGivenUpAsItCannotReadIt() throws Exception {
        LogJournal journal = open(folder);
        journal.forJob(job(7));
        journal.forJob(job(8));
        Message message = Message.of(new Message.Logged(0, 0, 1, 5, 1, 8, 8, 1, FrameType.SEND, false, 0, 0));
        journal.arrival(7, message, new BufferParcel(Unpooled.buffer().writeZero(8), 0, 8, 0));
        message.logged(message.logPosition(), message.logPlace() + 4);
        assertThatThrownBy(() -> journal.head(7, message, true)).isInstanceOf(JournalDamaged.class);
        journal.giveUp(7, "job 0000000000000007 is damaged");
        long before = journal.position();
        assertThatThrownBy(() -> journal.polls(7, 1, 1, 1)).isInstanceOf(JournalBroken.class).hasMessageContaining("0000000000000007");
        assertThat(journal.position()).isEqualTo(before);
        journal.polls(8, 1, 1, 1);
        assertThat(journal.position()).as("another job").isEqualTo(before + 1);
        journal.close();
    }

    /** A message was logged just before the relay stopped, and its core asks for room for the next when it has: a NullPointerException there. */
    @Test
    void aLogThatIsClosedHasNoRoomToRunAhead() throws Exception {
        LogJournal journal = open(folder);
        journal.close();
        assertThat(journal.hasAmpleRoom()).isFalse();
    }

    @Test
    void nobodyMissesTheCheckpointOfARankThatIsDone() throws Exception {
        LogJournal journal = open(folder);
        journal.forJob(job(7));
        journal.points().failed(7, 1, "no disk");
        journal.done(7, 0, 1);
        assertThat(journal.unsaved()).contains("no checkpoint of rank 1 of job 0000000000000007: no disk");
        journal.done(7, 1, 1);
        assertThat(journal.unsaved()).isEmpty();
        long once = journal.position();
        journal.done(7, 1, 1);
        assertThat(journal.position()).as("each launcher that comes says so").isEqualTo(once);
        journal.close();
    }

    /** Whoever ends a job goes on with what else there is to do for that. */
    @Test
    void aJobEndsThoughItsLogTakesNothingMore() throws Exception {
        Path there = folder.resolve("log");
        LogJournal journal = open(there);
        journal.forJob(job(7));
        journal.forJob(job(8));
        Path away = Files.move(there, folder.resolve("away"));
        ByteBuf items = Unpooled.buffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        assertThatThrownBy(() -> {
            for (int frames = 0; frames < 1_000; frames++) {
                events(journal, 7, 1, items);
            }
        }).isInstanceOf(JournalBroken.class);
        journal.diverged(7, 1, "otherwise");
        journal.diverged(8, 1, "otherwise");
        journal.jobClosed(7, 0);
        Files.move(away, there);
        long before = journal.position();
        journal.polls(8, 1, 1, 1);
        assertThat(journal.position()).as("nothing depends on the note that is missing").isEqualTo(before + 1);
        journal.close();
    }

    /** With the power its end may be lost, and not the deletion: it would go on then, and have nothing to go on from. */
    @ParameterizedTest(name = "its end comes to the disk {0}")
    @ValueSource(booleans = {false, true})
    void imagesOfAJobThatIsToOutliveTheHostStayUntilItsEndIsOnTheDisk(boolean safe) throws Exception {
        Path log = folder.resolve("log");
        Path images = LogJournal.imageFolder(log);
        List<Long> awaited = new CopyOnWriteArrayList<>();
        LogJournal journal = new LogJournal();
        journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, position -> {
            awaited.add(position);
            return safe || position == 0;
        });
        journal.forJob(new JobOpen(7, new Token(1, 2), Durability.HOST, false, "test", job(7).homes(), job(7).homeOf()));
        Path image = Files.writeString(Files.createDirectories(images.resolve("0000000000000007").resolve("0")).resolve("1.img"), "image");
        journal.jobClosed(7, 0);
        long end = journal.position();
        journal.close();
        assertThat(awaited).contains(end);
        assertThat(Files.exists(image)).isEqualTo(!safe);
    }

    /** The relay was started again since, and its host was not: nothing tells that the end of the job is on the disk. */
    @ParameterizedTest(name = "its end comes to the disk {0}")
    @ValueSource(booleans = {false, true})
    void imagesOfAJobThatAnEarlierProcessEndedStayUntilItsEndIsOnTheDisk(boolean safe) throws Exception {
        Path log = folder.resolve("log");
        Path image = endedWithAnImage(log);
        List<Long> awaited = new CopyOnWriteArrayList<>();
        LogJournal journal = new LogJournal();
        journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, position -> {
            awaited.add(position);
            return safe || position == 0;
        });
        journal.close();
        assertThat(awaited).doesNotContain(0L);
        assertThat(Files.exists(image)).isEqualTo(!safe);
    }

    /** They take room, and are nobody else's affair. */
    @Test
    void imagesOfAnEndedJobThatCannotBeDeletedKeepNobodyFromTheLog() throws Exception {
        Path log = folder.resolve("log");
        Path image = endedWithAnImage(log);
        String level = "d".repeat(200) + "/";
        Path half = Files.createDirectories(image.resolveSibling(level.repeat(10)));
        Path moved = folder.resolve(level);
        Files.createDirectories(moved.resolve(level.repeat(11)));
        Files.move(moved, half.resolve("moved")); // Now its path is longer than any may be.
        try {
            LogJournal journal = new LogJournal();
            assertThat(journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true)).isEmpty();
            journal.close();
        } finally {
            Files.move(half.resolve("moved"), moved);
        }
        assertThat(image).exists();
    }

    private static Path endedWithAnImage(Path log) throws IOException {
        LogJournal journal = new LogJournal();
        journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> false);
        journal.forJob(new JobOpen(7, new Token(1, 2), Durability.HOST, false, "test", job(7).homes(), job(7).homeOf()));
        Path folder = Files.createDirectories(LogJournal.imageFolder(log).resolve("0000000000000007").resolve("0"));
        journal.jobClosed(7, 0);
        journal.close();
        return Files.writeString(folder.resolve("1.img"), "image");
    }

    @Test
    void aLogThatCannotBeUsedForWhatIsBesideItIsGivenBack() throws Exception {
        Path log = folder.resolve("log");
        Path other = Files.createDirectories(LogJournal.imageFolder(log).resolve("not a job"));
        LogJournal journal = new LogJournal();
        assertThatThrownBy(() -> journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("has what is no job's");
        Files.delete(other);
        journal.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true);
        journal.close();
    }

    /** A file has its blocks as long as somebody has it open, whether it has a name or not. */
    @Test
    void filesThatWereCutGiveTheirRoomBackThoughTheyWereRead() throws Exception {
        LogJournal journal = new LogJournal();
        LogLimits limits = new LogLimits(64 << 20, 60, LogLimits.OnFull.WAIT);
        journal.open(folder, "here", 1, limits, 0, NOBODY, safe -> true);
        journal.sync(); // Files that go are not begun again.
        journal.forJob(job(7));
        Message message = Message.of(new Message.Logged(0, 0, 1, 5, 1, 8, 8, 1, FrameType.SEND, false, 0, 0));
        ByteBuf eight = Unpooled.buffer().writeZero(8);
        journal.arrival(7, message, new BufferParcel(eight, 0, 8, 0));
        journal.head(7, message, true).release();
        ByteBuf items = Unpooled.directBuffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        for (int frames = 0; frames < 600; frames++) {
            events(journal, 7, 1, items);
        }
        items.release();
        journal.jobClosed(7, 0);
        await().until(() -> Files.notExists(folder.resolve("19700101-00F.cq4")));
        await().untilAsserted(() -> assertThat(openAndGone()).isEmpty());
        journal.close();
    }

    private List<String> openAndGone() throws IOException {
        List<String> gone = new ArrayList<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open) {
                String file = Files.isSymbolicLink(descriptor) ? Files.readSymbolicLink(descriptor).toString() : "";
                if (file.startsWith(folder.toString()) && file.endsWith("(deleted)")) {
                    gone.add(file);
                }
            }
        }
        return gone;
    }

    private static void arrival(MessageLog log, int rank, long sequence, long length, int payload, LogRecord.Receipt receipt) {
        LogRecord.Form form = payload < length ? LogRecord.Form.OFFER : LogRecord.Form.SEND;
        log.appendArrival(
                new LogRecord.Arrival(9, rank, 0, 0, 5, sequence, 1, (int) length, length, form, false, receipt),
                ByteBuffer.allocate(payload));
    }
}
