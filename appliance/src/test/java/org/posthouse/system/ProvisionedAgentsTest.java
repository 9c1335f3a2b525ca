package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.cli.Posthouse;
import org.posthouse.launch.install.Installation;
import org.posthouse.system.jobs.Waits;
import org.posthouse.testkit.SshHosts;

/**
 * The contract of all ways to bring agents to three hosts of two slots: by hand, by a real sshd, by a real Slurm that runs
 * on this host, by the real kubectl and a Kubernetes of the tests. A way whose programs are not installed is skipped.
 */
@Timeout(900)
class ProvisionedAgentsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOKEN = "00112233445566778899aabbccddeeff";

    /** How long a Kubernetes Job lives without its launcher, if the test does not wait for its end. */
    private static final int DEADLINE_SECONDS = 300;

    private static final int DEADLINE_SECONDS_SHORT = 15;

    private static final List<String> HOSTS = List.of("n1", "n2", "n3");

    enum Way {
        HAND, SSH, SLURM, SLURM_ALLOCATION, KUBERNETES
    }

    @TempDir
    private static Path folder;

    /** Null where there can be none. */
    private static SlurmCluster cluster;

    /** Null where there can be none. */
    private static KubernetesCluster kubernetes;

    private static Relays relay;
    private static Path token;
    private final List<Command> byHand = new ArrayList<>();
    private int deadlineSeconds = DEADLINE_SECONDS;

    @BeforeAll
    static void relayAndSlurm() throws Exception {
        startRelay();
        cluster = SlurmCluster.missing().isEmpty() ? SlurmCluster.start(folder.resolve("slurm")) : null;
        kubernetes = KubernetesCluster.missing().isEmpty()
                ? KubernetesCluster.start(folder.resolve("kubernetes"), folder.resolve("posthouse"), TOKEN)
                : null;
    }

    @AfterAll
    static void endAll() throws Exception {
        relay.close();
        if (cluster != null) {
            cluster.close();
        }
        if (kubernetes != null) {
            kubernetes.close();
        }
    }

    private static void startRelay() throws Exception {
        token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        token.toFile().setReadable(false, false);
        token.toFile().setReadable(true, true);
        relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString(), "--token-file", token.toString());
        List<String> java = new ArrayList<>(List.of(Installation.java().toString()));
        java.addAll(Installation.jvmFlags());
        java.addAll(List.of(
                "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder, "-Dposthouse.program=" + folder.resolve("posthouse"), "-cp",
                System.getProperty("java.class.path"),
                Posthouse.class.getName()));
        Path program = Files.writeString(
                folder.resolve("posthouse"), "#!/bin/sh\nexport POSTHOUSE_TEST_FOLDER=" + folder + "\nexec '" + String.join("' '", java) + "' \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    @AfterEach
    void end() throws Exception {
        byHand.forEach(Command::close);
        Command.processes(folder).stream().filter(pid -> pid != relay.pid()).forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        if (cluster != null) {
            cluster.ask("scancel", "-u", System.getProperty("user.name"));
            await().atMost(PATIENCE).until(() -> cluster.jobs().isEmpty());
        }
    }

    /** Starts {@code posthouse run} on agents that come this way. */
    private Command run(Way way, String... arguments) throws Exception {
        List<String> first = new ArrayList<>();
        List<String> options = new ArrayList<>(List.of("run", "--relay", relay.ranks(), "--token-file", token.toString(), "--node-timeout", "2"));
        switch (way) {
            case HAND -> {
                for (String host : HOSTS) {
                    byHand.add(Command.start(
                            folder, "agent", "--relay", relay.ranks(), "--token-file", token.toString(), "--name", host, "--slots", "2", "--dir",
                            folder.resolve(host).toString()));
                }
                await().atMost(PATIENCE).until(() -> byHand.stream().allMatch(agent -> (agent.err() + agent.out()).contains("connected to the relay")));
            }
            case SSH -> {
                options.addAll(List.of(
                        "--hostfile", Files.write(folder.resolve("hosts"), HOSTS.stream().map(host -> host + " slots=2").toList()).toString(),
                        "--launch-agent", SshHosts.template(folder)));
            }
            case SLURM -> {
                first.addAll(List.of("env", "SLURM_CONF=" + cluster.conf()));
                options.addAll(List.of("--slurm", "-N 3 --ntasks-per-node=2 -t 5"));
            }
            case KUBERNETES -> options.addAll(
                    List.of("--kubernetes", manifest().toString(), "--pods", "3", "--kubectl", kubernetes.kubectl()));
            case SLURM_ALLOCATION -> first.addAll(
                    List.of("env", "SLURM_CONF=" + cluster.conf(), "salloc", "-Q", "-N", "3", "--ntasks-per-node=2", "-t", "5"));
        }
        options.addAll(List.of(arguments));
        return Command.startBehind(folder, first, List.of("-Dposthouse.program=" + folder.resolve("posthouse")), options.toArray(String[]::new));
    }

    /** The shipped manifest of agents, for this relay. */
    private Path manifest() throws IOException {
        String shipped = Files.readString(Path.of(System.getProperty("basedir", ""), "../ops/kubernetes/agents.yaml"));
        return Files.writeString(
                folder.resolve("agents.yaml"),
                shipped.replace("posthouse-relay:7411", relay.ranks()).replace("\nspec:\n",
                        "\nspec:\n  ttlSecondsAfterFinished: 1\n  activeDeadlineSeconds: " + deadlineSeconds + "\n"));
    }

    private void assume(Way way) {
        switch (way) {
            case HAND -> {}
            case SSH -> assumeTrue(SshHosts.missing(folder).isEmpty(), () -> SshHosts.missing(folder));
            case SLURM, SLURM_ALLOCATION -> assumeTrue(cluster != null, SlurmCluster::missing);
            case KUBERNETES -> assumeTrue(kubernetes != null, "there is no kubectl here: install kubernetes-client");
        }
    }

    /** Processes of agents, however they were started. */
    private List<ProcessHandle> agents() {
        return Command.processes(folder).stream().flatMap(pid -> ProcessHandle.of(pid).stream()).filter(ProvisionedAgentsTest::isAgent).toList();
    }

    private static boolean isAgent(ProcessHandle process) {
        boolean isJava = process.info().command().orElse("").endsWith("java");
        return isJava && commandLine(process.pid()).contains("\0" + Posthouse.class.getName() + "\0agent\0");
    }

    /** Each word with a NUL behind it; empty if the process has ended. ProcessHandle gives none that is long. */
    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** What is left but the relay, and agents that were started by hand. */
    private List<String> left() {
        List<Long> known = Stream.concat(Stream.of(relay.pid()), byHand.stream().map(agent -> agent.handle().pid())).toList();
        return Command.processes(folder).stream()
                .filter(pid -> !known.contains(pid))
                .map(pid -> pid + " " + commandLine(pid).replace('\0', ' '))
                .toList();
    }

    private void assertNothingIsLeft(Way way) throws Exception {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(left()).isEmpty());
        if (way == Way.SLURM || way == Way.SLURM_ALLOCATION) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(cluster.jobs()).isEmpty());
        }
        if (way == Way.KUBERNETES) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(kubernetes.objects()).isEmpty());
        }
    }

    private ProcessHandle agentWithRanks() {
        return await().atMost(PATIENCE).until(() -> agents().stream().filter(agent -> agent.children().count() == 2).findFirst(), found -> found.isPresent())
                .orElseThrow();
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"HAND", "SSH", "SLURM", "SLURM_ALLOCATION"})
    void ranksOfAKilledAgentGoOnElsewhereTheOtherWays(Way way) throws Exception {
        ranksOfAKilledAgentGoOnElsewhereAndNothingIsLeft(way);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "KUBERNETES")
    void ranksOfAKilledAgentGoOnElsewhereAndNothingIsLeft(Way way) throws Exception {
        assume(way);
        long before = relay.delivered();
        try (Command job = run(way, "-n", "4", "-a", "concentrate", "--durability", "process", "example:ring", "4000", "1024")) {
            await().atMost(PATIENCE).until(() -> relay.delivered() > before + 500 || !job.handle().isAlive());
            assertThat(job.handle().isAlive()).as(job.err()).isTrue();
            agentWithRanks().destroyForcibly();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.err()).doesNotContain(TOKEN).contains("4 ranks on 2 nodes");
            assertNothingIsLeft(way);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"HAND", "SSH", "SLURM"})
    void cancelFreesAllOfTheOtherWays(Way way) throws Exception {
        cancelFreesAll(way);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"SLURM_ALLOCATION", "KUBERNETES"})
    void cancelFreesAll(Way way) throws Exception {
        assume(way);
        try (Command job = waiting(way)) {
            launcher(job).destroy();
            job.await();
            assertNothingIsLeft(way);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"SSH", "SLURM_ALLOCATION", "KUBERNETES"})
    void nothingIsLeftBehindALauncherThatIsKilledElsewhere(Way way) throws Exception {
        nothingIsLeftBehindAKilledLauncher(way);
    }

    @ParameterizedTest
    @EnumSource(names = "SLURM")
    void nothingIsLeftBehindAKilledLauncher(Way way) throws Exception {
        assume(way);
        deadlineSeconds = DEADLINE_SECONDS_SHORT;
        try (Command job = waiting(way)) {
            launcher(job).destroyForcibly();
            assertNothingIsLeft(way);
        }
    }

    private Command waiting(Way way) throws Exception {
        Command job = run(way, "-n", "6", "-cp", Jobs.classPath(), Waits.class.getName(), folder.resolve("end").toString());
        await().atMost(PATIENCE).until(() -> job.out().contains("waits") || !job.handle().isAlive());
        assertThat(job.out()).as(job.err()).contains("waits");
        assertThat(tokenInCommandLines()).isEmpty();
        return job;
    }

    /** Below salloc, if there is one. */
    private static ProcessHandle launcher(Command job) {
        return Stream.concat(Stream.of(job.handle()), job.handle().descendants())
                .filter(process -> process.info().command().orElse("").endsWith("java"))
                .findFirst()
                .orElseThrow();
    }

    private List<Long> tokenInCommandLines() {
        return Command.processes(folder).stream().filter(pid -> commandLine(pid).contains(TOKEN)).toList();
    }

    @Tag("long")
    @Test
    void ranksAreAskedForCheckpointsBeforeTheTimeLimitOfAnAllocation() throws Exception {
        assume(Way.SLURM);
        try (Command job = run(
                Way.SLURM, "--end-margin", "5m", "-n", "4", "--durability", "process", "example:waves", "100000", "2000000")) {
            await().atMost(PATIENCE).until(() -> job.err().contains("asked for checkpoints") || !job.handle().isAlive());
            assertThat(job.err()).containsPattern("posthouse: Slurm's job [0-9]+ ends in [0-9]+ s: the ranks are asked for checkpoints");
            await().atMost(PATIENCE).until(() -> images() >= 4 || !job.handle().isAlive());
            assertThat(images()).as(job.err()).isGreaterThanOrEqualTo(4);
            job.handle().destroy();
            job.await();
            assertNothingIsLeft(Way.SLURM);
        }
    }

    private long images() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
            return files.filter(file -> file.toString().contains("images") && Files.isRegularFile(file)).count();
        }
    }

    @Test
    @Tag("long")
    void jobEndsWithAReasonWhenItsAllocationIsCancelled() throws Exception {
        assume(Way.SLURM);
        try (Command job = waiting(Way.SLURM)) {
            cluster.ask("scancel", "-u", System.getProperty("user.name"));
            Command.Result done = job.await();
            assertThat(done.status()).isEqualTo(1);
            assertThat(done.err()).containsPattern("posthouse: job ended: the nodes of Slurm's job [0-9]+ have no agents any more: .* CANCELLED AT ");
            assertNothingIsLeft(Way.SLURM);
        }
    }

    @Test
    void allocationThatIsRefusedIsToldInALine() throws Exception {
        assume(Way.SLURM);
        try (Command job = Command.startBehind(
                folder, List.of("env", "SLURM_CONF=" + cluster.conf()), List.of("-Dposthouse.program=" + folder.resolve("posthouse")), "run", "--relay",
                relay.ranks(), "--token-file", token.toString(), "--slurm", "-N 3 -p none", "-n", "2", "example:ring")) {
            Command.Result done = job.await();
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.startsWith("posthouse"))).as(done.err()).hasSize(1).first().asString()
                    .startsWith("posthouse run: Slurm has granted no allocation: salloc ended with status 1: salloc: error: ");
            assertNothingIsLeft(Way.SLURM);
        }
    }

    @Tag("long")
    @Test
    void launcherThatWaitsInTheQueueTakesItsRequestBack() throws Exception {
        assume(Way.SLURM);
        try (Command job = Command.startBehind(
                folder, List.of("env", "SLURM_CONF=" + cluster.conf()), List.of("-Dposthouse.program=" + folder.resolve("posthouse")), "run", "--relay",
                relay.ranks(), "--token-file", token.toString(), "--slurm", "-N 9", "-n", "2", "example:ring")) {
            await().atMost(PATIENCE).until(() -> job.err().contains(": PENDING (") || !job.handle().isAlive());
            assertThat(job.err()).containsPattern("Slurm's job [0-9]+: PENDING \\(");
            job.handle().destroy();
            job.await();
            assertNothingIsLeft(Way.SLURM);
        }
    }

    @Test
    void agentsWithoutARelayAreRefused() throws Exception {
        Command.Result done = Command.run(folder, "run", "--slurm", "-N 3", "-n", "2", "example:ring", "5", "10");
        assertThat(done.status()).isNotZero();
        assertThat(done.err().lines()).as(done.err()).hasSize(1).allMatch(line -> line.contains("name it with --relay"));
    }

    @Test
    void slurmThatIsNotThereIsToldInALine() throws Exception {
        Command.Result done = Command.run(
                folder, "run", "--relay", relay.ranks(), "--token-file", token.toString(), "--slurm", "-N '3", "-n", "2", "example:ring");
        assertThat(done.status()).isNotZero();
        assertThat(done.err().lines().filter(line -> line.startsWith("posthouse"))).as(done.err()).hasSize(1);
    }

    /** {@code posthouse agents ARGUMENTS} at the relay. */
    private static Command.Result agents(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("agents", arguments[0], "--relay", relay.ranks(), "--token-file", token.toString()));
        words.addAll(Arrays.asList(arguments).subList(1, arguments.length));
        List<String> first = cluster == null ? List.of() : List.of("env", "SLURM_CONF=" + cluster.conf());
        try (Command command =
                Command.startBehind(folder, first, List.of("-Dposthouse.program=" + folder.resolve("posthouse")), words.toArray(String[]::new))) {
            return command.await();
        }
    }

    @Tag("long")
    @Test
    void standingAgentsOutliveTheCommandAndAreListedAndStopped() throws Exception {
        Path hosts = Files.writeString(folder.resolve("two"), "n1 slots=2\nn2 slots=2\n");
        Command.Result started = agents("start", "--hostfile", hosts.toString(), "--launch-agent", "env HOST={host} {words}");
        assertThat(started.status()).as(started.err()).isZero();
        assertThat(agents()).hasSize(2);
        assertThat(tokenInCommandLines()).isEmpty();
        assertThat(agents("ls").out().lines().skip(1)).hasSize(2).allMatch(line -> line.contains("posthouse.standing="));
        Command.Result done = Command.run(folder, "run", "-n", "4", "--relay", relay.ranks(), "--token-file", token.toString(), "example:ring", "5", "10");
        assertThat(done.err()).contains("4 ranks on 2 nodes");
        Command.Result one = agents("stop", "n1");
        assertThat(one.out()).as(one.err()).contains("1 of 1 agents have ended");
        assertThat(agents()).hasSize(1);
        assertThat(agents("stop", "--now").out()).contains("1 of 1 agents have ended");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(left()).isEmpty());
    }

    @Test
    void hostThatCannotBeReachedIsToldAndTheOthersStand() throws Exception {
        Path hosts = Files.writeString(folder.resolve("two"), "n1 slots=2\nnone slots=2\n");
        Command.Result started = agents("start", "--hostfile", hosts.toString(), "--launch-agent", "sh -c 'test {host} = n1 || exit 7; exec {command}'");
        assertThat(started.status()).isEqualTo(1);
        assertThat(started.err().lines().filter(line -> line.startsWith("posthouse agents: host none has no agent: "))).as(started.err()).hasSize(1);
        assertThat(agents("stop").out()).contains("1 of 1 agents have ended");
    }

    /** The tasks of a real step bring their slots, once each, and end with the job. */
    @Tag("long")
    @Test
    void aBatchJobOfSlurmJoinsAJob() throws Exception {
        assume(Way.SLURM);
        Path script = Files.writeString(folder.resolve("batch"), "#!/bin/sh\nexec srun --no-kill --kill-on-bad-exit=0 --wait=0 " + folder.resolve("posthouse")
                + " join june --relay " + relay.ranks() + " --token-file " + token + "\n");
        Path printed = folder.resolve("batch.out");
        assertThat(cluster.ask("sbatch", "-N", "2", "--ntasks-per-node=2", "-t", "5", "-o", printed.toString(), script.toString())).contains("Submitted");
        Command.Result done = Command.run(
                folder, "run", "--job", "june", "--expect", "site-a=4", "--relay", relay.ranks(), "--token-file", token.toString(), "example:ring", "5", "10");
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.err()).contains("the part of site-a is there: 4 of 4 slots on 2 nodes", "4 ranks on 2 nodes");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(cluster.jobs()).isEmpty());
        assertThat(Files.readString(printed).lines().filter(line -> line.equals("posthouse: job june has ended"))).hasSize(2);
        assertNothingIsLeft(Way.SLURM);
    }

    @Test
    @Tag("long")
    void standingAgentsOfSlurmGiveTheirNodesBackWhenTheyAreStopped() throws Exception {
        assume(Way.SLURM);
        Command.Result started = agents("start", "--slurm", "-N 2 --ntasks-per-node=2 -t 5 -o /dev/null");
        assertThat(started.out()).as(started.err()).containsPattern("Slurm's job [0-9]+ starts the agents");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agents("ls").out().lines().skip(1)).hasSize(2));
        assertThat(agents("stop").out()).contains("2 of 2 agents have ended");
        assertNothingIsLeft(Way.SLURM);
    }

    /** {@code posthouse run} with a manifest of agents. */
    private Command runOnKubernetes(Path manifest, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "run", "--relay", relay.ranks(), "--token-file", token.toString(), "--kubernetes", manifest.toString(), "--kubectl", kubernetes.kubectl()));
        words.addAll(List.of(arguments));
        return Command.start(folder, words.toArray(String[]::new));
    }

    @Tag("long")
    @Test
    void podsThatWaitAreToldOfAndAreTakenBack() throws Exception {
        assume(Way.KUBERNETES);
        deadlineSeconds = DEADLINE_SECONDS_SHORT;
        try (Command job = runOnKubernetes(manifest(), "--pods", "4", "-n", "2", "example:ring")) {
            await().atMost(PATIENCE)
                    .until(() -> job.err().contains("3 of 4 Pods run; 1 waits: Unschedulable: 0/3 nodes are available") || !job.handle().isAlive());
            assertThat(job.err()).containsPattern("Kubernetes' Job posthouse-[0-9a-f]{16} in namespace jobs: 3 of 4 Pods run; 1 waits: Unschedulable: ");
            await().atMost(PATIENCE).until(() -> kubernetes.deadlineSeconds() > DEADLINE_SECONDS_SHORT);
            job.handle().destroy();
            job.await();
            assertNothingIsLeft(Way.KUBERNETES);
        }
    }

    @Test
    void agentThatItsRelayRefusesIsToldInALine() throws Exception {
        assume(Way.KUBERNETES);
        kubernetes.secret("ffffffffffffffffffffffffffffffff");
        try (Command job = runOnKubernetes(manifest(), "--pods", "1", "-n", "2", "example:ring")) {
            Command.Result done = job.await();
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.startsWith("posthouse run:"))).as(done.err()).hasSize(1).first().asString()
                    .containsPattern(
                            "Pod posthouse-[0-9a-f]{16}-0-[0-9]+ on node n1 has no agent: it ended with status 1: .* has not proven that it knows the launch token");
            assertNothingIsLeft(Way.KUBERNETES);
        } finally {
            kubernetes.secret(TOKEN);
        }
    }

    @Tag("long")
    @Test
    void manifestsThatAreNotOneIndexedJobAreRefused() throws Exception {
        assume(Way.KUBERNETES);
        Path shipped = Path.of(System.getProperty("basedir", ""), "../ops/kubernetes/relay.yaml");
        Path other = Files.writeString(folder.resolve("other.yaml"), Files.readString(manifest()).replace("completionMode: Indexed", "suspend: false"));
        for (Path manifest : List.of(shipped, other, folder.resolve("none.yaml"))) {
            try (Command job = runOnKubernetes(manifest, "-n", "2", "example:ring")) {
                Command.Result done = job.await();
                assertThat(done.status()).isNotZero();
                assertThat(done.err().lines()).as(done.err()).hasSize(1).allMatch(line -> line.startsWith("posthouse run: --kubernetes " + manifest));
            }
        }
        assertThat(kubernetes.objects()).isEmpty();
    }

    @Test
    @Tag("long")
    void standingAgentsOfKubernetesGoWhenTheyAreStopped() throws Exception {
        assume(Way.KUBERNETES);
        Path standing = Files.writeString(
                folder.resolve("standing.yaml"), Files.readString(manifest()).replaceFirst("\n *activeDeadlineSeconds: [0-9]+", ""));
        Command.Result started = agents("start", "--kubernetes", standing.toString(), "--pods", "2", "--kubectl", kubernetes.kubectl());
        assertThat(started.out()).as(started.err()).containsPattern("Kubernetes' Job posthouse-agents-[0-9a-f]{8} in namespace jobs starts 2 agents; kubectl ");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(agents("ls").out().lines().skip(1)).hasSize(2));
        assertThat(agents("stop").out()).contains("2 of 2 agents have ended");
        assertNothingIsLeft(Way.KUBERNETES);
    }

    /** As a node runs them in the relay's Pod. */
    @Test
    void probesOfTheShippedRelayAnswer() throws Exception {
        String manifest = Files.readString(Path.of(System.getProperty("basedir", ""), "../ops/kubernetes/relay.yaml"));
        List<String> probes = Pattern.compile("- >-\n((?: {18}.*\n)+)").matcher(manifest).results().map(found -> found.group(1)).toList();
        assertThat(probes).hasSize(2);
        for (String probe : probes) {
            String here = probe.replaceAll("\n *", " ").replace("127.0.0.1/7413", "127.0.0.1/" + relay.ready().console().replaceFirst(".*:", ""));
            Process process =
                    new ProcessBuilder("bash", "-c", here.replace(":7413", ":" + relay.ready().console().replaceFirst(".*:", ""))).inheritIO().start();
            assertThat(process.waitFor()).as(here).isZero();
            Process other = new ProcessBuilder("bash", "-c", here.replace("z HTTP", "y HTTP")).inheritIO().start();
            assertThat(other.waitFor()).as("a page that is not there").isNotZero();
        }
    }
}
