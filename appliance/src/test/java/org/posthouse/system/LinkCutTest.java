package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.InProcess;
import org.posthouse.keys.GridAuthority;

/**
 * The link between two sites is cut in the middle of a job: what is for the other site waits, everything else goes on, and nobody can tell
 * from the result (P8). The members of the group meet over that link too. {@code -Dposthouse.cut.seconds=600} makes it the ten minutes of the promise; a build has no time for that.
 */
@Timeout(1_500)
class LinkCutTest {
    private static final int SECONDS = Integer.getInteger("posthouse.cut.seconds", 6);

    /** More than was on its way when the link was cut, and less than the ranks send behind the cut. */
    private static final long WAITING_BYTES_MAX = 1 << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** A link that is down is told of so much later. */
    private static final int DOWN_SECONDS_TOLD = 5;

    /** Silence is noticed after 15 s. */
    private static final int SILENCE_SECONDS_TOLD = 30;

    private static final String DOWN = "the link from relay site-a to relay site-b is down since ";

    /** More than a rank may keep of what it has sent: all of it must be told to be safe while the link is cut. */
    private static final int LOCAL_MEBIBYTES = 48;

    private final String group;

    @TempDir
    private Path folder;

    LinkCutTest() throws IOException {
        group = "--tunnel-group=" + Relays.freePort();
    }

    @Test
    void parksOnlyMessagesToTheOtherSite() throws Exception {
        parks("process", true);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"process, false", "none, true"})
    void parksMessagesAlsoWithoutLogOrOutageNotice(String durability, boolean told) throws Exception {
        parks(durability, told);
    }

    private void parks(String durability, boolean told) throws Exception {
        try (Relays first = relay("site-a");
                CutWay way = new CutWay(port(first.ready().links()));
                Relays second = relay("site-b", "--peer", "site-a=" + way.address());
                Command job = start(first, second, durability, Integer.toString(LOCAL_MEBIBYTES))) {
            Instant cut = cut(way, job, told);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(job, "is done with its neighbour")).isEqualTo(4));
            if (told) {
                assertReportsOutage(first, "site-b", cut);
                assertReportsOutage(second, "site-a", cut);
                await().atMost(PATIENCE).until(() -> job.err().contains(DOWN));
            }
            sleepUntil(cut.plusSeconds(SECONDS));
            assertThat(job.handle().isAlive()).as(job.out() + job.err()).isTrue();
            way.repair();
            Command.Result done = job.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            assertThat(done.err()).doesNotContain("restarted").doesNotContain("DIVERGED").doesNotContain("MISMATCH");
            boolean mustBeTold = told || SECONDS > SILENCE_SECONDS_TOLD;
            boolean mayBeTold = mustBeTold || Instant.now().isAfter(cut.plusSeconds(SECONDS + DOWN_SECONDS_TOLD));
            assertThat(Jobs.told(done, DOWN)).as(done.err()).hasSizeBetween(mustBeTold ? 1 : 0, mayBeTold ? 1 : 0);
            assertThat(Jobs.told(done, "the link from relay site-a to relay site-b is up again after ")).hasSameSizeAs(Jobs.told(done, DOWN));
            for (Relays relay : List.of(first, second)) {
                JsonNode link = relay.get("/api/v1/relays").at("/relays/0/links/0");
                assertThat(link.path("parked").isNull()).as(link.toString()).isTrue();
            }
        }
    }

    @Tag("long")
    @Test
    void aJobEndsWhenTheLinkIsDownForLongerThanItsPatienceAndOthersGoOn() throws Exception {
        try (Relays first = relay("site-a", "--link-patience", "2");
                CutWay way = new CutWay(port(first.ready().links()));
                Relays second = relay("site-b", "--peer", "site-a=" + way.address());
                Command job = startReady(first, second);
                Command local = Command.start(
                        folder, "run", "-n", "2", "--sites", "1", "--relay", first.ranks(), "example:ring", "1000000000", "64")) {
            first.awaitDelivered(first.delivered() + 1_000);
            Instant cut = cut(way, job, true);
            Command.Result ended = job.await();
            assertThat(ended.status()).as(ended.err()).isEqualTo(1);
            assertThat(Duration.between(cut, Instant.now())).isGreaterThan(Duration.ofSeconds(2));
            assertThat(Jobs.told(ended, "SITE_UNREACHABLE")).singleElement().asString().matches(
                    ".*job [0-9a-f]{16} \\(.*CutOff.*\\) has ranks at site site-b: the link from relay site-a to relay site-b is down since "
                            + "[-0-9T:Z]+ \\(.+\\), longer than the 2 s of --link-patience; look at the links on the console.*");
            await("nothing of it waits for the link any more")
                    .atMost(PATIENCE)
                    .until(() -> first.get("/api/v1/relays").at("/relays/0/links/0/waitingBytes").asLong(Long.MAX_VALUE) < WAITING_BYTES_MAX);
            long before = first.delivered();
            await().atMost(PATIENCE).until(() -> first.delivered() > before + 1_000);
            assertThat(local.handle().isAlive()).isTrue();
            assertThat(second.command().handle().isAlive()).isTrue();
        }
    }

    private Command startReady(Relays first, Relays second) throws Exception {
        Command job = start(first, second, "process", "1");
        awaitReady(job);
        return job;
    }

    private static void awaitReady(Command job) {
        await().atMost(PATIENCE).until(() -> count(job, "is ready") == 4 || !job.handle().isAlive());
        assertThat(count(job, "is ready")).as(job.err()).isEqualTo(4);
    }

    private Instant cut(CutWay way, Command job, boolean told) throws Exception {
        awaitReady(job);
        if (told) {
            way.cut();
        } else {
            way.silence();
        }
        Instant cut = Instant.now();
        Files.createFile(mark());
        return cut;
    }

    private void assertReportsOutage(Relays relay, String other, Instant cut) throws Exception {
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode link = relay.get("/api/v1/relays").at("/relays/0/links/0");
            JsonNode parked = link.path("parked");
            assertThat(link.path("peerRelay").asText()).isEqualTo(other);
            assertThat(parked.path("since").asLong()).isBetween(cut.toEpochMilli() - 1_000, cut.toEpochMilli() + 20_000);
            assertThat(parked.path("messages").asInt()).isBetween(600, 610);
            assertThat(parked.path("bytes").asLong()).as("of two ranks the credit, and then offers").isBetween(30L << 20, 32L << 20);
            assertThat(parked.at("/jobs/0/ranks").asInt()).isEqualTo(2);
        });
        InProcess.Result status = InProcess.run("status", "--ops", relay.ready().console());
        assertThat(status.status()).as(status.out() + status.err()).isEqualTo(3);
        assertThat(status.out()).containsPattern("link +" + other + " is (DOWN|CONNECTING) since ");
        assertThat(status.out()).as("nothing goes there and back").doesNotContain("round trip");
        assertThat(status.out()).containsPattern("[0-9]+ messages are parked, [0-9,]+ bytes");
        assertThat(status.out()).containsPattern("job [0-9a-f]{16} \\(.*CutOff\\): [0-9]+ messages, [0-9,]+ bytes; 2 ranks here wait");
        assertThat(relay.meter("posthouse_link_parked_ranks")).isEqualTo(2);
        assertThat(relay.meter("posthouse_link_down_seconds")).isBetween(0L, Duration.between(cut, Instant.now()).toSeconds());
    }

    private static long count(Command job, String words) {
        return job.out().lines().filter(line -> line.contains(words)).count();
    }

    private static int known(Relays relay) throws Exception {
        return relay.get("/api/v1/relays").at("/relays/0/directory").size();
    }

    private static void sleepUntil(Instant then) throws InterruptedException {
        Duration left = Duration.between(Instant.now(), then);
        if (left.isPositive()) {
            Thread.sleep(left);
        }
    }

    private Path mark() {
        return folder.resolve("cut");
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private Relays relay(String site, String... more) throws Exception {
        Path authority = folder.resolve("authority");
        GridAuthority grid = authority.toFile().exists() ? GridAuthority.open(authority) : GridAuthority.init(authority, 2);
        grid.issue(site, 2, folder.resolve("keys-" + site));
        List<String> options = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data",
                folder.resolve("data-" + site).toString(), group));
        options.addAll(List.of(more));
        return Relays.start(folder, site, options.toArray(String[]::new));
    }

    /** Once both know of each other. */
    private Command start(Relays first, Relays second, String durability, String mebibytes) throws Exception {
        await().atMost(PATIENCE).until(() -> known(first) == 2 && known(second) == 2);
        return Command.start(
                folder, "run", "-n", "4", "--sites", "2", "--relay", first.ranks(), "--durability", durability, "-cp", Jobs.classPath(),
                "org.posthouse.system.jobs.CutOff", mark().toString(), mebibytes);
    }
}
