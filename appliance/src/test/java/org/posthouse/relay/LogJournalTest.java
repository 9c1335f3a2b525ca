package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.MessageLog;

/** What a relay does with the log that a dead one has left. */
final class LogJournalTest {
    @TempDir
    private Path folder;

    private static final LogJournal.Relief NOBODY = new LogJournal.Relief() {
        @Override
        public void ask(long job, int rank) {}

        @Override
        public void changed(boolean holds, String text) {}
    };

    @Test
    void jobsThatNobodyComesBackToAreEndedOnce() throws Exception {
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(7, 2, 1), ByteBuffer.allocate(8));
            dead.appendJobOpened(new LogRecord.JobOpened(8, 2, 1), ByteBuffer.allocate(8));
            dead.appendJobClosed(new LogRecord.JobClosed(7, 0));
            dead.appendArrival(
                    new LogRecord.Arrival(8, 1, 0, 0, 5, 1, 1, 4, 4, LogRecord.Form.SEND, false, null), ByteBuffer.allocate(4));
        }
        for (int start = 0; start < 2; start++) {
            LogJournal journal = new LogJournal();
            journal.open(folder, LogLimits.DEFAULT, NOBODY);
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
}
