package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord.JobOpened;

/** A real log, made safe on a real disk by a thread of its own, for whoever asks. */
@Timeout(120)
class LogSyncerTest {
    @TempDir
    private Path folder;

    private final AtomicInteger safeTold = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);

    @Test
    void syncsToTheRequestedPositionThenRests() {
        try (MessageLog log = MessageLog.open(LogConfig.of(folder));
                LogSyncer syncer = new LogSyncer(log::sync, safeTold::incrementAndGet, LogSyncerTest::unexpected)) {
            assertThat(syncer.safe()).isZero();
            log.appendJobOpened(new JobOpened(1, 2, 2), ByteBuffer.allocate(0));
            long first = log.position();
            syncer.want(first);
            await().until(() -> syncer.safe() >= first);
            await().until(() -> safeTold.get() == 1);
            log.appendJobOpened(new JobOpened(2, 2, 2), ByteBuffer.allocate(0));
            long second = log.position();
            syncer.want(first);
            assertThat(syncer.safe()).as("nobody wants more").isEqualTo(first);
            syncer.want(second);
            await().until(() -> syncer.safe() == second);
            await().until(() -> safeTold.get() == 2);
        }
    }

    /** While it rests, and when it is closed: docs/log-format.md has the table. */
    @Test
    void writesDownUpToWhereItIsSafe() throws IOException {
        Path word = folder.resolve("writer.safe");
        try (MessageLog log = MessageLog.open(LogConfig.of(folder))) {
            LogSyncer syncer = new LogSyncer(log::sync, safeTold::incrementAndGet, LogSyncerTest::unexpected);
            assertThat(syncer.await(log.position())).isTrue();
            await().until(() -> position(word) == log.position());
            log.appendJobOpened(new JobOpened(1, 2, 2), ByteBuffer.allocate(0));
            assertThat(syncer.await(log.position())).isTrue();
            syncer.close();
            assertThat(position(word)).isEqualTo(log.position());
        }
    }

    private static long position(Path word) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(word)).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
    }

    @Test
    void awaitReturnsTrueOncePositionIsSafe() {
        try (MessageLog log = MessageLog.open(LogConfig.of(folder));
                LogSyncer syncer = new LogSyncer(log::sync, safeTold::incrementAndGet, LogSyncerTest::unexpected)) {
            log.appendJobOpened(new JobOpened(1, 2, 2), ByteBuffer.allocate(0));
            assertThat(syncer.await(log.position())).isTrue();
            assertThat(syncer.safe()).isEqualTo(log.position());
        }
    }

    @Test
    void awaitReturnsFalseAfterCloseOrFailure() throws Exception {
        Files.createFile(folder.resolve("file"));
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicInteger failures = new AtomicInteger();
        LogSyncer stopped = new LogSyncer(() -> breaks(goesOn), safeTold::incrementAndGet, failure -> failures.incrementAndGet());
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> stopped.await(5), Thread::startVirtualThread);
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(stopped::close, Thread::startVirtualThread);
        assertThat(closed.get(60, TimeUnit.SECONDS)).isFalse();
        goesOn.countDown();
        closing.get(60, TimeUnit.SECONDS);

        LogSyncer broken = new LogSyncer(() -> breaks(goesOn), safeTold::incrementAndGet, failure -> failures.incrementAndGet());
        assertThat(broken.await(5)).isFalse();
        assertThat(broken.await(5)).as("nor later").isFalse();
        broken.close();
        assertThat(failures).hasValue(2);
        assertThat(safeTold).hasValue(0);
    }

    private static void unexpected(String failure) {
        throw new AssertionError(failure);
    }

    /** Whatever it is: who waits would wait for ever, and nobody would know why. */
    @Test
    void tellsOfAnyFaultThatEndsIt() {
        List<String> failures = new CopyOnWriteArrayList<>();
        try (MessageLog log = MessageLog.open(LogConfig.of(folder));
                LogSyncer noSource = new LogSyncer(() -> {
                    throw new IllegalStateException("no source");
                }, safeTold::incrementAndGet, failures::add);
                LogSyncer noMemory = new LogSyncer(log::sync, () -> {
                    throw new OutOfMemoryError("no memory");
                }, failures::add)) {
            assertThat(noSource.failure()).isEmpty();
            assertThat(noSource.await(1)).isFalse();
            noMemory.want(1);
            await().until(() -> failures.size() == 2);
            assertThat(failures.getFirst()).contains("no source");
            assertThat(failures.getLast()).contains("no memory");
            assertThat(noSource.failure()).hasValue(failures.getFirst());
        }
    }

    private LogSync breaks(CountDownLatch goesOn) {
        begun.countDown();
        try {
            goesOn.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        try (MessageLog none = MessageLog.open(LogConfig.of(folder.resolve("file")))) {
            throw new AssertionError(none + " was opened in a file");
        }
    }

    @Test
    void thatWasNeverNeededHasNoThreadAndNeedsNoLog() {
        LogSyncer syncer = new LogSyncer(
                () -> {
                    throw new IllegalStateException("there is no log");
                },
                safeTold::incrementAndGet,
                LogSyncerTest::unexpected);
        syncer.close();
        syncer.want(1);
        assertThat(syncer.safe()).isZero();
        assertThat(safeTold).hasValue(0);
    }
}
