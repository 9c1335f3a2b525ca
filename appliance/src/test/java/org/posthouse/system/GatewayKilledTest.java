package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.SendsLong;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;

/**
 * A site whose ranks are at a relay that nobody outside can reach, and two gateways of that site, each with a network of 5 MB/s to the other site. One of
 * them is killed in the middle of a message of 64 MiB. Real processes.
 */
@Timeout(900)
class GatewayKilledTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int MESSAGE_BYTES = 64 << 20;
    private static final double MEGABITS = 80;

    @TempDir
    private Path folder;

    /** The gateway that carries short frames is killed. */
    @Tag("long")
    @Test
    void theMessageArrivesOnceAndIntact() throws Exception {
        arrivesOnceAndIntact(true);
    }

    @Test
    @Tag("long")
    void theMessageArrivesOnceAndIntactThroughTheOneThatHasShortFrames() throws Exception {
        arrivesOnceAndIntact(false);
    }

    private void arrivesOnceAndIntact(boolean first) throws Exception {
        try (WanEmulator network = WanEmulator.start(new Random(1));
                Relays b = relay("site-b");
                Relays one = gateway("gw1", network, b);
                Relays two = gateway("gw2", network, b);
                Relays a = relay("site-a", "--peer", peer(one), "--peer", peer(two))) {
            JsonNode link = awaitGateways(a, 2);
            boolean oneIsFirst = link.at("/paths/0/0").asText().equals("site-a/gw1");
            Relays victim = oneIsFirst == first ? one : two;
            Relays other = victim == one ? two : one;
            try (Command job = send(a, b)) {
                await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20)).until(() -> carried(victim) > MESSAGE_BYTES / 64);
                victim.kill();
                long left = MESSAGE_BYTES - carried(other);
                assertThat(left).as("bytes that the other one has not carried at the kill").isPositive();
                assertWhole(job.await());
            }
            assertThat(awaitGateways(a, 1).at("/paths/0/0").asText()).isEqualTo(other.ready().relay());
        }
    }

    @Test
    @Tag("long")
    void aGatewayIsDrainedAndAnotherOneAddedWhileTheMessageGoesOn() throws Exception {
        try (WanEmulator network = WanEmulator.start(new Random(1));
                Relays b = relay("site-b");
                Relays one = gateway("gw1", network, b);
                Relays a = relay("site-a", "--peer", peer(one))) {
            awaitGateways(a, 1);
            try (Command job = send(a, b)) {
                await().atMost(PATIENCE).until(() -> carried(one) > 1 << 20);
                try (Relays two = gateway("gw2", network, b, "--peer", "site-a=" + a.ready().links())) {
                    awaitGateways(a, 2);
                    InProcess.Result drained = InProcess.run("drain", "--ops", one.ready().console());
                    assertThat(drained.out()).matches("site-a/gw1: drained; \\d+ lanes? of other relays goe?s? through it.*\\R");
                    await().atMost(PATIENCE).until(() -> one.meter("posthouse_carried_lanes") == 0);
                    assertThat(one.meter("posthouse_drained")).isEqualTo(1);
                    assertWhole(job.await());
                    await().atMost(PATIENCE).untilAsserted(() -> assertThat(InProcess.run("status", "--ops", a.ready().console()).out())
                            .containsPattern("link +site-b is UP since .*, via site-a/gw2"));
                    assertThat(carried(two)).isPositive();
                }
            }
        }
    }

    private void assertWhole(Command.Result done) {
        assertThat(done.status()).as(done.err()).isZero();
        String sent = done.out().lines().filter(line -> line.contains("sends ")).findFirst().orElseThrow();
        String what = sent.substring(sent.indexOf("sends ") + 6);
        assertThat(what).startsWith(MESSAGE_BYTES + " bytes ");
        assertThat(done.out().lines().filter(line -> line.contains("got "))).singleElement().asString().endsWith("got " + what + ", tags 1 and 2");
        assertThat(done.err()).doesNotContain("restarted");
    }

    /** Waits until the link to the other site goes over so many gateways. */
    private static JsonNode awaitGateways(Relays a, int gateways) {
        return await().atMost(PATIENCE).until(() -> linkToB(a), link -> link.path("state").asText().equals("UP") && link.path("paths").size() == gateways);
    }

    private static JsonNode linkToB(Relays a) throws IOException {
        for (JsonNode link : a.get("/api/v1/relays").at("/relays/0/links")) {
            if (link.path("peerRelay").asText().equals("site-b")) {
                return link;
            }
        }
        return a.get("/api/v1/relays").at("/no/such/link");
    }

    private static long carried(Relays gateway) throws IOException {
        return gateway.meter("posthouse_carried_bytes_total");
    }

    private Command send(Relays a, Relays b) throws IOException {
        return Command.start(
                folder, "run", "-n", "2", "--relays-per-site", "1", "--relay", a.ranks(), "--relay", b.ranks(), "-cp", Jobs.classPath(),
                SendsLong.class.getName(), Integer.toString(MESSAGE_BYTES));
    }

    private static String peer(Relays relay) {
        return relay.ready().relay() + "=" + relay.ready().links();
    }

    private Relays gateway(String name, WanEmulator network, Relays b, String... more) throws Exception {
        String links = b.ready().links();
        int port = network.way(WanShape.of(2, MEGABITS)).lead(Integer.parseInt(links.substring(links.lastIndexOf(':') + 1)));
        List<String> options = new ArrayList<>(List.of("--name", name, "--peer", "site-b=127.0.0.1:" + port));
        options.addAll(List.of(more));
        return relay("site-a", options.toArray(String[]::new));
    }

    private Relays relay(String site, String... more) throws Exception {
        Path authority = folder.resolve("authority");
        Path keys = folder.resolve("keys-" + site);
        GridAuthority grid = authority.toFile().exists() ? GridAuthority.open(authority) : GridAuthority.init(authority, 2);
        if (!keys.toFile().exists()) {
            grid.issue(site, 2, keys);
        }
        List<String> options = new ArrayList<>(List.of("--keys", keys.toString(), "--links", "127.0.0.1:0"));
        options.addAll(List.of(more));
        return Relays.start(folder, site, options.toArray(String[]::new));
    }
}
