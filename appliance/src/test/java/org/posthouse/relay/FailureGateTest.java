package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;

/** P3 for failures, at a real relay whose disk stands still: ranks are told what a power cut may undo when the disk goes on, and in order. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FailureGateTest {
    private static final long JOB = 42;
    private static final int RANKS = 3;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration LONG = Duration.ofMillis(400);

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final StoppedDisk disk = new StoppedDisk();
    private final BitSet members = new BitSet();
    private final List<RawPeer> ranks = new ArrayList<>();
    private EmbeddedGrid grid;
    private RawPeer launcher;

    @BeforeEach
    void start() throws Exception {
        members.set(0, RANKS);
        grid = disk.grid(vertx, 1);
        String address = grid.addresses().getFirst();
        launcher = RawPeer.connect(address);
        launcher.hello(Hello.launcher());
        HomeRelay self = Welcome.decode(launcher.readFrame()).homes().getFirst();
        HomeRelay home = new HomeRelay(self.site(), self.relay(), address);
        launcher.send(new JobOpen(JOB, TOKEN, Durability.HOST, false, "test", List.of(home), new int[RANKS]).with(FailureMode.RESTART_SHRINK).encode());
        launcher.readFrame();
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(RawPeer.connect(address));
            ranks.getLast().hello(Hello.firstStart(JOB, rank), TOKEN);
            assertThat(type(ranks.getLast().readFrame())).isEqualTo(FrameType.WELCOME);
        }
    }

    @AfterEach
    void end() throws Exception {
        disk.goOn(); // Or the relay would not end.
        for (RawPeer rank : ranks) {
            rank.close();
        }
        launcher.close();
        grid.close();
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    private static FrameType type(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0).type();
    }

    private void awaitEvent(int kind) throws Exception {
        JobEvent event;
        do {
            event = JobEvent.decode(launcher.readFrame());
        } while (event.kind() != kind);
    }

    /** Rank 0 ends, and is not started again. */
    private void loseRank0() throws Exception {
        ranks.getFirst().close();
        awaitEvent(JobEvent.AWAY);
        launcher.send(new RankFailed(JOB, 0, 1).encode());
        awaitEvent(JobEvent.LOST);
    }

    private void probeRank0(int request, boolean isBlocking) throws IOException {
        ByteBuffer probe = ByteBuffer.allocate(48);
        new FrameView().wrap(probe, 0).begin(FrameType.PROBE, probe.capacity(), JOB).length(probe.capacity()).flags(isBlocking ? FrameView.BLOCKING : 0)
                .address(0, 0, 1, 0).post(request, 0);
        ranks.get(1).send(probe);
    }

    private void agree(int rank) throws IOException {
        ranks.get(rank).send(new Agree(JOB, 0, rank, 1, Agree.Kind.AGREE, 1, members, new BitSet()).encode());
    }

    @Test
    void ranksAreToldOfFailuresWhenTheDiskHasThemAndOfNothingThatFollowsFromThemBefore() throws Exception {
        probeRank0(7, true);
        loseRank0();
        probeRank0(8, true);
        agree(1);
        ranks.get(2).send(new Revocation(JOB, 0, members).encode());
        agree(2);
        await().during(LONG).failFast(() -> {
            assertThat(ranks.get(1).available()).as("bytes heard by rank 1").isZero();
            assertThat(ranks.get(2).available()).as("bytes heard by rank 2").isZero();
        }).until(() -> true);
        disk.goOn();
        assertThat(type(ranks.get(1).readFrame())).isEqualTo(FrameType.RANK_FAILED);
        List<FrameType> others = new ArrayList<>();
        while (!others.contains(FrameType.AGREED)) {
            others.add(type(ranks.get(1).readFrame()));
        }
        assertThat(others).containsExactlyInAnyOrder(FrameType.PROBE_ANSWER, FrameType.PROBE_ANSWER, FrameType.REVOKE, FrameType.AGREED);
        assertThat(others.indexOf(FrameType.REVOKE)).isLessThan(others.indexOf(FrameType.AGREED));
    }
}
