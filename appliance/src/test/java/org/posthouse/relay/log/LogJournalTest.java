package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.JournalBroken;
import org.posthouse.core.JournalDamaged;
import org.posthouse.core.Message;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** What the log takes of a job, and what a failed append does. */
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

    static JobOpen job(long id) {
        return new JobOpen(id, Token.random(), true, "job", List.of(new HomeRelay("here", "here", "h:1")), new int[] {0, 0});
    }

    static RelayLog open(Path log) throws IOException {
        RelayLog relayLog = new RelayLog();
        relayLog.open(log, "here", 1, LogLimits.DEFAULT, 0, NOBODY, safe -> true);
        return relayLog;
    }

    /** As many events as fit into one frame. */
    public static void events(RelayLog relayLog, long job, long first, ByteBuf items) {
        int count = items.readableBytes() / LogRecord.Events.ITEM_BYTES;
        relayLog.journal().events(job, 1, 1, first, count, false, new BufferParcel(items, 0, items.readableBytes(), 0));
    }

    /** It was the appending thread's alone, and refused everybody else from then on. */
    @Test
    void failedAppendNamesItsJobAndLeavesLogUsable() throws Exception {
        RelayLog relayLog = open(folder);
        relayLog.forJob(job(7));
        relayLog.forJob(job(8));
        ByteBuf items = Unpooled.directBuffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        Path file = folder.resolve("19700101-00F.cq4");
        Path away = Files.move(file, folder.resolve("away"));
        assertThatThrownBy(() -> events(relayLog, 7, 1, items)).isInstanceOf(JournalBroken.class).hasMessageContaining("job 0000000000000007");
        items.release();
        Files.move(away, file);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            other.submit(() -> relayLog.journal().polls(8, 1, 1, 1)).get(60, TimeUnit.SECONDS);
        }
        long before = relayLog.position();
        assertThatThrownBy(() -> relayLog.journal().polls(7, 1, 1, 1)).as("behind what is missing").isInstanceOf(JournalBroken.class)
                .hasMessageContaining("job 0000000000000007");
        assertThat(relayLog.position()).isEqualTo(before);
        relayLog.jobClosed(7, 1);
        assertThat(relayLog.position()).as("but its end").isEqualTo(before + 1);
        relayLog.close();
    }

    /** The kernel makes a file system read-only, or somebody unmounts it lazily, while 4 MiB of blocks are reserved: what goes there may be lost. */
    @Test
    void takesNothingIntoReservedBlocksOfAFileSystemThatIsNotThere() throws Exception {
        Path there = folder.resolve("log");
        RelayLog relayLog = open(there);
        relayLog.forJob(job(7));
        relayLog.forJob(job(8));
        Path away = Files.move(there, folder.resolve("away"));
        await().until(() -> relayLog.failure().isPresent());
        assertThat(relayLog.failure().get()).contains(there.toString(), "cannot be written");
        long before = relayLog.position();
        assertThatThrownBy(() -> relayLog.journal().polls(7, 1, 1, 1)).isInstanceOf(JournalBroken.class).hasMessageContaining("0000000000000007");
        assertThat(relayLog.position()).isEqualTo(before);
        Files.move(away, there);
        await().until(() -> relayLog.failure().isEmpty());
        relayLog.journal().polls(8, 1, 1, 1);
        assertThat(relayLog.position()).isEqualTo(before + 1);
        relayLog.close();
    }

    /** The delivery of what cannot be read may be logged by then: its rank never got it, and goes on with the next. */
    @Test
    void nothingIsLoggedOfAJobThatACoreHasGivenUpAsItCannotReadIt() throws Exception {
        RelayLog relayLog = open(folder);
        relayLog.forJob(job(7));
        relayLog.forJob(job(8));
        Message message = Message.of(new Message.Logged(0, 0, 1, 5, 1, 8, 8, 1, FrameType.SEND, false, 0, 0));
        relayLog.journal().arrival(7, message, new BufferParcel(Unpooled.buffer().writeZero(8), 0, 8, 0));
        message.logged(message.logPosition(), message.logPlace() + 4);
        assertThatThrownBy(() -> relayLog.journal().head(7, message, true)).isInstanceOf(JournalDamaged.class);
        relayLog.journal().giveUp(7, "job 0000000000000007 is damaged");
        long before = relayLog.position();
        assertThatThrownBy(() -> relayLog.journal().polls(7, 1, 1, 1)).isInstanceOf(JournalBroken.class).hasMessageContaining("0000000000000007");
        assertThat(relayLog.position()).isEqualTo(before);
        relayLog.journal().polls(8, 1, 1, 1);
        assertThat(relayLog.position()).as("another job").isEqualTo(before + 1);
        relayLog.close();
    }

    /** A message was logged just before the relay stopped, and its core asks for room for the next when it has: a NullPointerException there. */
    @Test
    void aLogThatIsClosedHasNoRoomToRunAhead() throws Exception {
        RelayLog relayLog = open(folder);
        relayLog.close();
        assertThat(relayLog.journal().hasAmpleRoom()).isFalse();
    }

    @Test
    void nobodyMissesTheCheckpointOfARankThatIsDone() throws Exception {
        RelayLog relayLog = open(folder);
        relayLog.forJob(job(7));
        relayLog.points().failed(7, 1, "no disk");
        relayLog.journal().done(7, 0, 1);
        assertThat(relayLog.unsaved()).contains("no checkpoint of rank 1 of job 0000000000000007: no disk");
        relayLog.journal().done(7, 1, 1);
        assertThat(relayLog.unsaved()).isEmpty();
        long once = relayLog.position();
        relayLog.journal().done(7, 1, 1);
        assertThat(relayLog.position()).as("each launcher that comes says so").isEqualTo(once);
        relayLog.close();
    }

    /** Whoever ends a job goes on with what else there is to do for that. */
    @Test
    void aJobEndsThoughItsLogTakesNothingMore() throws Exception {
        Path there = folder.resolve("log");
        RelayLog relayLog = open(there);
        relayLog.forJob(job(7));
        relayLog.forJob(job(8));
        Path away = Files.move(there, folder.resolve("away"));
        ByteBuf items = Unpooled.buffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        assertThatThrownBy(() -> {
            for (int frames = 0; frames < 1_000; frames++) {
                events(relayLog, 7, 1, items);
            }
        }).isInstanceOf(JournalBroken.class);
        relayLog.diverged(7, 1, "otherwise");
        relayLog.diverged(8, 1, "otherwise");
        relayLog.jobClosed(7, 0);
        Files.move(away, there);
        long before = relayLog.position();
        relayLog.journal().polls(8, 1, 1, 1);
        assertThat(relayLog.position()).as("nothing depends on the note that is missing").isEqualTo(before + 1);
        relayLog.close();
    }
}
