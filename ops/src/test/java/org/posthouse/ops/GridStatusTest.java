package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;

/** The console of one process shows the relays of others, which it asks over links. */
@Timeout(60)
class GridStatusTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The link of the scene that is up leads there. */
    private static final String OTHER = "orsay/2";

    private final Scenes.MovingRelay other = new Scenes.MovingRelay(Scenes.relay("orsay", OTHER, 5, List.of(job(OTHER, "orsay"))));
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean answers = true;

    /** A relay that is linked with the other one. */
    private final class LinkedRelay extends Scenes.MovingRelay {
        LinkedRelay() {
            super(Scenes.relay("rennes", "rennes", 10, List.of(job("rennes", "rennes"))));
        }

        @Override
        public Future<byte[]> ask(String relay, String query) {
            assertThat(relay).isEqualTo(OTHER);
            asked.incrementAndGet();
            if (!answers) {
                return Future.failedFuture(new IOException("the link to relay " + OTHER + " is not up"));
            }
            return PeerQueries.answer(other, query);
        }
    }

    /** One job of two ranks, each with counters at its own home only. */
    private static JobStatus job(String home, String site) {
        RankStatus here = Scenes.rank(home.equals(OTHER) ? 1 : 0, site, RankStatus.State.CONNECTED, 1, 7).with(site, home, "", 0);
        RankStatus there = RankStatus.uncounted(home.equals(OTHER) ? 0 : 1, RankStatus.State.CONNECTED, 1)
                .with("elsewhere", home.equals(OTHER) ? "rennes" : OTHER, "", 0);
        return Scenes.job(Scenes.JOB, home.equals(OTHER) ? List.of(there, here) : List.of(here, there));
    }

    private OpsFixture console() throws Exception {
        OpsFixture console = new OpsFixture();
        console.relays.clear();
        console.relays.add(new LinkedRelay());
        return console;
    }

    @Test
    void showsTheRelaysOfOtherProcesses() throws Exception {
        try (OpsFixture console = console()) {
            JsonNode grid = console.json("/api/v1/grid");
            assertThat(names(grid)).containsExactly("rennes here", "orsay/2");
            assertThat(grid.at("/relays/1/counters/messagesIn").asLong()).isEqualTo(5);
            assertThat(grid.at("/jobs")).hasSize(1);
            assertThat(grid.at("/jobs/0/ranks")).hasSize(2).allSatisfy(
                    rank -> assertThat(rank.path("messagesSent").asLong()).as("counters of rank %s", rank.path("rank")).isPositive());
            assertThat(names(console.json("/api/v1/relays"))).as("those of the process").containsExactly("rennes here");
        }
    }

    private static List<String> names(JsonNode root) {
        List<String> names = new ArrayList<>();
        root.path("relays").forEach(relay -> names.add(relay.path("relay").asText() + (relay.path("here").asBoolean() ? " here" : "")));
        return names;
    }

    @Test
    void aSilentRelayKeepsTheTimeWhenItWasHeard() throws Exception {
        try (OpsFixture console = console()) {
            long heard = console.json("/api/v1/grid").at("/relays/1/asOf").asLong();
            answers = false;
            other.snapshot = Scenes.relay("orsay", OTHER, 6, List.of());
            JsonNode later = console.json("/api/v1/grid");
            assertThat(later.at("/relays/1/asOf").asLong()).isEqualTo(heard);
            assertThat(later.at("/relays/1/counters/messagesIn").asLong()).as("as it was heard").isEqualTo(5);
            assertThat(later.at("/relays/0/asOf").asLong()).isEqualTo(later.path("at").asLong());
            answers = true;
            assertThat(console.json("/api/v1/grid").at("/relays/1/counters/messagesIn").asLong()).isEqualTo(6);
        }
    }

    @Test
    void asksOnlyWhileSomebodyLooks() throws Exception {
        try (OpsFixture console = console()) {
            console.get("/api/v1/relays");
            console.get("/metrics");
            assertThat(asked).hasValue(0);
            try (var stream = console.raw("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
                await().atMost(PATIENCE).until(() -> asked.get() >= 3);
                assertThat(stream.isClosed()).isFalse();
            }
        }
    }

    @Test
    void asksARelayOnceAtATime() throws Exception {
        List<Promise<byte[]>> open = new ArrayList<>();
        try (OpsFixture console = new OpsFixture()) {
            console.relays.clear();
            console.relays.add(new Scenes.MovingRelay(Scenes.relay("rennes", "rennes", 10, List.of())) {
                @Override
                public Future<byte[]> ask(String relay, String query) {
                    Promise<byte[]> promise = Promise.promise();
                    open.add(promise);
                    return promise.future();
                }
            });
            try (var stream = console.raw("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
                byte[] some = new byte[1];
                for (int read = 0; read < 20_000; read++) { // Some beats.
                    assertThat(stream.getInputStream().read(some)).isPositive();
                    console.relays.forEach(relay -> move((Scenes.MovingRelay) relay));
                }
            }
            assertThat(open).hasSize(1);
        }
    }

    private static void move(Scenes.MovingRelay relay) {
        RelayStatus now = relay.snapshot;
        relay.snapshot = Scenes.relay(now.site(), now.relay(), now.counters().traffic().messagesIn() + 1, List.of());
    }

    @Test
    void skipsWhatALaterVersionSays() throws IOException {
        String told = new String(PeerQueries.answer(other, PeerQueries.status(0)).result(), StandardCharsets.UTF_8);
        byte[] later = told.replaceFirst("\"site\"", "\"colour\":\"red\",\"site\"").getBytes(StandardCharsets.UTF_8);
        PeerJson.Status read = PeerJson.read(later, PeerJson.Status.class);
        assertThat(read.relay()).isEqualTo(other.snapshot);
        assertThat(read.readiness()).isEqualTo(Readiness.ok());
        assertThat(read.relay().log()).isEqualTo(other.snapshot.log()).isNotEqualTo(Optional.empty());
    }
}
