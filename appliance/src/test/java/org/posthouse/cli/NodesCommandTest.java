package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.directory.NodeTotals;
import org.posthouse.directory.RelayEntry;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.place.GridNodes;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.AgentDrain;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Token;

/** {@code posthouse nodes} against live relays of one directory. */
@ExtendWith(VertxExtension.class)
@Timeout(120)
class NodesCommandTest {
    private static final Token TOKEN = new Token(1, 2);

    @TempDir
    private Path folder;

    private final MemoryDirectory directory = new MemoryDirectory();

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    @Test
    void listsNodesOfAllRelaysBySite(Vertx vertx) throws Exception {
        Relay first = deploy(vertx, "lyon");
        Relay second = deploy(vertx, "bonn");
        try (RawPeer n2 = agent(first, offer(2, "n2", 8, 3, 180, Map.of("rack", "b", "gpu", "a")));
                RawPeer n1 = agent(first, offer(1, "n1", 16, 16, 0, Map.of()));
                RawPeer other = agent(second, offer(3, "x\u001b", 4, 0, 1_250, Map.of()))) {
            InProcess.Result result = nodes(first);
            assertThat(result.err()).isEmpty();
            assertThat(result.out().lines()).containsExactly(
                    "SITE  RELAY  NODE     HOST  STATE  SLOTS  FREE  JOBS  CORES    MEMORY      RTT  VERSION  LABELS",
                    "bonn  bonn   x\\u001b  h     open       4     0   1/2      8  64.0 GiB  1.25 ms  0.1",
                    "lyon  lyon   n1       h     open      16    16   1/2      8  64.0 GiB        -  0.1",
                    "lyon  lyon   n2       h     open       8     3   1/2      8  64.0 GiB  0.18 ms  0.1      gpu=a,rack=b");
            assertThat(result.status()).isZero();
            JsonNode json = new ObjectMapper().readTree(nodes(first, "--json").out());
            assertThat(json.path("nodes")).hasSize(3);
            assertThat(json.at("/nodes/2").toString())
                    .isEqualTo("{\"site\":\"lyon\",\"relay\":\"lyon\",\"name\":\"n2\",\"agent\":\"0000000000000002\",\"host\":\"h\","
                            + "\"state\":\"open\",\"slots\":8,\"free\":3,\"jobs\":2,\"jobsNow\":1,\"cores\":8,\"memoryBytes\":68719476736,\"rttMicros\":180,"
                            + "\"version\":\"0.1\",\"labels\":{\"gpu\":\"a\",\"rack\":\"b\"}}");
            assertThat(json.path("unreached")).isEmpty();
        }
    }

    @Test
    void namesARelayThatCannotBeAsked(Vertx vertx) throws Exception {
        Relay here = deploy(vertx, "lyon");
        directory.announce(new RelayEntry("bonn", "bonn", "127.0.0.1:1", "", "", 1, 1));
        await().until(() -> directory.relays().size() == 2);
        InProcess.Result result = nodes(here);
        assertThat(result.out()).startsWith("no node is connected; start one with posthouse agent\n");
        assertThat(result.err().lines()).singleElement().asString()
                .startsWith("posthouse nodes: relay bonn of site bonn at 127.0.0.1:1 cannot be asked for its nodes: ");
        assertThat(result.status()).isEqualTo(ExitCode.ATTENTION.status());
        JsonNode json = new ObjectMapper().readTree(nodes(here, "--json").out());
        assertThat(json.at("/unreached/0/relay").asText()).isEqualTo("bonn");
    }

    /** Else its nodes would be listed twice, and another's not at all. */
    @Test
    void namesARelayWhoseAddressLeadsToAnother(Vertx vertx) throws Exception {
        Relay here = deploy(vertx, "lyon");
        directory.announce(new RelayEntry("bonn", "bonn", here.address(), "", "", 1, 1));
        await().until(() -> directory.relays().size() == 2);
        assertThat(nodes(here).err()).contains("relay lyon answers there; start bonn with --announce");
    }

    @Test
    void drainsANodeAndShowsItsAnswer(Vertx vertx) throws Exception {
        Relay here = deploy(vertx, "lyon");
        Relay other = deploy(vertx, "bonn");
        try (RawPeer n1 = agent(other, offer(1, "n1", 16, 16, 0, Map.of()))) {
            Thread agent = Thread.startVirtualThread(() -> obey(n1));
            InProcess.Result result = nodes(here, "--drain", "n1");
            assertThat(result.err()).isEmpty();
            assertThat(result.out().lines().toList().get(1)).contains("draining");
            assertThat(new ObjectMapper().readTree(nodes(here, "--undrain", "n1@bonn", "--json").out()).at("/nodes/0/state").asText()).isEqualTo("open");
            agent.join();
        }
        InProcess.Result gone = nodes(here, "--drain", "n1");
        assertThat(gone.err()).contains("no node is called n1; posthouse nodes lists 0 nodes");
        assertThat(gone.status()).isOne();
    }

    /** Answers two orders. */
    /** Of a relay that is announced where nobody answers. */
    @Test
    void relaysThatDoNotAnswerAreCountedAsTheElectedRelayHasRecordedThem(Vertx vertx) throws Exception {
        Relay here = deploy(vertx, "lyon");
        directory.announce(new RelayEntry("bonn", "bonn", "127.0.0.1:1", "", "", 1, 1, 0, new NodeTotals(3, 48, 9)));
        try (RawPeer n1 = agent(here, offer(1, "n1", 16, 16, 0, Map.of()))) {
            await().until(() -> nodes(here).out().contains("bonn"));
            InProcess.Result result = nodes(here);
            assertThat(result.out().lines().toList().get(2)).matches("relay bonn of site bonn: 3 nodes, 48 slots, as the elected relay lyon has recorded,"
                    + " unchanged for \\d+ s");
            assertThat(result.out().lines().toList().get(3)).isEqualTo("in all 4 nodes, 64 slots");
            JsonNode json = new ObjectMapper().readTree(nodes(here, "--json").out());
            assertThat(json.path("leader").asText()).isEqualTo("lyon");
            assertThat(json.path("nodes")).as("those of agents").hasSize(1);
            assertThat(json.at("/recorded/0").path("relay").asText()).isEqualTo("bonn");
            assertThat(json.at("/recorded/0").path("slots").asInt()).isEqualTo(48);
            assertThat(json.at("/recorded/0").path("writtenAt").asLong()).isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
            assertThat(n1).isNotNull();
        }
    }

    private static void obey(RawPeer agent) {
        try {
            for (int orders = 0; orders < 2; orders++) {
                AgentDrain order = AgentDrain.decode(agent.readFrame());
                AgentOffer offer = offer(1, "n1", 16, 16, 0, Map.of());
                agent.send(new AgentOffer(1, "n1", "h", 16, 16, 2, 1, 8, offer.memoryBytes(), 0, order.drain(), "0.1", offer.labels()).encode());
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void refusesANameOfSeveralNodes() {
        GridNodes.Node a = new GridNodes.Node("a", "a", "h:1", offer(1, "n", 1, 1, 0, Map.of()));
        GridNodes.Node b = new GridNodes.Node("b", "b/2", "h:2", offer(2, "n", 1, 1, 0, Map.of()));
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> NodesCommand.named(List.of(a, b), "n"))
                .withMessage("2 nodes are called n: n@a, n@b/2; name one of these");
    }

    @Test
    void saysWhyTheNamedRelayCannotBeAsked(Vertx vertx) throws Exception {
        Relay here = deploy(vertx, "lyon");
        InProcess.Result result = InProcess.run("nodes", "--relay", here.address(), "--token-file", tokenFile(new Token(1, 3)).toString());
        assertThat(result.err()).startsWith("posthouse nodes: the relay at ").contains("launch token").doesNotContain("Exception");
        assertThat(result.status()).isOne();
        assertThat(InProcess.run("nodes").err()).contains("--relay");
    }

    private Relay deploy(Vertx vertx, String site) throws Exception {
        Relay relay = new Relay(RelayConfig.loopback(RelayId.parse(site), 0).withLaunchToken(TOKEN), directory);
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
        return relay;
    }

    private InProcess.Result nodes(Relay relay, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("nodes", "--relay", relay.address(), "--token-file", tokenFile(TOKEN).toString()));
        arguments.addAll(List.of(more));
        return InProcess.run(arguments.toArray(String[]::new));
    }

    private Path tokenFile(Token token) throws IOException {
        Path file = folder.resolve(token.hex());
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, token.hex());
    }

    private static RawPeer agent(Relay relay, AgentOffer offer) throws IOException {
        RawPeer agent = RawPeer.connect(relay.address());
        agent.introduce(Hello.agent(), TOKEN);
        agent.send(Hello.agent().encode());
        ByteBuffer welcome = agent.readFrame();
        assertThat(welcome.remaining()).isPositive();
        agent.send(offer.encode());
        await().until(() -> relay.view().snapshot().nodes().stream().anyMatch(node -> node.name().equals(offer.name())));
        return agent;
    }

    private static AgentOffer offer(long agent, String name, int slots, int free, long rttMicros, Map<String, String> labels) {
        return new AgentOffer(agent, name, "h", slots, free, 2, 1, 8, 64L << 30, rttMicros, false, "0.1", new TreeMap<>(labels));
    }
}
