package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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
import org.posthouse.status.RankStatus;
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
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A follower of rank 0 at a real relay: what it is sent and when, and how it becomes the rank. Rank 1 is the partner. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FollowerSessionTest {
    private static final long JOB = 42;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration LONG = Duration.ofMillis(400);

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final StoppedDisk disk = new StoppedDisk();
    private EmbeddedGrid grid;
    private RawPeer launcher;
    private RawPeer leader;
    private RawPeer partner;

    private void start(RelayConfig.Mode mode, Durability durability) throws Exception {
        start(mode, Optional.of(LogLimits.DEFAULT), durability);
    }

    /** A job without durability has its history in memory. */
    private void start(RelayConfig.Mode mode, Optional<LogLimits> log, Durability durability) throws Exception {
        grid = EmbeddedGrid.start(vertx, 1, 1, log, ModeConfig.of(mode), disk::stands, links -> links);
        launcher = RawPeer.connect(grid.addresses().getFirst());
        launcher.hello(Hello.launcher());
        HomeRelay self = Welcome.decode(hear(launcher, FrameType.WELCOME)).homes().getFirst();
        HomeRelay home = new HomeRelay(self.site(), self.relay(), grid.addresses().getFirst());
        JobOpen opening = new JobOpen(JOB, TOKEN, durability, false, "test", List.of(home), new int[2]);
        launcher.send((durability == Durability.NONE ? opening.with(FollowedRanks.of(2, 1)) : opening).encode());
        hear(launcher, FrameType.JOB_OPENED);
        partner = connect(Hello.firstStart(JOB, 1));
        leader = connect(Hello.firstStart(JOB, 0));
    }

    private RawPeer connect(Hello hello) throws IOException {
        RawPeer peer = RawPeer.connect(grid.addresses().getFirst());
        peer.hello(hello, TOKEN);
        hear(peer, FrameType.WELCOME);
        return peer;
    }

    @AfterEach
    void end() throws Exception {
        disk.goOn(); // Or the relay would not end.
        for (RawPeer peer : List.of(launcher, leader, partner)) {
            peer.close();
        }
        grid.close();
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    private static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    private static ByteBuffer hear(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame = peer.readFrame();
        assertThat(FrameWords.of(view(frame))).startsWith(type.toString());
        return frame;
    }

    private static void hearsNothing(RawPeer peer) {
        await().during(LONG).failFast(() -> assertThat(peer.available()).as("bytes heard").isZero()).until(() -> true);
    }

    private JobEvent told(int kind) throws IOException, WireException {
        JobEvent event;
        do {
            event = JobEvent.decode(hear(launcher, FrameType.JOB_EVENT));
        } while (event.rank() != 0 || event.kind() != kind);
        return event;
    }

    private static ByteBuffer frame(FrameType type, int headerBytes, int payloadBytes) {
        ByteBuffer frame = ByteBuffer.allocate(headerBytes + payloadBytes);
        view(frame).begin(type, headerBytes, JOB).length(headerBytes + payloadBytes);
        return frame;
    }

    private static ByteBuffer message(int source, int destination, long sequence) {
        ByteBuffer frame = frame(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 1);
        view(frame).address(0, source, destination, 0).sequence(sequence).content(1, 1, 1);
        return frame;
    }

    /** With a checksum that no message of one zero has. */
    private static ByteBuffer otherClaim(long sequence) {
        ByteBuffer frame = frame(FrameType.RESENT, Wire.MESSAGE_HEADER_BYTES, 0);
        view(frame).address(0, 0, 1, 0).sequence(sequence).content(1, 1, 1).checksum(7);
        return frame;
    }

    private static void receive(RawPeer rank, int source, int destination, long ordinal) throws IOException {
        ByteBuffer post = frame(FrameType.POST, 48, 0);
        view(post).address(0, source, destination, 0).post((int) ordinal, 0).ordinal(ordinal);
        rank.send(post);
    }

    /** Rank 0 receives its next message. */
    private void leaderReceives(long ordinal) throws IOException {
        receive(leader, 1, 0, ordinal);
        partner.send(message(1, 0, ordinal));
        hear(leader, FrameType.DELIVERED);
    }

    private static long delivered(RawPeer follower) throws IOException {
        FrameView delivered = view(hear(follower, FrameType.DELIVERED));
        assertThat(delivered.flags() & FrameView.NAMED).isNotZero();
        return delivered.sequence();
    }

    @ParameterizedTest
    @EnumSource(names = {"MULTIPLEXED", "THREADED"})
    void followerIsSentTheHistoryAsItIsLoggedAndBecomesTheRankWhenItsLeaderIsGone(RelayConfig.Mode mode) throws Exception {
        start(mode, Durability.PROCESS);
        followerIsSentTheHistoryAndBecomesTheRank();
    }

    @ParameterizedTest
    @EnumSource(names = "PIPELINE")
    void sameHoldsAtARelayThatKeepsNoLog(RelayConfig.Mode mode) throws Exception {
        start(mode, Optional.empty(), Durability.NONE);
        followerIsSentTheHistoryAndBecomesTheRank();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = {"MULTIPLEXED", "THREADED"})
    void sameHoldsInTheOtherModes(RelayConfig.Mode mode) throws Exception {
        followerIsSentTheHistoryAsItIsLoggedAndBecomesTheRankWhenItsLeaderIsGone(mode);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PIPELINE")
    void sameHoldsInTheOtherModesAtARelayThatKeepsNoLog(RelayConfig.Mode mode) throws Exception {
        sameHoldsAtARelayThatKeepsNoLog(mode);
    }

    /** Its disk stands still, and nobody notices. */
    @Test
    void historyInMemoryIsNotInTheLogOfARelayThatKeepsOne() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.NONE);
        long before = grid.views().getFirst().snapshot().log().orElseThrow().position();
        followerIsSentTheHistoryAndBecomesTheRank();
        for (int ordinal = 3; ordinal < 1_000; ordinal++) {
            partner.send(message(1, 0, ordinal));
        }
        assertThat(grid.views().getFirst().snapshot().log().orElseThrow().position()).isEqualTo(before);
    }

    /** As without followers: nobody can start it again. */
    @Test
    void rankThatNobodyFollowsIsLostWithItsConnectionIfNothingIsLogged() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Optional.empty(), Durability.NONE);
        partner.close();
        JobEvent event;
        do {
            event = JobEvent.decode(hear(launcher, FrameType.JOB_EVENT));
        } while (event.kind() == JobEvent.CONNECTED);
        assertThat(event.kind()).isEqualTo(JobEvent.LOST);
        assertThat(event.rank()).isEqualTo(1);
    }

    /** All processes of a rank have ended, and what they observed is there. */
    @Test
    void followerThatComesWhenNoProcessIsLeftBecomesTheRankFromTheHistoryInMemory() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Optional.empty(), Durability.NONE);
        leaderReceives(1);
        leader.close();
        told(JobEvent.AWAY);
        launcher.send(new RankFailed(JOB, 0, 1).encode());
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        assertThat(told(JobEvent.PROMOTED).code()).isEqualTo(2);
        assertThat(Promoted.decode(hear(follower, FrameType.PROMOTED)).deliveries()).isEqualTo(1);
        assertThat(delivered(follower)).isEqualTo(1);
        assertThat(view(hear(follower, FrameType.EVENTS)).flags()).isEqualTo(FrameView.END);
        follower.close();
    }

    private void followerIsSentTheHistoryAndBecomesTheRank() throws Exception {
        leaderReceives(1);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        assertThat(told(JobEvent.FOLLOWS).code()).isEqualTo(2);
        assertThat(delivered(follower)).isEqualTo(1);
        leaderReceives(2);
        assertThat(delivered(follower)).isEqualTo(2);
        leader.send(message(0, 1, 1));
        receive(partner, 0, 1, 1);
        hear(partner, FrameType.DELIVERED);
        hearsNothing(follower);
        leader.close();
        assertThat(told(JobEvent.PROMOTED).a()).isEqualTo(3);
        Promoted promoted = Promoted.decode(hear(follower, FrameType.PROMOTED));
        assertThat(promoted.incarnation()).isEqualTo(3);
        assertThat(promoted.deliveries()).isEqualTo(2);
        assertThat(StatePage.decode(hear(follower, FrameType.STATE)).entries())
                .containsExactly(new StatePage.Entry(StatePage.ACCEPTED, 0, 1, 1));
        assertThat(view(hear(follower, FrameType.EVENTS)).flags()).isEqualTo(FrameView.END);
        follower.send(frame(FrameType.LIVE, Wire.HEADER_BYTES, 0));
        told(JobEvent.CAUGHT_UP);
        follower.send(message(0, 1, 2));
        receive(partner, 0, 1, 2);
        assertThat(view(hear(partner, FrameType.DELIVERED)).sequence()).isEqualTo(2);
        follower.close();
    }

    @Test
    void followerIsToldNothingThatAPowerCutMayUndoNorThatItLeads() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.HOST);
        leaderReceives(1);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        hearsNothing(follower);
        leader.close();
        told(JobEvent.PROMOTED);
        hearsNothing(follower);
        disk.goOn();
        hear(follower, FrameType.PROMOTED);
        assertThat(delivered(follower)).isEqualTo(1);
        assertThat(view(hear(follower, FrameType.EVENTS)).flags()).isEqualTo(FrameView.END);
        follower.close();
    }

    @Test
    void followerOfAJobThatSurvivesItsHostIsToldWhatIsSafeWithoutAnythingElseThatWaits() throws Exception {
        disk.goOn();
        start(RelayConfig.Mode.POOLED, Durability.HOST);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        leaderReceives(1);
        assertThat(delivered(follower)).isEqualTo(1);
        follower.close();
    }

    /** It is told with PROMOTED what has arrived. */
    @Test
    void confirmationThatWaitsForTheDiskIsNotSaidToOneThatLeadsMeanwhile() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.HOST);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        follower.send(claim(1));
        leader.send(message(0, 1, 1));
        await().until(() -> sentByLeader() == 1);
        leader.close();
        told(JobEvent.PROMOTED);
        disk.goOn();
        hear(follower, FrameType.PROMOTED);
        hear(follower, FrameType.STATE);
        assertThat(view(hear(follower, FrameType.EVENTS)).flags()).isEqualTo(FrameView.END);
        hearsNothing(follower);
        follower.close();
    }

    /** As the leader's message of this number is; it wants to be confirmed at once. */
    private static ByteBuffer claim(long sequence) {
        MessageChecksum checksum = new MessageChecksum();
        checksum.add(MessageChecksum.piece(ByteBuffer.allocate(1)));
        ByteBuffer frame = frame(FrameType.RESENT, Wire.MESSAGE_HEADER_BYTES, 0);
        view(frame).address(0, 0, 1, 0).sequence(sequence).content(1, 1, 1).checksum(checksum.value()).flags(FrameView.ACK_NOW);
        return frame;
    }

    private long sentByLeader() {
        return grid.views().getFirst().snapshot().jobs().stream()
                .flatMap(job -> job.ranks().stream()).filter(rank -> rank.rank() == 0).mapToLong(RankStatus::messagesSent).sum();
    }

    @Test
    void leaderWhoseLauncherKnowsThatItHasEndedIsFencedAndChangesNothing() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        told(JobEvent.FOLLOWS);
        launcher.send(new RankFailed(JOB, 0, 1).encode());
        hear(follower, FrameType.PROMOTED);
        assertThat(CloseNotice.decode(hear(leader, FrameType.CLOSE)).reason()).isEqualTo(CloseReason.FENCED);
        leader.send(message(0, 1, 1));
        hear(follower, FrameType.EVENTS);
        follower.send(frame(FrameType.LIVE, Wire.HEADER_BYTES, 0));
        follower.send(message(0, 1, 1));
        follower.send(message(0, 1, 2));
        for (int ordinal = 1; ordinal <= 2; ordinal++) {
            receive(partner, 0, 1, ordinal);
            assertThat(view(hear(partner, FrameType.DELIVERED)).sequence()).isEqualTo(ordinal);
        }
        follower.close();
    }

    @Test
    void followerThatDiffersIsToldSoAndItsLeaderGoesOn() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        leader.send(message(0, 1, 1));
        follower.send(otherClaim(1));
        CloseNotice why = CloseNotice.decode(hear(follower, FrameType.CLOSE));
        assertThat(why.reason()).isEqualTo(CloseReason.DIVERGED);
        assertThat(told(JobEvent.FOLLOWER_LOST).a()).isEqualTo(CloseReason.DIVERGED.code());
        leaderReceives(1);
        follower.close();
    }

    /** Its strand is served by other threads from then on. */
    @Test
    void followerGoesOnOverAnotherConnectionWhenTheRelayChangesItsMode() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        leaderReceives(1);
        assertThat(delivered(follower)).isEqualTo(1);
        Thread change = Thread.ofVirtual().start(() -> {
            try {
                grid.switchMode(ModeConfig.of(RelayConfig.Mode.POOLED));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(CloseNotice.decode(hear(follower, FrameType.CLOSE)).reason()).isEqualTo(CloseReason.MOVED);
        follower.close();
        hear(leader, FrameType.MOVE);
        hear(partner, FrameType.MOVE);
        RawPeer again = connect(Hello.follower(JOB, 0, 2).again(Hello.AGAIN, 1, 0, 0, 1, 0));
        leaderReceives(2);
        assertThat(delivered(again)).as("what it has is not sent again").isEqualTo(2);
        again.close();
        change.join();
    }

    @Test
    void followerMayNotAskWhatHasEffects() throws Exception {
        start(RelayConfig.Mode.MULTIPLEXED, Durability.PROCESS);
        RawPeer follower = connect(Hello.follower(JOB, 0, 2));
        follower.send(message(0, 1, 1));
        assertThat(CloseNotice.decode(hear(follower, FrameType.CLOSE)).reason()).isEqualTo(CloseReason.NOT_EXPECTED);
        follower.close();
    }
}
