package org.posthouse.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.InProcess;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Token;

/** What {@code posthouse plan} prints, and what it refuses. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
class PlanCommandTest {
    private static final String FIGURE_10 = "plan -n 10 --sequential 10s --lambda 0.1 --overhead 1";

    private static final Token TOKEN = new Token(1, 2);

    @TempDir
    private Path folder;

    private static InProcess.Result plan(String line) {
        return InProcess.run(line.split(" "));
    }

    private static String printed(String line) {
        InProcess.Result result = plan(line);
        assertThat(result.err()).isEmpty();
        return result.out();
    }

    @Test
    void theDegreeThatWasAskedForComesFirstThenTheMinimumThenTheTable() {
        InProcess.Result result = plan(FIGURE_10 + " --target 0.1 --max-degree 8");
        assertThat(result.out().lines()).containsExactly(
                "Smallest degree with P at most 0.100: 5 (P 0.0904, 50 hosts, 5.00 s)",
                "Lowest P: 7 (P 0.0790, 70 hosts, 7.00 s)",
                "Hosts fail with lambda 360/h and delta 1.00",
                "",
                "R  HOSTS    TIME       P  P WITH RESTART",
                "1     10  1.00 s   0.632           0.632",
                "2     20  2.00 s   0.284           0.279",
                "3     30  3.00 s   0.161           0.152",
                "4     40  4.00 s   0.112          0.0986",
                "5     50  5.00 s  0.0904          0.0728",
                "6     60  6.00 s  0.0812          0.0586",
                "7     70  7.00 s  0.0790          0.0501",
                "8     80  8.00 s  0.0814          0.0447");
        assertThat(result.status()).isZero();
    }

    @Test
    void aTargetThatNoDegreeReachesNeedsAttention() {
        InProcess.Result result = plan(FIGURE_10 + " --target 0.05");
        assertThat(result.out()).startsWith("No degree up to 16 has P at most 0.0500");
        assertThat(result.status()).isEqualTo(ExitCode.ATTENTION.status());
    }

    @Test
    void jsonHasTheSame() throws IOException {
        JsonNode plan = new ObjectMapper().readTree(
                printed(FIGURE_10 + " --target 0.1 --sites 2 --site-lambda 0.001 --site-delta 0.9 --checkpoint-time 1s --restart-time 2s --json"));
        assertThat(plan.get("lowest").intValue()).isEqualTo(7);
        assertThat(plan.get("smallest").intValue()).as("with sites").isEqualTo(6);
        assertThat(plan.get("degrees")).hasSize(16);
        JsonNode second = plan.get("degrees").get(1);
        assertThat(second.get("failure").doubleValue()).isBetween(0.283, 0.285);
        assertThat(second.get("failureWithSites").doubleValue()).isGreaterThan(second.get("failure").doubleValue());
        assertThat(plan.get("checkpoints").get("intervalSeconds").doubleValue()).isBetween(4.4, 4.5);
    }

    @Test
    void oldHostsAreUsedFirstAndAreAsManyAsThereAre() {
        String plan = printed("plan -n 4 --time 1h --lambda 0.05/h --delta 0.6 --uptime 1m:4,30d:4");
        assertThat(plan.lines().filter(line -> line.matches(" *[0-9]+ .*"))).hasSize(2);
        assertThat(plan).contains("Lowest P: 2 (");
    }

    /** Twelve agents fail at ages that the fit can tell apart, one leaves, and two live. */
    @Test
    void theLifetimesOfTheGridsNodesGiveTheModel(Vertx vertx) throws Exception {
        try (MemoryDirectory directory = new MemoryDirectory()) {
            Relay first = deploy(vertx, directory, "lyon");
            Relay second = deploy(vertx, directory, "bonn");
            List<RawPeer> failing = new ArrayList<>();
            for (int agent = 1; agent <= 12; agent++) {
                failing.add(agent(agent % 2 == 0 ? first : second, agent));
            }
            try (RawPeer leaving = agent(first, 13); RawPeer living = agent(first, 14); RawPeer other = agent(second, 15)) {
                for (RawPeer each : failing) {
                    each.close();
                }
                leaving.send(CloseNotice.closing(0, CloseReason.NORMAL, "it has ended").encode(FrameType.CLOSE));
                await().until(() -> List.of(first, second).stream().mapToInt(relay -> relay.view().snapshot().nodes().size()).sum() == 2);
                InProcess.Result result = plan("plan -n 2 --time 1h --from-directory --relay " + first.address()
                        + " --token-file " + tokenFile());
                assertThat(result.err()).isEmpty();
                assertThat(result.out()).contains(", fitted to 15 lifetimes of nodes at 2 relays, 12 of them ended by a failure");
                assertThat(result.out().lines().filter(line -> line.matches(" *[0-9]+ .*"))).as("two hosts live, for two ranks").hasSize(1);
            }
        }
    }

    @Test
    void aGridThatHasSeenNoFailureGivesNoModel(Vertx vertx) throws Exception {
        try (MemoryDirectory directory = new MemoryDirectory()) {
            Relay relay = deploy(vertx, directory, "lyon");
            InProcess.Result result = plan("plan -n 2 --time 1h --from-directory --relay " + relay.address()
                    + " --token-file " + tokenFile());
            assertThat(result.status()).isEqualTo(ExitCode.FAILED.status());
            assertThat(result.err()).isEqualTo("posthouse plan: 0 failures in 0 lifetimes of nodes, expected at least 10; give --lambda and --delta\n");
        }
    }

    private String tokenFile() throws IOException {
        Path file = folder.resolve("token");
        Files.writeString(file, TOKEN.hex());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file.toString();
    }

    private static Relay deploy(Vertx vertx, MemoryDirectory directory, String id) throws Exception {
        RelayConfig config = RelayConfig.loopback(RelayId.parse(id), 0).withLaunchToken(TOKEN);
        Relay relay = new Relay(config, directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private static RawPeer agent(Relay relay, long number) throws IOException {
        RawPeer agent = RawPeer.connect(relay.address());
        agent.introduce(Hello.agent(), TOKEN);
        agent.send(Hello.agent().encode());
        agent.readFrame();
        AgentOffer offer = new AgentOffer(number, "n" + number, "h" + number, 1, 1, 1, 0, 1, 1, 0, false, "1", new TreeMap<>());
        agent.send(offer.encode());
        await().until(() -> relay.view().snapshot().nodes().stream().anyMatch(node -> node.name().equals(offer.name())));
        return agent;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plan --time 1h --lambda 1                            | Missing required option: '--ranks=N'",
        "plan -n 4 --time 1h                                  | --lambda says how often a host fails, or --from-directory asks the relays: give one of them",
        "plan -n 4 --time 1h --lambda 1 --from-directory      | --lambda says how often a host fails, or --from-directory asks the relays: give one of them",
        "plan -n 4 --time 1h --from-directory                 | --from-directory and --relay go together: give both",
        "plan -n 4 --time 1h --lambda 1 --relay h:1           | --from-directory and --relay go together: give both",
        "plan -n 4 --time 1h --from-directory --relay h:1 --delta 1 | --delta is of --lambda, which is not given",
        "plan -n 4 --time 1h --from-directory --relay h       | --relay: \"h\" has no port number, expected HOST:PORT",
        "plan -n 0 --time 1h --lambda 1                       | -n 0: expected a whole number of 1 or more",
        "plan -n 2000000 --time 1h --lambda 1                 | --ranks 2000000: expected at most 1000000",
        "plan -n 4 --time 6 --lambda 1                        | --time: \"6\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 0h --lambda 1                       | --time: \"0h\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 1h --lambda 0                       | --lambda: \"0\" is no rate above 0, expected for instance 0.002/h, or a number a second",
        "plan -n 4 --time 1h --lambda 3/w                     | --lambda: \"3/w\" is no rate above 0, expected for instance 0.002/h, or a number a second",
        "plan -n 4 --time 1h --lambda 1 --delta 0             | --delta 0: expected a number from 0.01 to 100",
        "plan -n 4 --time 1h --lambda 1 --delta NaN           | --delta NaN: expected a number from 0.01 to 100",
        "plan -n 4 --time 1h --lambda 1 --overhead -1         | --overhead -1: expected a number from 0 to 100: the part of the job's time that each further copy adds",
        "plan -n 4 --time 1h --lambda 1 --target 0            | --target 0: expected a probability above 0, at most 1",
        "plan -n 4 --time 1h --lambda 1 --target 2            | --target 2: expected a probability above 0, at most 1",
        "plan -n 4 --time 1h --lambda 1 --max-degree 65       | --max-degree 65: expected at most 64",
        "plan -n 4 --time 1h --lambda 1 --sites 11 --site-lambda 1 | --sites 11: expected at most 10",
        "plan -n 4 --time 1h --lambda 1 --sites 2             | --sites and --site-lambda go together: give both",
        "plan -n 4 --time 1h --lambda 1 --site-lambda 2       | --sites and --site-lambda go together: give both",
        "plan -n 4 --time 1h --lambda 1 --site-delta 2        | --site-delta is of --sites, which are not given",
        "plan -n 4 --lambda 1                                 | --time says how long the job takes, or --sequential what one rank alone takes: give one of them",
        "plan -n 4 --time 1h --sequential 1h --lambda 1       | --time says how long the job takes, or --sequential what one rank alone takes: give one of them",
        "plan -n 4 --time 1h --parallel 0.5 --lambda 1        | --parallel is a part of --sequential, which is not given",
        "plan -n 4 --sequential 1h --parallel 1.5 --lambda 1  | --parallel 1.5: expected a number from 0 to 1",
        "plan -n 4 --time 1h --lambda 1 --uptime 3            | --uptime: \"3\" is no time from 0s to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 1h --lambda 1 --uptime 3d:x         | --uptime: \"3d:x\" has no number of hosts from 1 to 999999 behind its colon, expected for instance 30d:8",
        "plan -n 4 --time 1h --lambda 1 --uptime 3d,1h:4      | --uptime has several times, and one of them no number of hosts: expected TIME:HOSTS for each",
        "plan -n 4 --time 1h --lambda 1 --slots 0             | --slots 0: expected a whole number of 1 or more",
        "plan -n 4 --time 1h --lambda 1 --restart-time 0s     | --restart-time: \"0s\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d",
        "plan -n 4 --time 1h --lambda 1 --checkpoint-time x   | --checkpoint-time: \"x\" is no time from 1ms to 36500d, expected for instance 90s, 30m, 6h or 2d"
    })
    void whatCannotBeIsRefusedWithTheWordAndWhatIsExpected(String line, String said) {
        InProcess.Result result = plan(line);
        assertThat(result.out()).isEmpty();
        assertThat(result.status()).isEqualTo(ExitCode.USAGE.status());
        assertThat(result.err().lines()).first().isEqualTo("posthouse plan: " + said);
    }
}
