package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.Message;
import org.posthouse.core.ResendClaim;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.LogJournalTest;
import org.posthouse.relay.log.RelayLog;
import org.posthouse.relay.memory.HistoryBudget;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** What is compared with what was sent before, by a log that is cut meanwhile. */
@Timeout(120)
final class DivergenceCheckerTest {
    private static final long JOB = 7;

    /** More than a file has: 16 MiB. */
    private static final int FRAMES = 400;

    /** How a cursor maps a file. */
    private static final String READ_ONLY = " r--s ";

    @TempDir
    private Path folder;

    private final RelayLog relayLog = new RelayLog();
    private final HistoryThreads historyThreads = HistoryThreads.of(relayLog);
    private final Shard shard = new Shard(
            0, "here", CoreConfig.DEFAULT, 1, new SharedUnexpectedPool(CoreConfig.DEFAULT), StrandExecutor.open(Runnable::run), historyThreads,
            HistoryBudget.ofHeap(), new OutputGate(() -> 0, () -> 0, wanted -> {}), () -> 0);

    /** A rank compares once, and nothing more until its job ends. */
    @Test
    void unmapsLogFileAfterItIsCut() throws Exception {
        String first = compareOnce(new DivergenceChecker(shard, historyThreads, DivergenceChecker.LOOK_MS));
        fillAFile();
        assertThat(mapped(map -> map.contains(first) && map.contains(READ_ONLY))).as("it is being read").isNotEmpty();
        relayLog.jobClosed(JOB, 0);
        await().until(() -> Files.notExists(Path.of(first)));
        await().untilAsserted(() -> assertThat(mapped(map -> map.contains(first))).isEmpty());
        historyThreads.close();
        relayLog.close();
    }

    /** Before, what was read for it was kept until its job ended: up to 10 MiB for each rank and shard. */
    @Test
    void releasesLogFilesOfIdleRank() throws Exception {
        String first = compareOnce(new DivergenceChecker(shard, historyThreads, 10));
        await().untilAsserted(() -> assertThat(mapped(map -> map.contains(first) && map.contains(READ_ONLY))).isEmpty());
        historyThreads.close();
        relayLog.close();
    }

    /** A rank that mostly sends would else fill the heap with them, and the relay's other jobs would pay for it. */
    @Test
    void noMoreClaimsWaitThanTheirLimit() throws Exception {
        compareOnce(new DivergenceChecker(shard, historyThreads, DivergenceChecker.LOOK_MS));
        DivergenceChecker divergenceChecker = new DivergenceChecker(shard, historyThreads, DivergenceChecker.LOOK_MS);
        CountDownLatch busy = new CountDownLatch(1);
        historyThreads.thread().execute(() -> assertThatCode(busy::await).doesNotThrowAnyException());
        shard.strand().submit(() -> {
            for (int sequence = 1; sequence <= DivergenceChecker.WAITING_MAX + 1_000; sequence++) {
                divergenceChecker.add(JOB, 0, new ResendClaim(0, 1, sequence, 5, 8, 8, 1, 0));
            }
        });
        assertThat(divergenceChecker.waiting()).isEqualTo(DivergenceChecker.WAITING_MAX);
        busy.countDown();
        await().until(() -> divergenceChecker.waiting() == 0);
        historyThreads.close();
        relayLog.close();
    }

    /** @return the log's first file, in which what was compared stands */
    private String compareOnce(DivergenceChecker divergenceChecker) throws IOException {
        relayLog.open(folder, "here", 1, new LogLimits(64 << 20, 60, LogLimits.OnFull.WAIT), 0, LogJournalTest.NOBODY, safe -> true);
        relayLog.sync(); // Files that go are not begun again.
        relayLog.forJob(new JobOpen(JOB, Token.random(), true, "job", List.of(new HomeRelay("here", "here", "h:1")), new int[2]));
        ByteBuf eight = Unpooled.buffer().writeZero(8);
        relayLog.journal().arrival(JOB, Message.of(new Message.Logged(0, 0, 1, 5, 1, 8, 8, 1, FrameType.SEND, false, 0, 0)), new BufferParcel(eight, 0, 8, 0));
        shard.strand().submit(() -> divergenceChecker.add(JOB, 0, new ResendClaim(0, 1, 1, 5, 8, 8, 1, 0)));
        AtomicBoolean compared = new AtomicBoolean();
        historyThreads.thread().execute(() -> compared.set(true));
        await().untilTrue(compared);
        return folder.resolve("19700101-00F.cq4").toString();
    }

    private void fillAFile() {
        ByteBuf items = Unpooled.directBuffer().writeZero(Wire.PAYLOAD_BYTES_MAX);
        int count = Wire.PAYLOAD_BYTES_MAX / LogRecord.Events.ITEM_BYTES;
        for (int frames = 0; frames < FRAMES; frames++) {
            relayLog.journal().events(JOB, 1, 1, 1, count, false, new BufferParcel(items, 0, items.readableBytes(), 0));
        }
        items.release();
    }

    private static List<String> mapped(Predicate<String> which) throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(which).toList();
        }
    }
}
