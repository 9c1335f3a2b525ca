package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobJoined;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** Ranks of two jobs join a third at a relay, on real sockets. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
class JointJobsTest {
    private static final long SECONDS = 20;
    private static final long JOINT = 0x70;
    private static final long ONE = 0x71;
    private static final long TWO = 0x72;
    private static final Token TOKEN = new Token(1, 2);

    private final MemoryDirectory directory = new MemoryDirectory();
    private Relay relay;
    private RawPeer oneLauncher;
    private RawPeer twoLauncher;

    @BeforeEach
    void open(Vertx vertx) throws Exception {
        relay = new Relay(RelayConfig.loopback(new RelayId("site-a", RelayId.FIRST), 0), directory);
        vertx.deployVerticle(relay).toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        oneLauncher = RawPeer.launcher(relay.address(), ONE, TOKEN);
        twoLauncher = RawPeer.launcher(relay.address(), TWO, TOKEN);
    }

    @AfterEach
    void close() throws IOException {
        oneLauncher.close();
        twoLauncher.close();
        directory.close();
    }

    /** Rank 1 of the first job, and rank 0 of the second. */
    private JobJoin join() {
        return new JobJoin(
                ONE, JOINT, 0, new JobJoin.Part(ONE, new int[] {1}), new JobJoin.Part(TWO, new int[] {0}),
                List.of(new HomeRelay("site-a", "site-a", relay.address())), new int[2]);
    }

    private RawPeer rank(long job, int rank, Token token) throws IOException {
        RawPeer peer = RawPeer.connect(relay.address());
        peer.hello(Hello.firstStart(job, rank), token);
        assertThat(type(peer.readFrame())).isEqualTo(FrameType.WELCOME);
        return peer;
    }

    private static FrameType type(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0).type();
    }

    private static ByteBuffer await(RawPeer peer, FrameType type) throws IOException {
        ByteBuffer frame;
        do {
            frame = peer.readFrame();
        } while (type(frame) != type);
        return frame;
    }

    private static JobJoined ask(RawPeer rank, JobJoin join) throws IOException, WireException {
        rank.send(join.encode());
        return JobJoined.decode(await(rank, FrameType.JOB_JOINED));
    }

    /** The connection of a rank that has joined, in the joint job. */
    private RawPeer joined(RawPeer rank, JobJoin join, int worldRank) throws IOException, WireException {
        JobJoined answer = ask(rank, join);
        assertThat(answer.refusal()).isEmpty();
        Token own = JobJoined.seal(answer.sealed(), TOKEN.ofRank(worldRank), JOINT);
        RawPeer peer = RawPeer.connect(relay.address());
        Hello hello = Hello.firstStart(JOINT, join.rank());
        peer.introduce(hello, own);
        peer.send(hello.encode());
        assertThat(type(peer.readFrame())).isEqualTo(FrameType.WELCOME);
        return peer;
    }

    private void assertRefused(RawPeer rank, JobJoin join, String why) throws IOException, WireException {
        JobJoined answer = ask(rank, join);
        assertThat(answer.refusal()).contains(why);
        assertThat(answer.sealed()).isEqualTo(Token.NONE);
    }

    @Test
    void joinedRankIsToldWhenTheOtherJobEnds() throws Exception {
        try (RawPeer one = rank(ONE, 1, TOKEN); RawPeer two = rank(TWO, 0, TOKEN);
                RawPeer first = joined(one, join(), 1); RawPeer second = joined(two, join().by(1), 0)) {
            assertThat(ask(one, join()).refusal()).as("a repeat").isEmpty();
            oneLauncher.close();
            CloseNotice why = CloseNotice.decode(await(second, FrameType.ABORT));
            assertThat(why.text()).contains("0000000000000071").containsAnyOf("has ended", "was lost");
            assertThat(first).isNotNull();
        }
    }

    @Test
    void rankIsToldWhenTheNameOfTheOtherSideIsGone() throws Exception {
        NameService names = relay.names().frontEnd();
        Name side = Name.parse(JobJoin.sideName(JOINT, TWO));
        names.bind(side, NameRecord.of(Map.of())).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        try (RawPeer one = rank(ONE, 1, TOKEN); RawPeer first = joined(one, join(), 1)) {
            TimeUnit.MILLISECONDS.sleep(2_500); // The relay has seen the name, which it looks for each second.
            assertThat(first.available()).as("bytes while the other side takes part").isZero();
            names.unbind(side, NameService.ANY_VERSION).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
            assertThat(CloseNotice.decode(await(first, FrameType.ABORT)).text()).isEqualTo("job 0000000000000072 has left it or has ended");
        }
    }

    @Test
    void refusesRanksThatAreOthers() throws Exception {
        try (RawPeer one = rank(ONE, 0, TOKEN); RawPeer two = rank(TWO, 0, TOKEN)) {
            assertRefused(one, join(), "rank 0 of job 0000000000000071 joins as rank 1 of job 0000000000000071");
            JobJoin asOther = new JobJoin(ONE, JOINT, 1, join().accepting(), join().connecting(), join().homes(), join().homeOf());
            assertRefused(one, asOther, "joins as rank 0 of job 0000000000000072");
            List<HomeRelay> elsewhere = List.of(new HomeRelay("site-b", "site-b", "h:1"));
            JobJoin there = new JobJoin(TWO, JOINT, 1, join().accepting(), join().connecting(), elsewhere, new int[2]);
            assertRefused(two, there, "joins at relay site-a, and is to be at home at site-b");
        }
    }

    /** It would be given the token of another job's rank. */
    @Test
    void aRankThatSpeaksForAnotherJobIsCutOff() throws Exception {
        try (RawPeer one = rank(ONE, 0, TOKEN)) {
            one.send(join().by(1).encode());
            CloseNotice why = CloseNotice.decode(await(one, FrameType.CLOSE));
            assertThat(why.text()).contains("JOB_JOIN of job 0000000000000072 from job 0000000000000071 rank 0");
        }
    }

    @Test
    void refusesOtherRanksForAnOpenJointJob() throws Exception {
        try (RawPeer one = rank(ONE, 1, TOKEN); RawPeer two = rank(TWO, 1, TOKEN)) {
            assertThat(ask(one, join()).refusal()).isEmpty();
            JobJoin other = new JobJoin(
                    TWO, JOINT, 1, join().accepting(), new JobJoin.Part(TWO, new int[] {1}), join().homes(), join().homeOf());
            assertRefused(two, other, "is open with other ranks");
        }
    }
}
