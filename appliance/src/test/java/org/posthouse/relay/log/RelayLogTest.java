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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.Message;
import org.posthouse.core.RecoveredRank;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** What a relay does with the log that a dead one has left. */
class RelayLogTest {
    @TempDir
    private Path folder;

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        for (Path none : List.of(file.resolve("log"), Path.of("/proc/none/log"))) {
            assertThatThrownBy(() -> new RelayLog().open(none, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true))
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
            RelayLog relayLog = new RelayLog();
            assertThat(relayLog.open(folder, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true)).isEmpty();
            relayLog.close();
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
        RelayLog relayLog = new RelayLog();
        List<LoggedJob> jobs = relayLog.open(folder, "here", 5, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true);
        assertThat(relayLog.relayEpoch()).as("later than all that the log has seen").isEqualTo(71);
        relayLog.close();
        assertThat(jobs).hasSize(1);
        assertThat(jobs.getFirst().opening().name()).isEqualTo("went on");
        assertThat(jobs.getFirst().ranks()).extracting(RecoveredRank::rank).containsExactly(1, 2);
        RecoveredRank rank = jobs.getFirst().ranks().getFirst();
        assertThat(List.of(rank.incarnation(), rank.deliveries(), rank.failedPolls())).asList().containsExactly(2, 1L, 33L);
        assertThat(rank.channels()).containsExactly(new RecoveredRank.Channel(0, 0, 3));
        assertThat(rank.messages()).extracting(Message::sequence).containsExactly(2L, 3L);
        assertThat(jobs.getFirst().ranks().get(1)).isEqualTo(RecoveredRank.nothing(2));
        RelayLog next = new RelayLog();
        assertThat(next.open(folder, "here", 100, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true)).as("as long as it is open").hasSize(1);
        assertThat(next.relayEpoch()).isEqualTo(100);
        next.close();
    }

    /** One wrong word where a relay is started ended that site's jobs in its log, and deleted their images. */
    @Test
    void theLogOfAnotherRelayIsLeftAsItIs() throws Exception {
        Path there = folder.resolve("log");
        try (MessageLog dead = MessageLog.open(LogConfig.of(there))) {
            dead.appendJobOpened(new LogRecord.JobOpened(7, 2, 1), LogJournalTest.job(7).encode());
            dead.appendJobOpened(new LogRecord.JobOpened(8, 2, 1), ByteBuffer.allocate(8));
        }
        Path image = Files.createDirectories(folder.resolve("images/0000000000000007")).resolve("image");
        Files.createFile(image);
        long before = MessageLog.scan(there, entry -> {}).lastPosition();
        assertThatThrownBy(() -> new RelayLog().open(there, "elsewhere", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true))
                .hasMessageContainingAll("the log in " + there + " is of relay here, and this is relay elsewhere", "0000000000000007", "--data");
        assertThat(MessageLog.scan(there, entry -> {}).lastPosition()).isEqualTo(before);
        assertThat(image).exists();
        RelayLog owner = new RelayLog();
        assertThat(owner.open(there, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true)).hasSize(1);
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
        assertThatThrownBy(() -> new RelayLog().open(here, "there", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true))
                .hasMessageContainingAll("the log in " + here + " is of relay here, and this is relay there", "0000000000000007", "--data");
        RelayLog owner = new RelayLog();
        assertThat(owner.open(here, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true)).hasSize(1);
        owner.close();
    }

    @Test
    void failedOpenReleasesTheLog() throws Exception {
        Path log = folder.resolve("log");
        Path other = Files.createDirectories(RelayLog.imageFolder(log).resolve("not a job"));
        RelayLog relayLog = new RelayLog();
        assertThatThrownBy(() -> relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("has what is no job's");
        Files.delete(other);
        relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, LogJournalTest.NOBODY, safe -> true);
        relayLog.close();
    }

    /** A file has its blocks as long as somebody has it open, whether it has a name or not. */
    @Test
    void filesThatWereCutGiveTheirRoomBackThoughTheyWereRead() throws Exception {
        RelayLog relayLog = new RelayLog();
        LogLimits limits = new LogLimits(64 << 20, 60, LogLimits.OnFull.WAIT);
        relayLog.open(folder, "here", 1, limits, 0, LogJournalTest.NOBODY, safe -> true);
        relayLog.sync(); // Files that go are not begun again.
        relayLog.forJob(LogJournalTest.job(7));
        Message message = Message.of(new Message.Logged(0, 0, 1, 5, 1, 8, 8, 1, FrameType.SEND, false, 0, 0));
        ByteBuf eight = Unpooled.buffer().writeZero(8);
        relayLog.journal().arrival(7, message, new BufferParcel(eight, 0, 8, 0));
        relayLog.journal().head(7, message, true).release();
        ByteBuf items = Unpooled.directBuffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        for (int frames = 0; frames < 600; frames++) {
            LogJournalTest.events(relayLog, 7, 1, items);
        }
        items.release();
        relayLog.jobClosed(7, 0);
        await().until(() -> Files.notExists(folder.resolve("19700101-00F.cq4")));
        await().untilAsserted(() -> assertThat(openAndGone()).isEmpty());
        relayLog.close();
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
