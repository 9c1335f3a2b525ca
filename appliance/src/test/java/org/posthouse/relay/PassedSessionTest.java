package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.status.LinkStatus;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Processes of ranks that are at home at a relay of one site, and are connected to the relay of another one. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PassedSessionTest {
    private static final long JOB = 43;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int HOME = 0;
    private static final int OTHER = 1;
    private static final int CHUNK = 32 * 1024;

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final List<RawPeer> peers = new ArrayList<>();
    private final List<HomeRelay> relays = new ArrayList<>();
    private WanEmulator emulator;
    private WanWay way;
    private EmbeddedGrid grid;
    private RawPeer launcher;
    private RawPeer leader;
    private RawPeer partner;

    /** Both ranks are at home at the first relay; the second one has none. */
    private void start(RelayConfig.Mode mode, Durability durability) throws Exception {
        emulator = WanEmulator.start(new Random(1));
        way = emulator.way(WanShape.NONE);
        Optional<LogLimits> log = durability == Durability.NONE ? Optional.empty() : Optional.of(LogLimits.DEFAULT);
        grid = EmbeddedGrid.start(vertx, 2, 1, log, ModeConfig.of(mode), UnaryOperator.identity(), links -> {
            for (var peer : links.peers().entrySet()) {
                int port = Integer.parseInt(peer.getValue().substring(peer.getValue().lastIndexOf(':') + 1));
                links = links.peer(peer.getKey(), "127.0.0.1:" + way.lead(port));
            }
            return links;
        });
        await().atMost(PATIENCE).until(() -> grid.views().stream()
                .allMatch(relay -> relay.snapshot().links().stream().anyMatch(link -> link.state() == LinkStatus.State.UP)));
        List<RawPeer> launchers = new ArrayList<>();
        for (String address : grid.addresses()) {
            RawPeer next = RawPeer.connect(address);
            peers.add(next);
            next.hello(Hello.launcher());
            HomeRelay self = Welcome.decode(hear(next, FrameType.WELCOME)).homes().getFirst();
            relays.add(new HomeRelay(self.site(), self.relay(), address));
            launchers.add(next);
        }
        JobOpen opening = new JobOpen(JOB, TOKEN, durability, false, "test", relays, new int[2]);
        for (int relay = 0; relay < relays.size(); relay++) {
            JobOpen there = durability == Durability.NONE ? opening.with(FollowedRanks.of(2, 1)) : opening;
            launchers.get(relay).send(there.at(relays.get(relay).relay()).encode());
            hear(launchers.get(relay), FrameType.JOB_OPENED);
        }
        launcher = launchers.get(HOME);
        partner = connect(HOME, Hello.firstStart(JOB, 1));
        leader = connect(HOME, Hello.firstStart(JOB, 0));
    }

    @AfterEach
    void end() throws Exception {
        for (RawPeer peer : peers) {
            peer.close();
        }
        grid.close();
        emulator.close();
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    /** A process that has the token for the ranks' home, wherever it connects. */
    private RawPeer greeted(int relay, Hello hello, Token token) throws IOException {
        RawPeer peer = RawPeer.connect(relays.get(relay).address());
        peers.add(peer);
        peer.hello(hello, token);
        return peer;
    }

    private RawPeer connect(int relay, Hello hello) throws IOException {
        RawPeer peer = greeted(relay, hello, TOKEN.ofRelay(relays.get(HOME).relay()));
        hear(peer, FrameType.WELCOME);
        return peer;
    }

    private static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    private static ByteBuffer hear(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame = peer.readFrame();
        assertThat(FrameWords.of(view(frame))).startsWith(type.toString());
        return frame;
    }

    /** The next frame of this type; all before it are skipped. */
    private static ByteBuffer next(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame = peer.readFrame();
        while (view(frame).type() != type) {
            assertThat(view(frame).type()).isNotEqualTo(FrameType.CLOSE);
            frame = peer.readFrame();
        }
        return frame;
    }

    private JobEvent told(int kind) throws IOException, WireException {
        JobEvent event;
        do {
            event = JobEvent.decode(next(launcher, FrameType.JOB_EVENT));
        } while (event.rank() != 0 || event.kind() != kind);
        return event;
    }

    private static ByteBuffer frame(FrameType type, int headerBytes, int payloadBytes) {
        ByteBuffer frame = ByteBuffer.allocate(headerBytes + payloadBytes);
        view(frame).begin(type, headerBytes, JOB).length(headerBytes + payloadBytes);
        return frame;
    }

    private static ByteBuffer message(int source, int destination, long sequence, int bytes) {
        ByteBuffer frame = frame(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, bytes);
        view(frame).address(0, source, destination, 0).sequence(sequence).content(bytes, bytes, 1);
        return frame;
    }

    private static void receive(RawPeer rank, int source, int destination, long ordinal) throws IOException {
        ByteBuffer post = frame(FrameType.POST, 48, 0);
        view(post).address(0, source, destination, 0).post((int) ordinal, 0).ordinal(ordinal);
        rank.send(post);
    }

    /** Rank 0 receives its next message. */
    private void leaderReceives(long ordinal, int bytes) throws IOException {
        receive(leader, 1, 0, ordinal);
        partner.send(message(1, 0, ordinal, bytes));
        next(leader, FrameType.DELIVERED);
    }

    private static long delivered(RawPeer follower) throws IOException {
        return view(next(follower, FrameType.DELIVERED)).sequence();
    }

    @ParameterizedTest
    @EnumSource(names = "MULTIPLEXED")
    void followerAtAnotherSiteIsSentTheHistoryAndBecomesTheRank(RelayConfig.Mode mode) throws Exception {
        start(mode, Durability.PROCESS);
        followerBecomesTheRank();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MULTIPLEXED")
    void soItDoesInTheOtherModes(RelayConfig.Mode mode) throws Exception {
        followerAtAnotherSiteIsSentTheHistoryAndBecomesTheRank(mode);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PIPELINE")
    void sameHoldsWithoutALogInTheOtherModes(RelayConfig.Mode mode) throws Exception {
        sameHoldsWithoutALog(mode);
    }

    @ParameterizedTest
    @EnumSource(names = "PIPELINE")
    void sameHoldsWithoutALog(RelayConfig.Mode mode) throws Exception {
        start(mode, Durability.NONE);
        followerBecomesTheRank();
    }

    private void followerBecomesTheRank() throws Exception {
        leaderReceives(1, 1);
        RawPeer follower = connect(OTHER, Hello.follower(JOB, 0, 2));
        assertThat(told(JobEvent.FOLLOWS).code()).isEqualTo(2);
        assertThat(delivered(follower)).isEqualTo(1);
        leaderReceives(2, 1);
        assertThat(delivered(follower)).isEqualTo(2);
        leader.close();
        assertThat(told(JobEvent.PROMOTED).a()).isEqualTo(3);
        assertThat(Promoted.decode(next(follower, FrameType.PROMOTED)).deliveries()).isEqualTo(2);
        next(follower, FrameType.EVENTS);
        follower.send(frame(FrameType.LIVE, Wire.HEADER_BYTES, 0));
        told(JobEvent.CAUGHT_UP);
        follower.send(message(0, 1, 1, CHUNK));
        receive(partner, 0, 1, 1);
        assertThat(delivered(partner)).isEqualTo(1);
        receive(follower, 1, 0, 3);
        partner.send(message(1, 0, 3, CHUNK));
        assertThat(delivered(follower)).isEqualTo(3);
    }

    /** The follower at the rank's home leads then, as the process at the other relay is gone for the home. */
    @Test
    void endOfALeaderAtAnotherSiteIsNoticedAtItsHome() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer far = connect(OTHER, Hello.follower(JOB, 0, 2));
        leader.close();
        told(JobEvent.PROMOTED);
        next(far, FrameType.EVENTS);
        far.send(frame(FrameType.LIVE, Wire.HEADER_BYTES, 0));
        RawPeer near = connect(HOME, Hello.follower(JOB, 0, 4));
        far.close();
        assertThat(told(JobEvent.PROMOTED).code()).isEqualTo(4);
        next(near, FrameType.PROMOTED);
    }

    @Test
    void nothingIsLostWhileTheLinkIsCut() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer follower = connect(OTHER, Hello.follower(JOB, 0, 2));
        leaderReceives(1, 1);
        assertThat(delivered(follower)).isEqualTo(1);
        way.down();
        await().atMost(PATIENCE).until(() -> grid.views().get(OTHER).snapshot().links().getFirst().state() != LinkStatus.State.UP);
        for (int ordinal = 2; ordinal < 10; ordinal++) {
            leaderReceives(ordinal, CHUNK);
        }
        assertThat(follower.available()).isZero();
        way.up();
        for (int ordinal = 2; ordinal < 10; ordinal++) {
            assertThat(delivered(follower)).isEqualTo(ordinal);
        }
        leader.close();
        next(follower, FrameType.PROMOTED);
    }

    /** What waits for it is at its rank's home, which so knows that it lags; the relay in between keeps little. */
    @Tag("long")
    @Test
    void followerThatReadsLateIsSentAllAndTheRelayBetweenKeepsLittle() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer follower = connect(OTHER, Hello.follower(JOB, 0, 2));
        int messages = 1_500;
        for (int ordinal = 1; ordinal <= messages; ordinal++) {
            leaderReceives(ordinal, CHUNK);
        }
        await().atMost(PATIENCE).until(() -> behind() > messages / 2);
        for (int ordinal = 1; ordinal <= messages; ordinal++) {
            assertThat(delivered(follower)).isEqualTo(ordinal);
        }
        await().atMost(PATIENCE).until(() -> behind() == 0);
    }

    private long behind() {
        return grid.views().get(HOME).snapshot().jobs().getFirst().ranks().getFirst().followers().getFirst().behind();
    }

    /** Only what the home answers counts: the other relay has a token of its own for the job, and does not know this one. */
    @Test
    void homeAsksForItsOwnTokenAndRefusesByName() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer stranger = greeted(OTHER, Hello.follower(JOB, 0, 2), TOKEN.ofRelay(relays.get(OTHER).relay()));
        CloseNotice why = CloseNotice.decode(hear(stranger, FrameType.CLOSE));
        assertThat(why.reason()).isEqualTo(CloseReason.WRONG_TOKEN);
        assertThat(why.text()).isEqualTo("rank 0 of job 000000000000002b came with a token that is not this rank's");
    }

    /** A process that tries again finds it in place later. */
    @Test
    void processIsToldToTryAgainWhileTheLinkIsDown() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        way.down();
        await().atMost(PATIENCE).until(() -> grid.views().get(OTHER).snapshot().links().getFirst().state() != LinkStatus.State.UP);
        RawPeer follower = RawPeer.connect(relays.get(OTHER).address());
        peers.add(follower);
        Hello hello = Hello.follower(JOB, 0, 2);
        follower.send(new ClientHalf(hello, TOKEN).identify());
        CloseNotice why = CloseNotice.decode(hear(follower, FrameType.CLOSE));
        assertThat(why.reason()).isEqualTo(CloseReason.TIMEOUT);
        assertThat(why.text()).isEqualTo("rank 0 of job 000000000000002b cannot be passed on to its home, relay " + relays.get(HOME).relay()
                + ": the link to relay " + relays.get(HOME).relay() + " is not up");
        way.up();
        await().atMost(PATIENCE).until(() -> grid.views().get(OTHER).snapshot().links().getFirst().state() == LinkStatus.State.UP);
        connect(OTHER, hello);
    }

    /** They are told to try again, so that the others can prove themselves. */
    @Test
    void connectionsThatProveNothingTakeAFewStreamsOnly() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        List<RawPeer> idle = new ArrayList<>();
        Hello hello = Hello.follower(JOB, 0, 2);
        for (int number = 0; number < RankStreams.UNPROVEN_MAX; number++) {
            RawPeer peer = RawPeer.connect(relays.get(OTHER).address());
            peers.add(peer);
            peer.send(new ClientHalf(hello, TOKEN).identify());
            hear(peer, FrameType.CHALLENGE);
            idle.add(peer);
        }
        RawPeer next = RawPeer.connect(relays.get(OTHER).address());
        peers.add(next);
        next.send(new ClientHalf(hello, TOKEN).identify());
        assertThat(CloseNotice.decode(hear(next, FrameType.CLOSE)).reason()).isEqualTo(CloseReason.TIMEOUT);
        idle.getFirst().close();
        await().atMost(PATIENCE).until(() -> {
            RawPeer again = RawPeer.connect(relays.get(OTHER).address());
            peers.add(again);
            again.send(new ClientHalf(hello, TOKEN).identify());
            return view(again.readFrame()).type() == FrameType.CHALLENGE;
        });
    }
}
