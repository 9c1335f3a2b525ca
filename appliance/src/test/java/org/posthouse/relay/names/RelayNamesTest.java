package org.posthouse.relay.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.core.Job;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.relay.RawPeer;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAnswer.Status;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NameAsk.Operation;
import org.posthouse.wire.NameAssembly;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.NamedRecord;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** Launchers and ranks ask a relay for names, on real sockets. */
@ExtendWith(VertxExtension.class)
@Timeout(60)
class RelayNamesTest {
    private static final long SECONDS = 20;
    private static final long JOB = 0x77;
    private static final Token TOKEN = new Token(1, 2);

    private final MemoryDirectory directory = new MemoryDirectory();
    private Relay relay;
    private RelayClient client;

    @BeforeEach
    void connect(Vertx vertx) throws Exception {
        deploy(vertx, RelayConfig.Mode.MULTIPLEXED);
        client = RelayClient.connect(relay.address(), Token.NONE);
    }

    private void deploy(Vertx vertx, RelayConfig.Mode mode) throws Exception {
        relay = new Relay(RelayConfig.loopback(new RelayId("site-a", RelayId.FIRST), 0).withMode(ModeConfig.of(mode)), directory);
        vertx.deployVerticle(relay).toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        client.close();
        directory.close();
    }

    private static SortedMap<String, String> fields(String... keyAndValue) {
        SortedMap<String, String> fields = new TreeMap<>();
        for (int i = 0; i < keyAndValue.length; i += 2) {
            fields.put(keyAndValue[i], keyAndValue[i + 1]);
        }
        return Collections.unmodifiableSortedMap(fields);
    }

    private NameAnswer ask(Operation operation, String name, long version, SortedMap<String, String> fields) throws Exception {
        return client.names(new NameAsk(operation, name, version, 0, 0, "", fields), SECONDS);
    }

    private NameAnswer bind(String name, String... fields) throws Exception {
        return ask(Operation.BIND, name, 0, fields(fields));
    }

    private NameAnswer list(String prefix, int limit, String after) throws Exception {
        return client.names(new NameAsk(Operation.LIST, prefix, 0, 0, limit, after, fields()), SECONDS);
    }

    @Test
    void whatOneLauncherBindsAnotherSees() throws Exception {
        assertThat(bind("a/b", "k", "1").status()).isEqualTo(Status.DONE);
        try (RelayClient other = RelayClient.connect(relay.address(), Token.NONE)) {
            NamedRecord found = other.names(NameAsk.of(Operation.LOOKUP, "a/b"), SECONDS).found().getFirst();
            assertThat(found).isEqualTo(new NamedRecord("a/b", 1, 0, true, fields("k", "1")));
        }
        NameAnswer refused = bind("a/b", "k", "2");
        assertThat(refused.status()).isEqualTo(Status.ALREADY_BOUND);
        assertThat(refused.found()).extracting(NamedRecord::version).containsExactly(1L);
        assertThat(ask(Operation.SWAP, "a/b", 1, fields("k", "3")).found().getFirst().version()).isEqualTo(2);
        assertThat(ask(Operation.SWAP, "a/b", 1, fields("k", "4")).status()).isEqualTo(Status.CONFLICT);
        assertThat(ask(Operation.REBIND, "x", 0, fields()).status()).isEqualTo(Status.NOT_BOUND);
        assertThat(ask(Operation.UNBIND, "a/b", -1, fields()).found().getFirst().fields()).containsEntry("k", "3");
        assertThat(ask(Operation.LOOKUP, "a/b", 0, fields()).found()).isEmpty();
    }

    @Test
    void badInputIsAnsweredAndTheConnectionGoesOn() throws Exception {
        assertThat(bind("a b").status()).isEqualTo(Status.BAD_NAME);
        assertThat(bind("").status()).isEqualTo(Status.BAD_NAME);
        assertThat(bind("large", "k", "x".repeat(64 * 1024)).status()).isEqualTo(Status.TOO_LARGE);
        assertThat(list("", 0, "").status()).isEqualTo(Status.TOO_LARGE);
        assertThat(ask(Operation.ELECT, "t", 0, fields()).status()).isEqualTo(Status.BAD_NAME);
        assertThat(bind("large", "k", "x".repeat(64 * 1024 - 1)).status()).isEqualTo(Status.DONE);
    }

    @Test
    void whatBelongsToRelaysAndProgramsIsOnlyRead() throws Exception {
        for (String name : List.of("vm/leader", "vm", "job/7/state", "mpi/service")) {
            assertThat(bind(name).status()).as(name).isEqualTo(Status.DENIED);
            assertThat(ask(Operation.ELECT, name, 0, fields(NameAsk.CONTENDER, "me")).status()).as(name).isEqualTo(Status.DENIED);
            assertThat(ask(Operation.UNBIND, name, -1, fields()).status()).as(name).isEqualTo(Status.DENIED);
            assertThat(ask(Operation.LOOKUP, name, 0, fields()).status()).as(name).isEqualTo(Status.DONE);
        }
        assertThat(bind("vms/x").status()).isEqualTo(Status.DONE);
    }

    @Test
    void aListOfManyLargeRecordsComesInAnswersOfLimitedSize() throws Exception {
        for (int i = 0; i < 40; i++) {
            bind("p/n" + (100 + i), "k", "é".repeat(30_000));
        }
        List<String> names = new ArrayList<>();
        NameAnswer page;
        int answers = 0;
        do {
            page = list("p", 1_000, names.isEmpty() ? "" : names.getLast());
            page.found().forEach(each -> names.add(each.name()));
            answers++;
        } while (page.isMore());
        assertThat(names).hasSize(40).isSorted().doesNotHaveDuplicates();
        assertThat(answers).isGreaterThan(2);
        assertThat(list("p", 3, "p/n101").found()).extracting(NamedRecord::name).containsExactly("p/n102", "p/n103", "p/n104");
    }

    @Test
    void aListenerIsToldUntilItStops() throws Exception {
        bind("w/1", "k", "before");
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        client.listenNames("w", each -> heard.add(each.name() + " " + each.present() + " " + each.fields()), why -> heard.add("lost"));
        await().untilAsserted(() -> assertThat(heard).containsExactly("w/1 true {k=before}"));
        bind("w/2", "k", "new");
        ask(Operation.UNBIND, "w/1", -1, fields());
        await().untilAsserted(() -> assertThat(heard).hasSize(3).endsWith("w/2 true {k=new}", "w/1 false {k=before}"));
        client.close();
        await().untilAsserted(() -> assertThat(subscriptions()).as("but for the relay's own").isEqualTo(3));
    }

    private int subscriptions() throws Exception {
        CompletableFuture<Integer> count = new CompletableFuture<>();
        relay.control().submit(() -> count.complete(relay.names().frontEnd().subscriptions()));
        return count.get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void anElectionHasOneWinnerAndItsEpochGuardsWhatHeWrites() throws Exception {
        NamedRecord first = ask(Operation.ELECT, "t", 0, fields(NameAsk.CONTENDER, "one")).found().getFirst();
        NamedRecord second = ask(Operation.ELECT, "t", 0, fields(NameAsk.CONTENDER, "two")).found().getFirst();
        assertThat(List.of(first, second)).extracting(each -> each.fields().get("leader") + " " + each.epoch()).containsExactly("one 1", "two 2");
        client.names(new NameAsk(Operation.BIND, "state", 0, second.epoch(), 0, "", fields("by", "two")), SECONDS);
        assertThat(client.names(new NameAsk(Operation.SWAP, "state", 1, first.epoch(), 0, "", fields("by", "one")), SECONDS).status())
                .isEqualTo(Status.CONFLICT);
    }

    /** One that speaks for itself. */
    private final class TestRank implements AutoCloseable {
        private final RawPeer peer = RawPeer.connect(relay.address());
        private long lastId;

        TestRank(int rank) throws IOException {
            peer.hello(Hello.firstStart(JOB, rank), TOKEN);
            peer.readFrame();
        }

        NameAnswer ask(Operation operation, String name, String... fields) throws IOException, WireException {
            NameAsk ask = new NameAsk(operation, name, operation == Operation.UNBIND ? -1 : 0, 0, 0, "", fields(fields));
            for (ByteBuffer page : NamePage.encode(FrameType.NAME_ASK, JOB, ++lastId, ask.encode())) {
                peer.send(page);
            }
            NameAssembly pages = new NameAssembly(NameAnswer.BYTES_MAX);
            while (true) {
                ByteBuffer frame = peer.readFrame();
                if (new FrameView().wrap(frame, 0).type() == FrameType.NAME_ANSWER) {
                    NamePage page = NamePage.decode(frame);
                    assertThat(page.id()).isEqualTo(lastId);
                    Optional<ByteBuffer> body = pages.add(page);
                    if (body.isPresent()) {
                        return NameAnswer.decode(body.get());
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            peer.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRankPublishesAndItsJobsEndTakesThatBack(RelayConfig.Mode mode, Vertx vertx) throws Exception {
        client.close();
        try (MemoryDirectory own = new MemoryDirectory()) {
            relay = new Relay(RelayConfig.loopback(new RelayId("site-a", RelayId.FIRST), 0).withMode(ModeConfig.of(mode)), own);
            vertx.deployVerticle(relay).toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
            client = RelayClient.connect(relay.address(), Token.NONE);
            try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN); TestRank rank = new TestRank(0)) {
                NamedRecord bound = rank.ask(Operation.BIND, "mpi/solver", "port", "p-0").found().getFirst();
                assertThat(bound.fields()).isEqualTo(Map.of("port", "p-0", "job", Job.hexId(JOB), "rank", "0"));
                assertThat(rank.ask(Operation.BIND, "mpi/solver", "port", "p-0").status()).as("a repeat").isEqualTo(Status.DONE);
                assertThat(rank.ask(Operation.BIND, "solver", "port", "p-0").status()).isEqualTo(Status.DENIED);
                assertThat(rank.ask(Operation.LIST, "mpi").status()).isEqualTo(Status.DENIED);
                assertThat(rank.ask(Operation.ELECT, "mpi/t", NameAsk.CONTENDER, "me").status()).isEqualTo(Status.DENIED);
                assertThat(rank.ask(Operation.LOOKUP, "mpi/solver").found()).hasSize(1);
                assertThat(rank.ask(Operation.BIND, "mpi/other", "port", "p-1").status()).isEqualTo(Status.DONE);
                assertThat(rank.ask(Operation.UNBIND, "mpi/other").found()).hasSize(1);
                assertThat(launcher).isNotNull();
            }
            await().untilAsserted(() -> assertThat(list("mpi", 10, "").found()).isEmpty());
        }
    }

    /** Records by which jobs meet: another job's would let it end, or pretend to be, what it is no part of. */
    @Test
    void aRankBindsNoRecordOfAnotherJobsPortOrJointJob() throws Exception {
        String own = Job.hexId(JOB);
        String other = Job.hexId(0x99);
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN); TestRank rank = new TestRank(0)) {
            for (String name : List.of("mpi/_joint/5/" + other, "mpi/_joint/5/" + other + "/left", "mpi/_joint/5", "mpi/_port/posthouse-port-" + other + "-0-0",
                    "mpi/_port", "mpi/_port/x/y")) {
                assertThat(rank.ask(Operation.BIND, name, "k", "v").status()).as(name).isEqualTo(Status.DENIED);
            }
            for (String name : List.of("mpi/_joint/5/" + own, "mpi/_joint/5/" + own + "/left", "mpi/_port/posthouse-port-" + own + "-0-0",
                    "mpi/_port/posthouse-port-" + other + "-0-0/visitor")) {
                assertThat(rank.ask(Operation.BIND, name, "k", "v").status()).as(name).isEqualTo(Status.DONE);
            }
            assertThat(launcher).isNotNull();
        }
    }

    @Test
    void aRankThatDoesNotReadAnswersIsCutOff() throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN); TestRank rank = new TestRank(0)) {
            assertThat(rank.ask(Operation.BIND, "mpi/large", "k", "x".repeat(60_000)).status()).isEqualTo(Status.DONE);
            ByteBuffer lookup = NamePage.encode(FrameType.NAME_ASK, JOB, 7, NameAsk.of(Operation.LOOKUP, "mpi/large").encode()).getFirst();
            assertThatThrownBy(() -> {
                while (true) {
                    rank.peer.send(lookup.duplicate());
                }
            }).isInstanceOf(SocketException.class);
            await().untilAsserted(() -> assertThat(relay.view().events(0, 100)).anyMatch(event -> event.text().contains("bytes about names wait for it")));
            assertThat(launcher).isNotNull();
        }
    }

    @Test
    void anUnbindOfAVersionThatIsNotThereChangesNothing() throws Exception {
        bind("a", "k", "1");
        assertThat(ask(Operation.UNBIND, "a", 2, fields()).status()).isEqualTo(Status.CONFLICT);
        assertThat(ask(Operation.UNBIND, "b", 1, fields()).status()).isEqualTo(Status.CONFLICT);
        assertThat(ask(Operation.UNBIND, "a", 1, fields()).found()).hasSize(1);
    }

    @Test
    void aRankDoesNotTakeBackWhatAnotherJobHasPublished() throws Exception {
        try (RawPeer launcher = RawPeer.launcher(relay.address(), JOB, TOKEN); TestRank rank = new TestRank(1)) {
            relay.names().frontEnd().bind(Name.parse("mpi/theirs"),
                    NameRecord.of(Map.of("job", "99", "port", "p"))).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
            NameAnswer refused = rank.ask(Operation.UNBIND, "mpi/theirs");
            assertThat(refused.status()).isEqualTo(Status.DENIED);
            assertThat(refused.text()).isEqualTo("mpi/theirs was published by job 99, and only that job takes it back");
            assertThat(launcher).isNotNull();
        }
        assertThat(list("mpi", 10, "").found()).hasSize(1);
    }
}
