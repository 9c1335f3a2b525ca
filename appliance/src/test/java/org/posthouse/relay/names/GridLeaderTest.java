package org.posthouse.relay.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.core.Job;
import org.posthouse.names.BoundName;
import org.posthouse.names.CompoundState;
import org.posthouse.names.Leader;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** Relays of one directory elect one of them, which keeps the record of the members. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
class GridLeaderTest {
    private final MemoryDirectory directory = new MemoryDirectory();

    @AfterEach
    void closeDirectory() {
        directory.close();
    }

    private Relay deploy(Vertx vertx, String site) {
        Relay relay = new Relay(RelayConfig.loopback(new RelayId(site, RelayId.FIRST), 0), directory);
        vertx.deployVerticle(relay).await();
        return relay;
    }

    private static Optional<String> leader(Relay relay) {
        return relay.names().leader().leader().map(Leader::contender);
    }

    private Map<String, String> members() throws Exception {
        CompoundState state = CompoundState.read(directory.names(), GridLeader.STATE).toCompletableFuture().get(10, TimeUnit.SECONDS);
        return state.records().containsKey("members-0") ? state.records().get("members-0").fields() : Map.of();
    }

    @Test
    void oneRelayLeadsAndRecordsTheMembersUntilItLeaves(Vertx vertx) throws Exception {
        Relay a = deploy(vertx, "site-a");
        Relay b = deploy(vertx, "site-b");
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(leader(a)).isPresent().isEqualTo(leader(b)));
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(members()).containsOnlyKeys("site-a", "site-b"));
        assertThat(members().get("site-b")).matches("site=site-b address=127\\.0\\.0\\.1:\\d+ epoch=\\d+ nodes=0 slots=0");
        Relay first = leader(a).equals(Optional.of("site-a")) ? a : b;
        Relay second = first == a ? b : a;
        vertx.undeploy(first.deploymentID()).await();
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(leader(second)).contains(second.id()));
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(members()).containsOnlyKeys(second.id()));
    }

    private Optional<BoundName> record(long job) throws Exception {
        return directory.names().lookup(JobStateRecords.name(Job.hexId(job))).toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** Has opened a job of two ranks that are at home at this relay. */
    private static RawPeer launcher(Relay relay, long job) throws Exception {
        RawPeer launcher = RawPeer.connect(relay.address());
        launcher.hello(Hello.launcher());
        launcher.readFrame();
        HomeRelay home = new HomeRelay(relay.id(), relay.id(), relay.address());
        launcher.send(new JobOpen(job, new Token(1, 2), false, "test", List.of(home), new int[2]).encode());
        launcher.readFrame();
        return launcher;
    }

    @Test
    void anOpenJobHasARecordUntilItEndsWhoeverLeads(Vertx vertx) throws Exception {
        Relay a = deploy(vertx, "site-a");
        Relay b = deploy(vertx, "site-b");
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(leader(a)).isPresent().isEqualTo(leader(b)));
        Relay first = leader(a).equals(Optional.of("site-a")) ? a : b;
        Relay second = first == a ? b : a;
        RawPeer launcher = launcher(second, 0x77);
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(record(0x77)).isPresent());
        BoundName found = record(0x77).orElseThrow();
        assertThat(found.record().fields()).containsEntry("ranks", "2").containsKey("relay " + second.id());
        assertThat(found.record().field("relay " + second.id())).matches("site=site-. ranks=0-1 WAITING=2");
        assertThat(found.record().epoch()).isEqualTo(1);
        vertx.undeploy(first.deploymentID()).await();
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(record(0x77).orElseThrow().record().epoch()).as("the next leader's").isEqualTo(2));
        assertThat(record(0x77).orElseThrow().record().fields()).isEqualTo(found.record().fields());
        launcher.close();
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(record(0x77)).isEmpty());
    }

    @Test
    void copiesAreCollectedAlthoughTheRecordOfTheMembersFindsNoRoom() {
        NameException full = new NameException(NameException.Kind.TOO_LARGE, "names are full");
        AtomicInteger collected = new AtomicInteger();
        CompletionStage<?> work =
                GridLeader.inAnyCase(CompletableFuture.failedStage(full), () -> CompletableFuture.completedStage(collected.incrementAndGet()));
        assertThat(collected).hasValue(1);
        assertThat(work.toCompletableFuture()).as("the fault is still told").failsWithin(Duration.ZERO).withThrowableThat().withCause(full);
        assertThat(GridLeader.inAnyCase(CompletableFuture.completedStage(null), () -> CompletableFuture.failedStage(full)).toCompletableFuture())
                .as("a fault of the collector").failsWithin(Duration.ZERO).withThrowableThat().withCause(full);
    }

    @Test
    void membersAreSplitIntoRecordsOfLimitedSize() {
        TreeMap<String, String> members = new TreeMap<>();
        for (int i = 0; i < 120; i++) {
            members.put("relay-" + (1_000 + i), "site=s");
        }
        Map<String, Map<String, String>> records = GridLeader.records(members);
        assertThat(records).containsOnlyKeys("members-0", "members-1", "members-2");
        assertThat(records.values()).allMatch(fields -> fields.size() <= NameRecord.FIELDS_MAX);
        assertThat(records.values().stream().mapToInt(Map::size).sum()).isEqualTo(120);
        assertThat(GridLeader.TOKEN).isEqualTo(Name.parse("vm/leader"));
    }
}
