package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.directory.Directory;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.directory.RankEntry;
import org.posthouse.keys.RelayId;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.status.RankStatus;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** The directory is for people and for finding each other: whatever is in it, jobs and relays end as they should. */
@ExtendWith(VertxExtension.class)
@Timeout(120)
final class DirectoryFaultTest {
    private static final long JOB = 77;
    private static final Token TOKEN = new Token(1, 2);

    @TempDir
    private Path folder;

    private final MemoryDirectory directory = new MemoryDirectory();
    private final CountDownLatch syncing = new CountDownLatch(1);
    private volatile boolean broken;
    private volatile boolean hangs;
    private volatile boolean leftSafely;

    /** What was known of the job's ranks when the group was left. */
    private volatile List<RankEntry> left;

    private Relay relay;

    @BeforeEach
    void start(Vertx vertx) throws Exception {
        Directory breakable =
                (Directory) Proxy.newProxyInstance(Directory.class.getClassLoader(), new Class<?>[] {Directory.class}, (proxy, method, arguments) -> {
                    if (broken) {
                        throw new IllegalStateException("broken by the test");
                    }
                    if (method.getName().equals("part")) {
                        left = directory.ranks(JOB);
                    }
                    if (hangs && method.getName().equals("part")) {
                        leftSafely = syncing.await(60, TimeUnit.SECONDS);
                    }
                    return method.invoke(directory, arguments);
                });
        relay = new Relay(RelayConfig.loopback(RelayId.parse("site-a"), 0).withLog(folder.resolve("log")), breakable, disk -> () -> {
            syncing.countDown();
            return disk.get();
        });
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop(Vertx vertx) throws Exception {
        if (!relay.isOver()) {
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        }
        directory.close();
    }

    /** It is between two connections for milliseconds, and there is no such word for people. */
    @Test
    void aRankThatMovesIsConnectedForOthers() throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN);
                RawPeer rank = RawPeer.connect(relay.address());
                RawPeer stranger = RawPeer.connect(relay.address())) {
            rank.hello(Hello.firstStart(JOB, 0), TOKEN);
            until(rank, FrameType.WELCOME);
            relay.switchMode(ModeConfig.of(RelayConfig.Mode.POOLED));
            until(rank, FrameType.MOVE);
            ByteBuffer move = ByteBuffer.allocate(Wire.HEADER_BYTES);
            new FrameView().wrap(move, 0).begin(FrameType.MOVE, Wire.HEADER_BYTES, JOB);
            rank.send(move);
            until(rank, FrameType.CLOSE);
            stranger.introduce(Hello.firstStart(JOB, 0), new Token(9, 9));
            event(launcher, JobEvent.REFUSED);
            assertThat(directory.ranks(JOB).getFirst().state()).isEqualTo("CONNECTED");
        }
    }

    /** As a relay of a later version may write it. Process 3 of two ranks is the second one of rank 1. */
    @Test
    void aWordThatNobodyKnowsIsShownAndTheJobEnds() throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN)) {
            directory.putRanks(List.of(new RankEntry(JOB, 3, "site-b", "site-b", 1, "DREAMING")));
            await().until(() -> relay.view().snapshot().jobs().stream()
                    .anyMatch(job -> job.ranks().stream().anyMatch(rank -> rank.rank() == 1 && rank.state() == RankStatus.State.CONNECTED)));
            end(launcher);
            event(launcher, JobEvent.CLOSED);
        }
    }

    @Test
    void aJobEndsForItsLauncherThoughItCannotBeShown() throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN)) {
            broken = true;
            end(launcher);
            event(launcher, JobEvent.CLOSED);
        }
    }

    /** It would go on from there at the relay's next start, and nobody would know of it. */
    @Test
    void aJobThatCouldNotBeOpenedIsNotInTheLog(Vertx vertx) throws Exception {
        try (RawPeer launcher = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            until(launcher, FrameType.WELCOME);
            broken = true;
            List<HomeRelay> homes = List.of(new HomeRelay("site-a", "site-a", relay.address()));
            launcher.send(new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "test", homes, new int[2]).encode());
            assertThat(CloseNotice.decode(until(launcher, FrameType.CLOSE)).text()).contains("broken by the test");
        }
        broken = false;
        vertx.undeploy(relay.deploymentID()).await(20, TimeUnit.SECONDS);
        try (MessageLog log = MessageLog.open(LogConfig.of(folder.resolve("log")))) {
            assertThat(log.book().jobs()).isEmpty();
        }
    }

    @Test
    void relayClosesItsLogThoughTheDirectoryFails(Vertx vertx) throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN)) {
            broken = true;
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
            until(launcher, FrameType.CLOSE);
        }
        MessageLog.open(LogConfig.of(folder.resolve("log"))).close();
    }

    /** That may take longer than whoever stops relays waits: a host that hangs is a member too. */
    @Test
    void theLogIsMadeSafeBeforeTheGroupIsLeft(Vertx vertx) throws Exception {
        try (RawPeer launcher = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            List<HomeRelay> homes = List.of(new HomeRelay("site-a", "site-a", relay.address()));
            launcher.send(new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "test", homes, new int[2]).encode());
            until(launcher, FrameType.JOB_OPENED);
            assertThat(syncing.getCount()).isEqualTo(1);
            hangs = true;
            vertx.undeploy(relay.deploymentID()).await(40, TimeUnit.SECONDS);
        }
        assertThat(leftSafely).isTrue();
    }

    /** What comes of their connections comes behind that, and nobody hears it any more. */
    @Test
    void ranksOfALoggedJobAreAwayForTheGroupThatIsLeft(Vertx vertx) throws Exception {
        try (RawPeer launcher = RawPeer.connect(relay.address());
                RawPeer rank = RawPeer.connect(relay.address())) {
            launcher.hello(Hello.launcher());
            List<HomeRelay> homes = List.of(new HomeRelay("site-a", "site-a", relay.address()));
            launcher.send(new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "test", homes, new int[2]).encode());
            until(launcher, FrameType.JOB_OPENED);
            rank.hello(Hello.firstStart(JOB, 1), TOKEN);
            until(rank, FrameType.WELCOME);
            await().until(() -> directory.ranks(JOB).get(1).state().equals("CONNECTED"));
            vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        }
        assertThat(left).extracting(RankEntry::state).containsExactly("WAITING", "AWAY");
    }

    private static void end(RawPeer launcher) throws Exception {
        launcher.send(new CloseNotice(JOB, 0, -1, "finished").encode(FrameType.JOB_CLOSE));
    }

    /** Reads on to an event of that kind. */
    private static void event(RawPeer launcher, int kind) throws Exception {
        while (JobEvent.decode(until(launcher, FrameType.JOB_EVENT)).kind() != kind) {}
    }

    /** Reads on to a frame of that type. */
    private static ByteBuffer until(RawPeer peer, FrameType type) throws Exception {
        ByteBuffer frame = peer.readFrame();
        while (new FrameView().wrap(frame, 0).type() != type) {
            frame = peer.readFrame();
        }
        return frame;
    }
}
