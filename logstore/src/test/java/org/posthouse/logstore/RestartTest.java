package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.queue.impl.TableStore;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.TableStoreWriteLock;
import net.openhft.chronicle.queue.impl.table.Metadata;
import net.openhft.chronicle.queue.impl.table.SingleTableBuilder;
import net.openhft.chronicle.threads.BusyTimedPauser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.RecordType;

/** What a writer that died, or one that still lives, means for the next one. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class RestartTest {
    private static final int KILLS = Boolean.getBoolean("posthouse.long") ? 4 : 2;

    @TempDir
    private Path home;

    /** Appends until killed; args: folder, file that takes the last acknowledged position, seed. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            Random random = new Random(Long.parseLong(args[2]));
            try (RandomAccessFile file = new RandomAccessFile(args[1], "rw");
                    MessageLog log = MessageLog.open(new LogConfig(Path.of(args[0]), 1 << 20, 0))) {
                MappedByteBuffer acknowledged = file.getChannel().map(MapMode.READ_WRITE, 0, 16);
                acknowledged.putLong(8, log.epoch());
                for (long i = 1;; i++) {
                    int length = random.nextInt(20_000);
                    Arrival arrival = Samples.arrival(i, length);
                    acknowledged.putLong(0, log.appendArrival(arrival, ByteBuffer.wrap(Samples.bytes(i, length))));
                }
            }
        }
    }

    @Test
    void losesNothingAcknowledgedWhenTheWriterIsKilledAgainAndAgain() throws Exception {
        Path folder = home.resolve("log");
        Path acknowledgement = home.resolve("ack");
        long before = 0;
        for (int kill = 1; kill <= KILLS; kill++) {
            killAfterAppends(folder, acknowledgement, kill, before + 1000);
            long acknowledged = ChildJvm.told(acknowledgement, 0);
            try (MessageLog log = MessageLog.open(Samples.config(folder))) {
                assertThat(log.position()).isGreaterThan(acknowledged);
                assertThat(log.epoch()).isEqualTo(2L * kill);
                before = log.position();
            }
        }
        LogScan scan = MessageLog.scan(folder, Samples::assertPayloadWhole);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.lastPosition()).isEqualTo(before);
        assertThat(scan.counts()).containsEntry(RecordType.WRITER_STARTED, 2L * KILLS);
    }

    private void killAfterAppends(Path folder, Path acknowledgement, int seed, long position) throws Exception {
        try (ChildJvm writer = writer(folder, acknowledgement, seed)) {
            writer.await(() -> ChildJvm.told(acknowledgement, 0) >= position);
        }
    }

    private ChildJvm writer(Path folder, Path acknowledgement, int seed) throws IOException {
        return ChildJvm.start(Writer.class, home.resolve("out" + seed), folder.toString(), acknowledgement.toString(), "" + seed);
    }

    @Test
    void refusesAFolderThatAnotherProcessHoldsAndNamesIt() throws Exception {
        Path folder = home.resolve("log");
        Path acknowledgement = home.resolve("ack");
        try (ChildJvm writer = writer(folder, acknowledgement, 0)) {
            writer.await(() -> ChildJvm.told(acknowledgement, 0) >= 1);
            assertThatThrownBy(() -> MessageLog.open(Samples.config(folder))).isInstanceOf(LogException.class)
                    .hasMessageContaining(folder.toString()).hasMessageContaining("process " + writer.process().pid());
        }
    }

    @Test
    void refusesASecondLogInThisProcessAndKeepsTheFirst() throws Exception {
        Path folder = home.resolve("log");
        try (MessageLog first = Samples.open(folder)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> Samples.open(folder)).isInstanceOf(LogException.class)
                        .hasMessageContaining(folder.toString()).hasMessageContaining("4711");
            }
            Samples.fill(first, 1, 1);
        }
        Samples.open(folder).close();
        assertThat(Samples.scan(folder).epoch()).isEqualTo(2);
    }

    @Test
    void opensAfterAWriterWithThisProcessIdDiedHoldingChroniclesLock() {
        Path folder = home.resolve("log");
        Samples.closedLog(folder, 3);
        leaveWriteLockBehind(folder);
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.position()).isEqualTo(5);
        }
    }

    /** Takes Chronicle's lock under our own process id and forgets it, as a predecessor in a container does. */
    private static void leaveWriteLockBehind(Path folder) {
        Path file = folder.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE);
        try (TableStore<?> store = SingleTableBuilder.binary(file.toFile(), Metadata.NoMeta.INSTANCE).build()) {
            new TableStoreWriteLock(store, BusyTimedPauser::new, 0L).lock();
        }
    }
}
