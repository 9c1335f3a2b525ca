package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.keys.GridAuthority;

/**
 * Two sites of three nodes, each relay, node and launcher on a host of its own, which is a network namespace. A node
 * reaches its own relay and nothing else, and the launcher the two relays. Whatever dies, or is cut off, the job's
 * result is right, and nothing of it is left anywhere.
 */
@Timeout(900)
class NodesOnHostsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(240);
    private static final List<String> SITES = List.of("site-a", "site-b");
    private static final int NODES_MAX = 3;
    private static final int SLOTS = 8;
    private static final int RANKS = 24;
    private static final int LAUNCHER = SITES.size() * (1 + NODES_MAX);

    /** The network of the relays; network N with N from 1 is that of host N + 1 and its relay. */
    private static final int BETWEEN_RELAYS = 0;

    /** The launcher's network with the first relay; the next one is that with the second. */
    private static final int OF_LAUNCHER = 100;

    private static final int PORT = 7411;
    private static final int LINK_PORT = 7412;
    private static final String CONSOLE = "127.0.0.1:7413";

    /** Number of messages that a relay has delivered when a job of 24 ranks is under way. */
    private static final long UNDER_WAY = 2_000;

    @TempDir
    private Path folder;

    private Path token;
    private Namespaces hosts;
    private final Command[] relays = new Command[SITES.size()];
    private final List<Command> started = new ArrayList<>();
    private Command[] agents;

    /** Nodes of each site. */
    private int nodes;

    private void build(int nodesOfSite) throws Exception {
        nodes = nodesOfSite;
        agents = new Command[SITES.size() * nodes];
        assumeThat(Namespaces.areThere()).as("users may have network namespaces on this machine").isTrue();
        hosts = Namespaces.apart(LAUNCHER + 1);
        hosts.join(BETWEEN_RELAYS, 0, 1);
        for (int site = 0; site < SITES.size(); site++) {
            hosts.join(OF_LAUNCHER + site, site, LAUNCHER);
        }
        for (int node = 0; node < agents.length; node++) {
            hosts.join(network(node), siteOf(node), host(node));
        }
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        for (String site : SITES) {
            authority.issue(site, 2, folder.resolve("keys-" + site));
        }
        token = Files.createFile(folder.resolve("token"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "00112233445566778899aabbccddeeff\n");
        for (int site = 0; site < SITES.size(); site++) {
            relay(site);
        }
        for (int node = 0; node < agents.length; node++) {
            agent(node);
        }
        for (Command agent : agents) {
            awaitConnected(agent);
        }
    }

    @AfterEach
    void close() {
        started.forEach(Command::close);
        if (hosts != null) {
            hosts.close();
        }
    }

    private int siteOf(int node) {
        return node / nodes;
    }

    private static int host(int node) {
        return SITES.size() + node;
    }

    private static int network(int node) {
        return node + 1;
    }

    private Command start(int host, List<String> arguments) throws IOException {
        Command command = Command.startBehind(folder, hosts.enter(host), List.of(), arguments.toArray(String[]::new));
        started.add(command);
        return command;
    }

    private void relay(int site) throws Exception {
        String name = SITES.get(site);
        List<String> arguments = new ArrayList<>(List.of(
                "relay", "--unsafe-plain-ranks", "--site", name, "--keys", folder.resolve("keys-" + name).toString(), "--listen", "0.0.0.0:" + PORT,
                "--announce",
                "10.78." + (OF_LAUNCHER + site) + ".1:" + PORT, "--ops", CONSOLE, "--token-file", token.toString(), "--data",
                folder.resolve("data-" + name).toString(), "--tunnel-group"));
        arguments.addAll(
                site == 0
                        ? List.of("--links", "10.78." + BETWEEN_RELAYS + ".1:" + LINK_PORT)
                        : List.of("--peer", SITES.getFirst() + "=10.78." + BETWEEN_RELAYS + ".1:" + LINK_PORT));
        Command relay = start(site, arguments);
        relays[site] = relay;
        look().until(() -> !relay.out().isEmpty() || !relay.handle().isAlive());
        assertThat(relay.out()).as(relay.err()).contains("0.0.0.0:" + PORT);
    }

    private void agent(int node) throws IOException {
        String name = "n" + node;
        agents[node] = start(host(node), List.of(
                "agent", "--relay", "10.78." + network(node) + ".1:" + PORT, "--token-file", token.toString(), "--name", name, "--host-id", name,
                "--slots", Integer.toString(SLOTS), "--dir", folder.resolve(name).toString()));
    }

    /** A job of so many ranks, one half of them at each site. */
    private Command run(int ranks, String... more) throws IOException {
        String half = Integer.toString(ranks / 2);
        List<String> arguments = new ArrayList<>(List.of(
                "run", "-n", Integer.toString(ranks), "--sites", SITES.get(0) + ":" + half + "," + SITES.get(1) + ":" + half, "--token-file",
                token.toString()));
        for (int site = 0; site < SITES.size(); site++) {
            arguments.addAll(List.of("--relay", "10.78." + (OF_LAUNCHER + site) + ".1:" + PORT));
        }
        arguments.addAll(List.of(more));
        return start(LAUNCHER, arguments);
    }

    private static ConditionFactory look() {
        return await().pollInterval(Duration.ofMillis(200)).atMost(PATIENCE);
    }

    /** Waits for it, or for the end of a job that it does not come true for. */
    private static void awaitIn(Command job, BooleanSupplier condition) {
        look().until(() -> condition.getAsBoolean() || !job.handle().isAlive());
        assertThat(condition.getAsBoolean()).as("the job has ended: %s%s", job.out(), job.err()).isTrue();
    }

    /** The sum of the relay's meters whose line begins so. */
    private long meter(int site, String name) {
        try {
            return hosts.run(site, "curl", "-s", "http://" + CONSOLE + "/metrics").lines()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Messages that this relay has delivered since its start. */
    private long delivered(int site) {
        return meter(site, "posthouse_messages_total{direction=\"out\"");
    }

    private void awaitUnderWay(Command job) {
        awaitIn(job, () -> delivered(0) >= UNDER_WAY);
    }

    private int ranksOn(int node) {
        return Jobs.ranks(agents[node].handle()).size();
    }

    /** A node of the first site with ranks. */
    private int victim() {
        for (int node = 0; node < nodes; node++) {
            if (ranksOn(node) > 0) {
                return node;
            }
        }
        throw new AssertionError("no node of " + SITES.getFirst() + " has ranks");
    }

    private Command.Result assertSucceeds(Command job) throws Exception {
        Command.Result done = job.await();
        assertThat(done.status()).as(done.out() + done.err()).isZero();
        assertThat(done.out()).as(done.err()).containsOnlyOnce("Verification: SUCCESSFUL");
        return done;
    }

    /** No process and no folder of a job, on any node. */
    private void assertNothingIsLeft() {
        for (int node = 0; node < agents.length; node++) {
            int each = node;
            look().untilAsserted(() -> {
                assertThat(Jobs.ranks(agents[each].handle())).as("processes on n%s", each).isEmpty();
                assertThat(jobFolders(each)).as("folders of jobs on n%s", each).isEmpty();
            });
        }
        List<Long> ours = started.stream().map(command -> command.handle().pid()).toList();
        look().untilAsserted(() -> assertThat(Command.processes(folder)).as("processes that nobody waits for").isSubsetOf(ours));
        for (int site = 0; site < SITES.size(); site++) {
            int each = site;
            look().untilAsserted(() -> assertThat(meter(each, "posthouse_node_slots_free{")).as("free slots of %s", SITES.get(each)).isEqualTo(nodes * SLOTS));
        }
    }

    private List<Path> jobFolders(int node) throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("n" + node).resolve("jobs"))) {
            return left.filter(path -> !path.endsWith("lock")).toList();
        }
    }

    private static String[] logged(String... more) {
        return Stream.concat(Stream.of("--durability", "process"), Stream.of(more).flatMap(word -> Stream.of(word.split(" ")))).toArray(String[]::new);
    }

    private void kill(Command command) {
        command.handle().destroyForcibly();
        command.handle().onExit().join();
    }

    /** The short form: few ranks, one program, one placement, one fault. */
    @Tag("long")
    @Test
    void jobSurvivesTheDeathOfANode() throws Exception {
        build(2);
        Command job = run(4, logged("--node-timeout", "2", "example:heat", "64", "2000"));
        awaitUnderWay(job);
        kill(agents[victim()]);
        Command.Result done = assertSucceeds(job);
        assertThat(Jobs.told(done, " is gone: ")).as(done.err()).hasSize(1);
    }

    @Tag("long")
    @Test
    void nodesReachTheirRelayAndNothingElse() throws Exception {
        build(NODES_MAX);
        for (int node = 0; node < agents.length; node++) {
            for (int site = 0; site < SITES.size(); site++) {
                assertThat(hosts.reaches(host(node), "10.78." + (OF_LAUNCHER + site) + ".1")).isFalse();
                assertThat(hosts.reaches(host(node), "10.78." + BETWEEN_RELAYS + "." + (site + 1))).isFalse();
            }
            for (int other = 0; other < agents.length; other++) {
                assertThat(hosts.reaches(host(node), "10.78." + network(other) + ".1")).isEqualTo(other == node);
                assertThat(hosts.reaches(LAUNCHER, "10.78." + network(other) + ".2")).isFalse();
            }
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"spread", "concentrate"})
    void programsVerify(String allocation) throws Exception {
        build(NODES_MAX);
        for (String program : List.of("nas-is", "nas-cg", "heat")) {
            Command.Result done = assertSucceeds(run(RANKS, "-a", allocation, "example:" + program));
            int used = allocation.equals("spread") ? agents.length : 4;
            assertThat(done.err()).contains("24 ranks on " + used + " nodes (" + used + " hosts) of 2 sites");
            assertNothingIsLeft();
        }
    }

    /** Its ranks start on other nodes of the site, and are replayed. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"example:nas-is W", "example:nas-cg", "example:heat 96 3000"})
    void ranksOfAKilledAgentGoOnElsewhere(String program) throws Exception {
        build(NODES_MAX);
        Command job = run(RANKS, logged("--node-timeout", "2", program));
        awaitUnderWay(job);
        int victim = victim();
        int ranks = ranksOn(victim);
        kill(agents[victim]);
        Command.Result done = assertSucceeds(job);
        assertThat(Jobs.told(done, " is gone: ")).as(done.err()).hasSize(1);
        assertThat(Jobs.told(done, " caught up after ")).as(done.err()).hasSize(ranks);
        agent(victim);
        awaitConnected(agents[victim]);
        assertNothingIsLeft();
    }

    /** Longer than the relay waits for a silent agent, and shorter than the launcher does. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {8, 60})
    void aNodeThatIsBackInTimeKeepsItsRanks(int seconds) throws Exception {
        build(NODES_MAX);
        Command job = run(RANKS, logged("--node-timeout", "240", "example:heat", "96", "3000"));
        awaitUnderWay(job);
        int victim = victim();
        List<Long> before = pids(victim);
        hosts.joined(network(victim), siteOf(victim), false);
        TimeUnit.SECONDS.sleep(seconds); // What the test is about.
        assertThat(pids(victim)).isEqualTo(before);
        hosts.joined(network(victim), siteOf(victim), true);
        Command.Result done = assertSucceeds(job);
        assertThat(Jobs.told(done, " is gone: ")).as(done.err()).isEmpty();
        assertThat(Jobs.told(done, ": restarted")).as(done.err()).isEmpty();
        assertNothingIsLeft();
    }

    /** Its ranks have started elsewhere. Those that it still has may do nothing, and end. */
    @Tag("long")
    @Test
    void aNodeThatIsBackTooLateLosesItsRanks() throws Exception {
        build(NODES_MAX);
        Command job = run(RANKS, logged("--node-timeout", "2", "example:heat", "96", "6000"));
        awaitUnderWay(job);
        int victim = victim();
        int ranks = ranksOn(victim);
        hosts.joined(network(victim), siteOf(victim), false);
        awaitIn(job, () -> job.err().contains(" is gone: "));
        assertThat(ranksOn(victim)).as("nobody has told the node").isEqualTo(ranks);
        hosts.joined(network(victim), siteOf(victim), true);
        awaitIn(job, () -> ranksOn(victim) == 0);
        Command.Result done = assertSucceeds(job);
        assertThat(Jobs.told(done, " is gone: ")).as(done.err()).hasSize(1);
        assertThat(Jobs.told(done, ": restarted")).as(done.err()).hasSize(ranks);
        assertNothingIsLeft();
    }

    /** The job has ended without the node, which finds that out when it is back. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeThatIsBackAfterTheJobsEndHasNothingOfIt(boolean hasFolder) throws Exception {
        build(NODES_MAX);
        List<String> options = new ArrayList<>(List.of("--node-timeout", "2"));
        if (hasFolder) {
            options.addAll(List.of("--folder", folder.resolve("june").toString()));
        }
        options.addAll(List.of("example:heat", "96", "1000"));
        Command job = run(RANKS, logged(options.toArray(String[]::new)));
        awaitUnderWay(job);
        int victim = victim();
        hosts.joined(network(victim), siteOf(victim), false);
        Command.Result done = assertSucceeds(job);
        assertThat(Jobs.told(done, " is gone: ")).as(done.err()).hasSize(1);
        hosts.joined(network(victim), siteOf(victim), true);
        assertNothingIsLeft();
    }

    /** On the same log, at the same place. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void allComeBackToARelayThatIsStartedAgain(int site) throws Exception {
        build(NODES_MAX);
        Command job = run(RANKS, logged("example:heat", "96", "3000"));
        awaitUnderWay(job);
        kill(relays[site]);
        relay(site);
        Command.Result done = assertSucceeds(job);
        assertThat(Jobs.told(done, " is gone: ")).as(done.err()).isEmpty();
        assertThat(Jobs.told(done, ": restarted")).as(done.err()).isEmpty();
        assertNothingIsLeft();
    }

    /** No rank is started again. */
    @Tag("long")
    @Test
    void anotherLauncherTakesTheJobOver() throws Exception {
        build(NODES_MAX);
        Path june = folder.resolve("june");
        Command job = run(RANKS, logged("--folder", june.toString(), "example:heat", "96", "3000"));
        awaitUnderWay(job);
        List<Long> before = allPids();
        assertThat(before).hasSize(RANKS);
        kill(job);
        assertThat(allPids()).isEqualTo(before);
        Command.Result done = assertSucceeds(start(LAUNCHER, List.of("resume", june.toString())));
        assertThat(done.err()).doesNotContain("restarted", "caught up", "lost");
        assertNothingIsLeft();
    }

    private void awaitConnected(Command agent) {
        look().untilAsserted(() -> assertThat(agent.err() + agent.out()).contains("connected to the relay"));
    }

    private List<Long> pids(int node) {
        return Jobs.ranks(agents[node].handle()).stream().map(ProcessHandle::pid).sorted().toList();
    }

    private List<Long> allPids() {
        return IntStream.range(0, agents.length).boxed().flatMap(node -> pids(node).stream()).toList();
    }
}
