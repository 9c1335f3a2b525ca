package org.posthouse.relay.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.Journal;
import org.posthouse.core.Peer;
import org.posthouse.core.RankPort;
import org.posthouse.core.Refusal;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.RelayLog;
import org.posthouse.relay.memory.HistoryBudget;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** Two shards of a relay, each with a rank of one job, all in the thread of the test. */
final class ShardTest {
    private static final long JOB = 7;
    private static final Token TOKEN = new Token(1, 2);
    private static final HomeRelay HERE = new HomeRelay("here", "here", "h:1");

    private final HistoryThreads historyThreads = HistoryThreads.of(new RelayLog());
    private final Shard first = shard(0);
    private final Shard second = shard(1);

    /** What rank 1 was told, by the names of the calls, and what else there was. */
    private final List<String> order = new ArrayList<>();

    private Shard shard(int number) {
        OutputGate outputGate = new OutputGate(() -> 0, () -> 0, wanted -> {});
        return new Shard(number, "here", CoreConfig.DEFAULT, 2, new SharedUnexpectedPool(CoreConfig.DEFAULT), StrandExecutor.open(Runnable::run),
                historyThreads, HistoryBudget.ofHeap(), outputGate, () -> 2);
    }

    @BeforeEach
    void open() {
        Shard.introduce(List.of(first, second));
        second.strand().submit(this::openWithRank1);
    }

    private void openWithRank1() {
        JobOpen opening = new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "test", List.of(HERE), new int[2]);
        try {
            second.core().openJob(opening, rank -> rank == 1 ? null : second.peer(0), event -> {}, Journal.NONE);
            second.core().connect(Hello.firstStart(JOB, 1), List.of(), port());
            order.clear();
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    private RankPort port() {
        return (RankPort) Proxy.newProxyInstance(RankPort.class.getClassLoader(), new Class<?>[] {RankPort.class}, (port, call, arguments) -> {
            order.add(call.getName());
            return call.getName().equals("writable") ? true : null;
        });
    }

    @AfterEach
    void close() {
        historyThreads.close();
    }

    /** It says that nothing more comes; what waits for room in the log comes yet. */
    @Test
    void mismatchFromAnotherShardWaitsBehindItsEarlierFrames() {
        Peer fromFirst = second.peer(0);
        second.strand().submit(() -> second.backlog().add(fromFirst, Unpooled.EMPTY_BUFFER, () -> order.add("frame")));
        BlockedReport blockedReport = new BlockedReport(JOB, 1, 2, 3, 1, -1, "nothing more comes");
        first.strand().submit(() -> first.peer(1).stall(FrameType.MISMATCH, blockedReport));
        assertThat(order).doesNotContain("mismatch", "frame");
        second.strand().submit(second::goOnWithRoom);
        assertThat(order).containsSubsequence("frame", "mismatch");
        first.strand().submit(() -> first.peer(1).stall(FrameType.MISMATCH, blockedReport));
        assertThat(order).as("when nothing waits").endsWith("mismatch");
    }

    /** It says again what it has not heard to be handled; of what it said before nobody would owe it credit. */
    @Test
    void discardsQueuedFramesOfARestartedRelay() {
        RelayPeer far = new LinkedRelay("far", List.of(first, second), first.strand(), null, frame -> {}).peer(second);
        second.strand().submit(() -> second.backlog().add(far, Unpooled.EMPTY_BUFFER, () -> order.add("frame of its life before")));
        second.strand().submit(() -> second.peerRestarted(far, List.of()));
        second.strand().submit(second::goOnWithRoom);
        assertThat(order).isEmpty();
    }
}
