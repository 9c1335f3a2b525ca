package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.Message;
import org.posthouse.core.Recovered;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.MessageLog;
import org.posthouse.wire.Home;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What a relay does with the log that a dead one has left. */
final class LogJournalTest {
    @TempDir
    private Path folder;

    private static final LogRoom.Relief NOBODY = new LogRoom.Relief() {
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
    void jobsOfWhichTheOpeningCannotBeReadAreEndedOnce() throws Exception {
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(7, 2, 1), ByteBuffer.allocate(8));
            dead.appendJobOpened(new LogRecord.JobOpened(8, 2, 1), ByteBuffer.allocate(8));
            dead.appendJobClosed(new LogRecord.JobClosed(7, 0));
            dead.appendArrival(
                    new LogRecord.Arrival(8, 1, 0, 0, 5, 1, 1, 4, 4, LogRecord.Form.SEND, false, null), ByteBuffer.allocate(4));
        }
        for (int start = 0; start < 2; start++) {
            LogJournal journal = new LogJournal();
            assertThat(journal.open(folder, "here", 1, LogLimits.DEFAULT, NOBODY, safe -> true)).isEmpty();
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
                9, Token.random(), true, "went on", List.of(new Home("a", "a", "a:1"), new Home("here", "here", "h:1")),
                new int[] {0, 1, 1});
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder), last -> 70, entry -> {})) {
            dead.appendJobOpened(new LogRecord.JobOpened(9, 3, 1), opening.encode());
            dead.appendIncarnation(new LogRecord.Incarnation(9, 1, 2, 0, 0));
            dead.appendPolls(new LogRecord.Polls(9, 1, 2, 33));
            arrival(dead, 1, 1, 4, 4, new LogRecord.Receipt(2, 1, 1));
            arrival(dead, 1, 2, 4, 4, null);
            arrival(dead, 1, 3, 8, 0, null);
        }
        LogJournal journal = new LogJournal();
        List<LoggedJob> jobs = journal.open(folder, "here", 5, LogLimits.DEFAULT, NOBODY, safe -> true);
        assertThat(journal.relayEpoch()).as("later than all that the log has seen").isEqualTo(71);
        journal.close();
        assertThat(jobs).hasSize(1);
        assertThat(jobs.getFirst().opening().name()).isEqualTo("went on");
        assertThat(jobs.getFirst().ranks()).extracting(Recovered::rank).containsExactly(1, 2);
        Recovered rank = jobs.getFirst().ranks().getFirst();
        assertThat(List.of(rank.incarnation(), rank.deliveries(), rank.failedPolls())).asList().containsExactly(2, 1L, 33L);
        assertThat(rank.channels()).containsExactly(new Recovered.Channel(0, 0, 3));
        assertThat(rank.messages()).extracting(Message::sequence).containsExactly(2L, 3L);
        assertThat(jobs.getFirst().ranks().get(1)).isEqualTo(Recovered.nothing(2));
        LogJournal next = new LogJournal();
        assertThat(next.open(folder, "here", 100, LogLimits.DEFAULT, NOBODY, safe -> true)).as("as long as it is open").hasSize(1);
        assertThat(next.relayEpoch()).isEqualTo(100);
        next.close();
    }

    private static void arrival(MessageLog log, int rank, long sequence, long length, int payload, LogRecord.Receipt receipt) {
        LogRecord.Form form = payload < length ? LogRecord.Form.OFFER : LogRecord.Form.SEND;
        log.appendArrival(
                new LogRecord.Arrival(9, rank, 0, 0, 5, sequence, 1, (int) length, length, form, false, receipt),
                ByteBuffer.allocate(payload));
    }
}
