package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.file.FolderLock;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.ReservedBlocks;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.logstore.record.LogRecord.Withdrawn;
import org.posthouse.logstore.record.LogRecord.WriterStarted;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordType;

final class MessageLogTest {
    @TempDir
    private Path folder;

    /** What it had taken by then was held until the process ended. */
    @Test
    void aFolderThatCouldNotBeTakenCanBeTakenLater() throws IOException {
        Path inTheWay = Files.createDirectories(folder.resolve(FolderLock.PID_FILE));
        assertThatThrownBy(() -> Samples.open(folder)).isInstanceOf(LogException.class);
        Files.delete(inTheWay);
        Samples.open(folder).close();
    }

    /** Who may read a file may lock it, too, and so keep a log from its next writer. */
    @Test
    void nobodyElseCanLockTheFolder() throws IOException {
        Samples.open(folder).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(FolderLock.LOCK_FILE)))).isEqualTo("rw-------");
    }

    @Test
    void readsBackEveryKindOfRecord() {
        Arrival offered = new Arrival(Samples.JOB, 3, 1, 2, 99, 1, 7, 9, 9, Form.OFFER, true, null);
        Arrival delivered = Samples.arrival(2, 3, new Receipt(2, 2, 5));
        Delivery delivery = new Delivery(Samples.JOB, 3, new Receipt(2, 1, 4), 1, 2, 1, 4, 0);
        Events events = new Events(Samples.JOB, 3, 2, 2, 1, false);
        LogRecord.Failed failed = new LogRecord.Failed(Samples.JOB, 3);
        LogRecord.Agreed agreed = new LogRecord.Agreed(Samples.JOB);
        Checkpoint checkpoint = new Checkpoint(1, 2, 3, 4, 5, 6, 7, false);
        List<LogRecord> expected = new ArrayList<>(List.of(
                new WriterStarted(Samples.WALL_TIME_MS, 4711, Samples.BOOT, 0), new JobOpened(Samples.JOB, 16, 1),
                new Incarnation(Samples.JOB, 3, 2, 0, 0), offered));
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.appendJobOpened(new JobOpened(Samples.JOB, 16, 1), ByteBuffer.allocate(5))).isEqualTo(2);
            assertThat(log.append(new Incarnation(Samples.JOB, 3, 2, 0, 0))).isEqualTo(3);
            assertThat(log.appendArrival(offered)).isEqualTo(4);
            long place = log.place();
            assertThat(log.appendChunk(Samples.JOB, 3, 4, 0, ByteBuffer.allocate(6))).isEqualTo(5);
            expected.add(new Chunk(Samples.JOB, 3, 4, 0, place));
            long second = log.place();
            assertThat(log.appendChunk(Samples.JOB, 3, 4, 6, ByteBuffer.allocate(3))).isEqualTo(6);
            expected.add(new Chunk(Samples.JOB, 3, 4, 6, second));
            long last = log.place();
            assertThat(log.appendDelivery(delivery)).isEqualTo(7);
            expected.add(new Delivery(Samples.JOB, 3, new Receipt(2, 1, 4), 1, 2, 1, 4, 0, last));
            assertThat(log.appendArrival(delivered, ByteBuffer.wrap(new byte[] {1, 2, 3}))).isEqualTo(8);
            assertThat(log.append(new Polls(Samples.JOB, 3, 2, 77))).isEqualTo(9);
            assertThat(log.appendEvents(events, ByteBuffer.allocate(20), ByteBuffer.allocate(12))).isEqualTo(10);
            assertThat(log.appendWithdrawn(new Withdrawn(Samples.JOB, 3, 1, 2, 3, 4))).isEqualTo(11);
            assertThat(log.append(new CheckpointTaken(Samples.JOB, 3, checkpoint))).isEqualTo(12);
            assertThat(log.append(new Finalized(Samples.JOB, 3, 2, false))).isEqualTo(13);
            assertThat(log.appendDiverged(new Diverged(Samples.JOB, 1), ByteBuffer.wrap(new byte[] {'a'}))).isEqualTo(14);
            assertThat(log.appendFailed(failed, ByteBuffer.wrap(new byte[] {1}))).isEqualTo(15);
            assertThat(log.appendAgreed(agreed, ByteBuffer.wrap(new byte[] {2, 3}))).isEqualTo(16);
            assertThat(log.append(new JobClosed(Samples.JOB, 6))).isEqualTo(17);
        }
        expected.addAll(List.of(delivered, new Polls(Samples.JOB, 3, 2, 77), events,
                new Withdrawn(Samples.JOB, 3, 1, 2, 3, 4), new CheckpointTaken(Samples.JOB, 3, checkpoint),
                new Finalized(Samples.JOB, 3, 2, false), new Diverged(Samples.JOB, 1), failed, agreed, new JobClosed(Samples.JOB, 6)));
        assertThat(Samples.entries(folder)).extracting(LogEntry::record).containsExactlyElementsOf(expected);
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.records()).isEqualTo(17);
        assertThat(scan.counts()).hasSize(RecordType.values().length - 1).containsEntry(RecordType.ARRIVAL, 2L);
        assertThat(List.of(scan.firstPosition(), scan.lastPosition(), scan.epoch())).containsExactly(1L, 17L, 1L);
    }

    @Test
    void refusesFormatVersion1WithAdvice() {
        Samples.closedLog(folder, 3);
        Samples.overwrite(Samples.onlyFile(folder), Samples.entry(folder, 1).offset() + RecordEnvelope.VERSION, (byte) 1);
        assertThatThrownBy(() -> Samples.open(folder)).isInstanceOf(LogException.class)
                .hasMessageContaining("format version 1").hasMessageContaining("move the folder away");
    }

    @Test
    void keepsTheRelayEpochsItWasOpenedWith() {
        for (long epoch : new long[] {100, 70, 200}) {
            try (MessageLog log = MessageLog.open(Samples.config(folder), book -> Math.max(epoch, book.relayEpoch() + 1), entry -> {})) {
                assertThat(log.relayEpoch()).isEqualTo(epoch == 70 ? 101 : epoch);
            }
        }
        MessageLog.open(Samples.config(folder)).close();
        assertThat(Samples.scan(folder).book().relayEpoch()).as("the highest, not the last").isEqualTo(200);
    }

    @Test
    void joinsPayloadFromPiecesOfAnyKindAndKeepsThemUntouched() {
        byte[] bytes = Samples.bytes(1, 40_000);
        ByteBuffer direct = ByteBuffer.allocateDirect(10_000).put(bytes, 0, 10_000).flip();
        ByteBuffer slice = ByteBuffer.wrap(bytes).slice(10_000, 10_000);
        ByteBuffer readOnly = ByteBuffer.wrap(bytes).slice(20_000, 20_000).asReadOnlyBuffer().position(100);
        ByteBuffer between = ByteBuffer.wrap(bytes, 20_000, 100);
        try (MessageLog log = Samples.open(folder)) {
            log.appendArrival(Samples.arrival(1, bytes.length), direct, slice, between, readOnly);
        }
        assertThat(payloads()).containsExactly(bytes);
        assertThat(List.of(direct.remaining(), slice.remaining(), between.remaining(), readOnly.remaining()))
                .containsExactly(10_000, 10_000, 100, 19_900);
    }

    @Test
    void keepsLargestRecordsAcrossMappedBlocks() {
        try (MessageLog log = Samples.open(folder)) {
            for (int i = 1; i <= 40; i++) {
                ByteBuffer direct = ByteBuffer.allocateDirect(MessageLog.MAX_PAYLOAD_BYTES)
                        .put(Samples.bytes(i, MessageLog.MAX_PAYLOAD_BYTES)).flip();
                log.appendArrival(Samples.arrival(i, MessageLog.MAX_PAYLOAD_BYTES), direct);
            }
        }
        List<byte[]> payloads = payloads();
        assertThat(payloads).hasSize(40);
        assertThat(payloads.get(19)).isEqualTo(Samples.bytes(20, MessageLog.MAX_PAYLOAD_BYTES));
        assertThat(payloads.get(39)).isEqualTo(Samples.bytes(40, MessageLog.MAX_PAYLOAD_BYTES));
    }

    private List<byte[]> payloads() {
        List<byte[]> payloads = new ArrayList<>();
        LogScan scan = MessageLog.scan(folder, entry -> {
            if (entry.record() instanceof Arrival) {
                byte[] bytes = new byte[entry.payload().remaining()];
                entry.payload().get(bytes);
                payloads.add(bytes);
            }
        });
        assertThat(scan.defect()).isEmpty();
        return payloads;
    }

    @Test
    void continuesPositionsAndTakesTheNextEpochOnReopen() {
        Samples.closedLog(folder, 4);
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.epoch()).isEqualTo(2);
            assertThat(log.position()).isEqualTo(6);
            assertThat(log.append(new Polls(Samples.JOB, 1, 1, 1))).isEqualTo(7);
        }
        assertThat(Samples.entries(folder)).extracting(LogEntry::epoch).containsExactly(1L, 1L, 1L, 1L, 1L, 2L, 2L);
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void openingVisitsEveryRecordInOrder() {
        Samples.closedLog(folder, 4);
        List<Long> positions = new ArrayList<>();
        MessageLog.open(Samples.config(folder), book -> 0, entry -> positions.add(entry.position())).close();
        assertThat(positions).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void refusesAppendFromAnotherThreadUntilHandedOver() throws Exception {
        try (MessageLog log = Samples.open(folder)) {
            log.append(new Polls(Samples.JOB, 1, 1, 1));
            assertThatThrownBy(() -> inAnotherThread(log)).hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(Thread.currentThread().getName());
            log.handOver();
            assertThat(inAnotherThread(log)).isEqualTo(3);
            assertThatThrownBy(log::hasRoom).isInstanceOf(IllegalStateException.class).hasMessageContaining("second");
        }
    }

    private static long inAnotherThread(MessageLog log) throws InterruptedException, ExecutionException {
        FutureTask<Long> task = new FutureTask<>(() -> log.append(new Polls(Samples.JOB, 1, 1, 1)));
        Thread.ofPlatform().name("second").start(task).join();
        return task.get();
    }

    @Test
    void refusesArrivalsOnceDiskAndReservedBlocksAreFull() {
        AtomicLong free = new AtomicLong(2000);
        HostCalls hostCalls = new HostCalls(free::get, () -> 0, 1, Samples.BOOT);
        LogConfig config = new LogConfig(folder, LogConfig.DEFAULT_ROLL_BYTES, 1000);
        try (MessageLog log = LogOpening.open(config, book -> 0, entry -> {}, hostCalls)) {
            assertThat(log.hasRoom()).isTrue();
            assertThat(log.hasAmpleRoom()).isTrue();
            free.set(1999);
            while (log.hasAmpleRoom()) {
                log.append(new Polls(Samples.JOB, 1, 1, 1));
            }
            assertThat(log.hasRoom()).as("writers are slowed down before they are refused").isTrue();
            long before = log.position();
            free.set(999);
            assertThat(log.hasRoomNow()).as("the writer is told").isFalse();
            int accepted = 0;
            while (log.appendArrival(Samples.arrival(1, 100_000), ByteBuffer.allocate(100_000)) != MessageLog.NO_ROOM) {
                accepted++;
            }
            assertThat(accepted * 100_000L).as("what was taken in before has its blocks")
                    .isBetween(RecordChain.MARGIN_BYTES - 400_000, RecordChain.MARGIN_BYTES + ReservedBlocks.STEP_BYTES);
            assertThat(log.hasRoom()).isFalse();
            assertThat(log.append(new Polls(Samples.JOB, 1, 1, 1))).as("what goes with a checkpoint")
                    .isEqualTo(before + accepted + 1);
            free.set(1000);
            assertThat(log.hasRoomNow()).isTrue();
            assertThat(log.appendArrival(Samples.arrival(1, 1), ByteBuffer.allocate(1))).isEqualTo(before + accepted + 2);
            assertThat(log.hasAmpleRoom()).isFalse();
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void refusesInvalidArgumentsNamingTheValue() {
        try (MessageLog log = Samples.open(folder)) {
            ByteBuffer tooLarge = ByteBuffer.allocate(MessageLog.MAX_PAYLOAD_BYTES + 1);
            assertThatThrownBy(() -> log.appendArrival(Samples.arrival(1, 2 << 20), tooLarge))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1048577");
            assertThatThrownBy(() -> log.appendArrival(Samples.arrival(1, 1), ByteBuffer.allocate(2)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("2 bytes inline");
            assertThatThrownBy(() -> log.appendChunk(Samples.JOB, 3, 9, 0, ByteBuffer.allocate(1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("arrival at 9, log is at 1");
            assertThatThrownBy(() -> new LogConfig(folder, 1, 0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rollBytes is 1");
            assertThat(log.position()).isEqualTo(1);
        }
    }

    @Test
    void refusesAppendAfterClose() {
        MessageLog log = Samples.open(folder);
        log.close();
        log.close();
        assertThatThrownBy(() -> log.append(new Polls(Samples.JOB, 1, 1, 1))).isInstanceOf(LogException.class)
                .hasMessageContaining(folder.toString()).hasMessageContaining("is closed");
    }

    @Test
    void saysInWordsWhyItCannotBeRead() {
        Path none = folder.resolve("none");
        assertThatThrownBy(() -> MessageLog.scan(none, entry -> {})).isInstanceOf(LogException.class)
                .hasMessage("log " + none + ": cannot be read: no such file: " + none + "; check the folder's name and rights");
        assertThat(LogException.words(new IOException("No space left on device"))).isEqualTo("No space left on device");
        assertThat(LogException.words(new ClosedChannelException())).isEqualTo("closed channel");
    }

    @Test
    void appendsIntoNewBlocksAndFilesThoughItsThreadIsInterrupted() {
        LogConfig config = new LogConfig(folder, 20L << 20, 0);
        try (MessageLog log = MessageLog.open(config)) {
            for (int i = 1; i <= 40; i++) {
                Thread.currentThread().interrupt();
                Samples.fill(log, 1, MessageLog.MAX_PAYLOAD_BYTES);
                assertThat(Thread.interrupted()).isTrue();
            }
        }
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.records()).isEqualTo(41 + scan.counts().get(RecordType.SNAPSHOT));
    }
}
