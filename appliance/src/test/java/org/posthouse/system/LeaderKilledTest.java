package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.core.Job;
import org.posthouse.launch.install.Installation;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.RankMain;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.status.PairTraffic;
import org.posthouse.system.jobs.BranchesOnProbe;
import org.posthouse.system.jobs.BranchesOnTestsome;
import org.posthouse.system.jobs.MasterOfAny;
import org.posthouse.wire.Durability;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * Real processes of programs whose result depends on the order of messages or on failed polls: a rank has a follower, and its leader dies, or
 * stops and comes back. The others notice nothing, and nothing is started again. The test is the launcher.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LeaderKilledTest {
    private static final long JOB = 0x77;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final List<Process> processes = new ArrayList<>();

    @TempDir
    private Path folder;

    private EmbeddedGrid grid;
    /** For each site, the launcher's connection to its relay. */
    private final List<RawPeer> launcher = new ArrayList<>();

    private String program;
    private List<String> arguments;

    @AfterEach
    void end() throws Exception {
        processes.forEach(Process::destroyForcibly);
        for (RawPeer connection : launcher) {
            connection.close();
        }
        grid.close();
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    private void open(int ranks, Class<?> mainClass, String... given) throws Exception {
        open(1, ranks, mainClass, given);
    }

    /** Opens a job whose ranks are at these sites in turn. */
    private void open(int sites, int ranks, Class<?> mainClass, String... given) throws Exception {
        program = mainClass.getName();
        arguments = List.of(given);
        grid = EmbeddedGrid.start(vertx, sites, 1, true, ModeConfig.of(RelayConfig.Mode.POOLED));
        List<HomeRelay> homes = new ArrayList<>();
        for (String address : grid.addresses()) {
            RawPeer connection = RawPeer.connect(address);
            launcher.add(connection);
            connection.hello(Hello.launcher());
            HomeRelay self = Welcome.decode(connection.readFrame()).homes().getFirst();
            homes.add(new HomeRelay(self.site(), self.relay(), address));
        }
        int[] homeOf = new int[ranks];
        Arrays.setAll(homeOf, rank -> rank % sites);
        for (RawPeer connection : launcher) {
            connection.send(new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "replicas", homes, homeOf).encode());
        }
        for (RawPeer connection : launcher) {
            assertThat(new FrameView().wrap(connection.readFrame(), 0).type()).isEqualTo(FrameType.JOB_OPENED);
        }
    }

    private Process process(int rank, int incarnation, boolean follows) throws IOException {
        List<String> command = new ArrayList<>(List.of(Installation.rankJava(Map.of()).toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(RankMain.JVM_FLAGS);
        command.addAll(List.of("-cp", Installation.jarOf(RankMain.class) + File.pathSeparator + Jobs.classPath(), RankMain.class.getName(), program));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output(rank, incarnation).toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of(
                Endpoints.RELAY, grid.addresses().get(rank % launcher.size()),
                Endpoints.JOB, HexFormat.of().toHexDigits(JOB),
                Endpoints.RANK, Integer.toString(rank),
                Endpoints.TOKEN, TOKEN.ofRank(rank).hex(),
                Endpoints.INCARNATION, Integer.toString(incarnation),
                Endpoints.RESTARTABLE, "1"));
        if (follows) {
            builder.environment().put(Endpoints.FOLLOWER, "1");
        }
        Process started = builder.start();
        processes.add(started);
        return started;
    }

    private Path output(int rank, int incarnation) {
        return folder.resolve("rank" + rank + "." + incarnation);
    }

    private String said(int rank, int incarnation) throws IOException {
        return Files.readString(output(rank, incarnation));
    }

    private JobEvent told(int rank, int kind) throws IOException, WireException {
        while (true) {
            ByteBuffer frame = launcher.get(rank % launcher.size()).readFrame();
            JobEvent event = JobEvent.decode(frame);
            assertThat(event.kind()).as(event.text()).isNotIn(JobEvent.DIVERGED, JobEvent.ABORTED);
            if (event.rank() == rank && event.kind() == kind) {
                return event;
            }
        }
    }

    private List<Process> others(int ranks, int except) throws IOException {
        List<Process> others = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            if (rank != except) {
                others.add(process(rank, 1, false));
            }
        }
        return others;
    }

    private void endsWell(List<Process> all) throws Exception {
        for (Process process : all) {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("%s has ended", process).isTrue();
            assertThat(process.exitValue()).as(() -> everything()).isZero();
        }
    }

    private String everything() {
        StringBuilder all = new StringBuilder();
        for (File file : folder.toFile().listFiles()) {
            try {
                all.append(file.getName()).append(": ").append(Files.readString(file.toPath())).append('\n');
            } catch (IOException e) {
                all.append(e);
            }
        }
        return all.toString();
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 57", "0, 300", "1, 40"})
    void rankGoesOnInItsFollowerWhereverItsLeaderIsKilled(int victim, int delivery) throws Exception {
        open(4, MasterOfAny.class, "100", victim + ":" + delivery);
        rankGoesOn(4, victim);
    }

    /** Each message goes to another relay. Either rank 0 or one of its partners dies. */
    @Test
    void rankGoesOnInItsFollowerWithPartnersAtAnotherSite() throws Exception {
        rankGoesOnInItsFollowerWithPartnersAtAnotherSite(0, 57);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource("1, 40")
    void rankGoesOnInItsFollowerWithPartnersAtAnotherSite(int victim, int delivery) throws Exception {
        open(2, 2, MasterOfAny.class, "200", victim + ":" + delivery);
        rankGoesOn(2, victim);
    }

    @Tag("long")
    @Test
    void failedPollsAreThoseOfTheLeader() throws Exception {
        open(3, BranchesOnTestsome.class, "40", "0:35");
        rankGoesOn(3, 0);
    }

    @Tag("long")
    @Test
    void failedProbesAreThoseOfTheLeader() throws Exception {
        open(2, BranchesOnProbe.class, "40", "0:25");
        rankGoesOn(2, 0);
    }

    private void rankGoesOn(int ranks, int victim) throws Exception {
        Process follower = process(victim, 2, true);
        told(victim, JobEvent.FOLLOWS);
        List<Process> others = others(ranks, victim);
        Process leader = process(victim, 1, false);
        JobEvent promoted = told(victim, JobEvent.PROMOTED);
        assertThat(promoted.code()).isEqualTo(2);
        assertThat(promoted.a()).isEqualTo(3);
        assertThat(leader.waitFor()).isEqualTo(137);
        told(victim, JobEvent.CAUGHT_UP);
        endsWell(others);
        endsWell(List.of(follower));
        assertThat(said(0, victim == 0 ? 2 : 1)).contains("Verification: SUCCESSFUL");
    }

    @Tag("long")
    @Test
    void secondFollowerGoesOnWhereTheFirstIsKilledToo() throws Exception {
        open(3, MasterOfAny.class, "200", "0:50,300");
        process(0, 2, true);
        told(0, JobEvent.FOLLOWS);
        Process last = process(0, 4, true);
        told(0, JobEvent.FOLLOWS);
        List<Process> others = others(3, 0);
        process(0, 1, false);
        assertThat(told(0, JobEvent.PROMOTED).a()).isEqualTo(5);
        assertThat(told(0, JobEvent.PROMOTED).a()).isEqualTo(7);
        endsWell(others);
        assertThat(last.isAlive() || said(0, 4).contains("Verification: SUCCESSFUL")).as(() -> everything()).isTrue();
        assertThat(processes.stream().filter(process -> !others.contains(process)).map(LeaderKilledTest::status)).contains(0);
    }

    private static int status(Process process) {
        try {
            return process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private long delivered() throws Exception {
        List<PairTraffic> traffic = grid.views().getFirst().traffic(Job.hexId(JOB)).await(60, TimeUnit.SECONDS);
        return traffic.stream().mapToLong(PairTraffic::messages).sum();
    }

    @Test
    void leaderThatWasStoppedAndGoesOnAfterItsFollowerLeadsChangesNothing() throws Exception {
        open(3, MasterOfAny.class, "5000", "");
        Process follower = process(0, 2, true);
        told(0, JobEvent.FOLLOWS);
        List<Process> others = others(3, 0);
        Process leader = process(0, 1, false);
        await().atMost(PATIENCE).until(() -> delivered() > 1_000);
        signal("STOP", leader);
        launcher.getFirst().send(new RankFailed(JOB, 0, 1).encode());
        assertThat(told(0, JobEvent.PROMOTED).a()).isEqualTo(3);
        told(0, JobEvent.CAUGHT_UP);
        assertThat(follower.isAlive()).as("the job is under way").isTrue();
        signal("CONT", leader);
        assertThat(leader.waitFor()).as("it was fenced: " + said(0, 1)).isEqualTo(ExitStatuses.CONNECTION);
        assertThat(said(0, 1)).contains("its process has ended, as its launcher knows");
        endsWell(others);
        endsWell(List.of(follower));
        assertThat(said(0, 2)).contains("Verification: SUCCESSFUL");
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor()).isZero();
    }
}
