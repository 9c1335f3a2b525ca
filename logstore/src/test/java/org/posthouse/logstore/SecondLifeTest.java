package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.RecordEnvelope;

/** A writer is killed in files that had an earlier life: what it acknowledged is there, and nothing of that life is. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class SecondLifeTest {
    private static final int KILLS = Boolean.getBoolean("posthouse.long") ? 3 : 2;

    @TempDir
    private Path home;

    /** Appends until killed, and cuts behind each job; args: folder, file for position, epoch and files begun again, seed. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            Random random = new Random(Long.parseLong(args[2]));
            ByteBuffer payload = ByteBuffer.allocateDirect(1 << 20);
            try (RandomAccessFile file = new RandomAccessFile(args[1], "rw");
                    MessageLog log = MessageLog.open(new LogConfig(Path.of(args[0]), 1 << 20, 0))) {
                MappedByteBuffer told = file.getChannel().map(MapMode.READ_WRITE, 0, 16);
                if (log.book().job(Samples.JOB) != null) {
                    log.append(new JobClosed(Samples.JOB, 1));
                }
                for (long i = 1;; i++) {
                    log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
                    for (long rolls = log.rolls(); log.rolls() < rolls + 2; i++) {
                        int length = random.nextInt(random.nextInt(1, 100_000));
                        payload.clear().put(Samples.bytes(i, length)).flip();
                        told.putLong(0, log.appendArrival(Samples.arrival(i, length), payload));
                    }
                    log.append(new JobClosed(Samples.JOB, 0));
                    long before = log.usedBytes();
                    log.discard(log.cut(log.position() + 1), Long.MAX_VALUE);
                    told.putLong(8, told.getLong(8) + (log.usedBytes() == before ? 1 : 0));
                }
            }
        }
    }

    @Test
    void nothingAcknowledgedIsLostAndNothingOfAnEarlierLifeIsSeen() throws Exception {
        Path folder = home.resolve("log");
        Path told = home.resolve("told");
        for (int kill = 1; kill <= KILLS; kill++) {
            killAfterCuts(folder, told, kill, ChildJvm.told(told, 8) + 3);
            long acknowledged = ChildJvm.told(told, 0);
            assertNoEarlierLife(folder);
            try (MessageLog log = MessageLog.open(new LogConfig(folder, 1 << 20, 0))) {
                assertThat(log.position()).isGreaterThan(acknowledged);
            }
            LogScan scan = MessageLog.scan(folder, Samples::assertPayloadWhole);
            assertThat(scan.defect()).isEmpty();
            assertThat(scan.epoch()).isEqualTo(2L * kill);
            assertThat(folder.resolve("spare.tmp")).doesNotExist();
        }
    }

    /** As the writer left them: no whole record stands in a file that is older than its first. */
    private static void assertNoEarlierLife(Path folder) throws IOException {
        for (Path path : QueueFiles.list(folder).values()) {
            try (MappedQueueFile file = new MappedQueueFile(path)) {
                if (file.advance() == MappedQueueFile.At.RECORD && file.flaw() == null) {
                    long first = file.bytes().getLong(file.offset() + RecordEnvelope.POSITION);
                    assertThat(file.findRecord(0, 1, first - 1)).as(path.toString()).isNegative();
                }
            }
        }
    }

    /** At some moment within the job behind so many cuts. */
    private void killAfterCuts(Path folder, Path told, int seed, long cuts) throws Exception {
        try (ChildJvm writer = ChildJvm.start(Writer.class, home.resolve("out" + seed), folder.toString(), told.toString(), "" + seed)) {
            writer.await(() -> ChildJvm.told(told, 8) >= cuts);
            long until = ChildJvm.told(told, 0) + 3 + 5L * seed;
            while (ChildJvm.told(told, 0) < until) {
                assertThat(writer.process().isAlive()).as(writer::output).isTrue();
            }
        }
    }
}
