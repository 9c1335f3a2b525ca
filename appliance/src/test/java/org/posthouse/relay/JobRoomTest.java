package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.Job;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.ops.EndJobOrder;
import org.posthouse.ops.EndJobReport;
import org.posthouse.peer.PeerUser;
import org.posthouse.relay.config.AcceptorConfig;
import org.posthouse.relay.config.LauncherTimeout;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.system.jobs.Stranger;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** Whose jobs take the room of a relay's log, for how long, and how an operator gets it back. */
@Timeout(120)
class JobRoomTest {
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LogLimits LIMITS = new LogLimits(256 << 20, 60, LogLimits.OnFull.WAIT);
    private static final int SHARDS = 3;

    private static final int WEEK = LauncherTimeout.KEEP_SECONDS_MAX_DEFAULT;

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final MemoryDirectory directory = new MemoryDirectory();
    private final List<JobEvent> events = new CopyOnWriteArrayList<>();
    private final List<RelayClient> lines = new ArrayList<>();
    private Relay relay;

    @AfterEach
    void close() throws Exception {
        lines.forEach(RelayClient::close);
        vertx.close().await(60, TimeUnit.SECONDS);
        directory.close();
    }

    private void start(long ranksComeMs) throws Exception {
        start(ranksComeMs, Token.NONE);
    }

    private void start(long ranksComeMs, Token launchToken) throws Exception {
        RelayConfig config = new RelayConfig(
                "here", "here", 1, AcceptorConfig.loopback(0).launchToken(launchToken), "", ModeConfig.of(RelayConfig.Mode.MULTIPLEXED), SHARDS,
                Optional.of(folder), LIMITS,
                new LauncherTimeout(60_000, 60_000, WEEK, ranksComeMs), LIMITS.core(CoreConfig.DEFAULT, SHARDS), Optional.empty(), 0,
                RelayConfig.STAGE_BYTES_DEFAULT);
        relay = new Relay(config, directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
    }

    private RelayClient open(long job, int ranks, int keepSeconds) throws JobFailure {
        RelayClient line = RelayClient.connect(relay.address(), relay.settings().door().launchToken());
        lines.add(line);
        line.listen(events::add, why -> {});
        line.open(logged(job, ranks, keepSeconds));
        return line;
    }

    private static JobOpen logged(long job, int ranks, int keepSeconds) {
        return new JobOpen(job, TOKEN, Durability.PROCESS, false, "test", List.of(new HomeRelay("here", "here", "")), new int[ranks], keepSeconds, false);
    }

    /** Of so many ranks the log takes what they may have under way. */
    private int ranks() {
        return (int) (LIMITS.limitBytes() / 2 / relay.settings().rankBytes());
    }

    private <T> T inControl(Supplier<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        relay.control().post(() -> done.complete(work.get()));
        return done.join();
    }

    private int openJobs() {
        return inControl(() -> relay.jobs().all().size());
    }

    /** As who opens jobs and never starts a rank did: no one could log anything any more, for a month. */
    @Test
    void oneOwnersJobsLeaveRoomForOthers() throws Exception {
        start(600_000);
        int opened = 0;
        try {
            for (; opened < 100; opened++) {
                open(1 + opened, 2, WEEK).close();
            }
        } catch (JobFailure refused) {
            assertThat(refused).hasMessageContaining("LIMIT").hasMessageContaining("so that others find room").hasMessageContaining("posthouse jobs");
        }
        assertThat(opened).as("three quarters of what the log takes").isBetween(2, ranks() * 3 / 8);
        assertThat(relay.view().readiness().ready()).as("there is room for others").isTrue();
    }

    /** Whoever has the launch token, from one host. */
    @Test
    void usersOfOneHostAreOwnersOfTheirOwn() throws Exception {
        assumeTrue(PeerUser.own() == 0 && Files.isExecutable(Path.of("/usr/bin/setpriv")), "only root starts a process of another user");
        Token launchToken = Token.random();
        start(600_000, launchToken);
        open(1, ranks() / 2, WEEK);
        assertThatThrownBy(() -> open(2, ranks() / 2, WEEK)).hasMessageContaining("other jobs of user 0 of this host");
        Process stranger = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", Installation.java().toString(), "-XX:-UsePerfData",
                "-cp", Installation.jarOf(Stranger.class).toString(), Stranger.class.getName(), "pass", relay.address().replaceAll(".*:", ""))
                .directory(Path.of("/").toFile()).redirectErrorStream(true).start();
        try (RawPeer launcher = RawPeer.connect("localhost:" + stranger.inputReader().readLine().replace("listens ", ""))) {
            launcher.introduce(Hello.launcher(), launchToken);
            launcher.send(Hello.launcher().encode());
            launcher.readFrame();
            launcher.send(logged(3, ranks() / 2, WEEK).encode());
            assertThat(new FrameView().wrap(launcher.readFrame(), 0).type()).isEqualTo(FrameType.JOB_OPENED);
            assertThat(relay.log().room().reservations().ownedBy("user 65534 of this host")).isPositive();
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    @Test
    void aJobWhoseRanksNeverComeEndsWithoutItsLauncher() throws Exception {
        start(1_000);
        for (int job = 1; job <= 3; job++) {
            open(job, ranks(), WEEK).close();
            await().atMost(PATIENCE).until(() -> openJobs() == 0 && relay.log().room().reservations().count() == 0);
        }
    }

    @Test
    void jobWithLauncherReleasesItsLogRoomUntilItsRanksConnect() throws Exception {
        start(200);
        open(1, ranks(), 0);
        await().atMost(PATIENCE).until(() -> relay.log().reservedBytes(1) == 0);
        open(2, ranks(), 0);
        try (RawPeer rank = RawPeer.connect(relay.address())) {
            rank.hello(Hello.firstStart(1, 0), TOKEN.ofRelay("here"));
            rank.readFrame();
            await().atMost(PATIENCE).until(() -> relay.log().reservedBytes(1) == relay.settings().rankBytes());
        }
        assertThat(openJobs()).isEqualTo(2);
    }

    @Test
    void refusesJobRetentionBeyondTheRelaysMaximum() throws Exception {
        start(60_000);
        assertThatThrownBy(() -> open(1, 1, JobOpen.KEEP_SECONDS_MAX)).isInstanceOf(JobFailure.class)
                .hasMessageContaining("kept for 2678400 s").hasMessageContaining("604800 s at most").hasMessageContaining("--keep-max");
        open(2, 1, WEEK);
    }

    @Test
    void aRelayThatWouldRefuseEveryNewLoggedJobIsNotReady() throws Exception {
        start(60_000);
        assertThat(relay.view().readiness().ready()).isTrue();
        open(1, ranks(), 0);
        assertThat(relay.view().readiness().reasons()).singleElement().asString()
                .contains("relay here takes no new logged jobs: 1 jobs have", "posthouse jobs");
        assertThatThrownBy(() -> open(2, 1, 0)).hasMessageContaining("LIMIT");
        end(1);
        await().atMost(PATIENCE).until(() -> relay.view().readiness().ready());
        open(3, ranks(), 0);
    }

    @Test
    void anOperatorEndsAJobAndItsLauncherHearsWhy() throws Exception {
        start(60_000);
        RelayClient line = open(0x1f, ranks(), WEEK);
        try (RawPeer rank = RawPeer.connect(relay.address())) {
            rank.hello(Hello.firstStart(0x1f, 0), TOKEN.ofRelay("here"));
            rank.readFrame();
            assertThat(end(0x1f)).isEqualTo(new EndJobReport("here", Job.hexId(0x1f), true));
            int next = rank.read();
            while (next >= 0) {
                next = rank.read();
            }
        }
        await().atMost(PATIENCE).until(() -> events.stream().anyMatch(event -> event.kind() == JobEvent.ABORTED));
        assertThat(events).filteredOn(event -> event.kind() == JobEvent.ABORTED).singleElement()
                .satisfies(event -> assertThat(event.text()).contains("an operator of relay here has ended it"));
        assertThat(line.awaitClosed(PATIENCE.toMillis())).isTrue();
        assertThat(relay.log().reservedBytes(0x1f)).isZero();
        assertThat(end(0x1f).ended()).as("once more").isFalse();
        assertThatThrownBy(() -> relay.view().endJob(new EndJobOrder("nobody")).await(60, TimeUnit.SECONDS)).hasMessageContaining("is no job id");
    }

    private EndJobReport end(long job) throws Exception {
        return relay.view().endJob(new EndJobOrder(Job.hexId(job))).await(60, TimeUnit.SECONDS);
    }
}
