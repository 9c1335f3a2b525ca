package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.keys.GridAuthority;
import org.posthouse.testkit.SmallDisk;

/** A disk of which not a byte is left (P6): the job stands still, says why, and goes on when there is room. Real processes. */
@Timeout(900)
class FullDiskTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The least that such a log wants to be free: a quarter of its limit. */
    private static final String LIMIT = "192m";

    private static final int DISK_MEBIBYTES = 256;

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void aJobOfTwoSitesStandsStillWhileTheDiskOfOneIsFullAndItsRelayMayBeKilledThen() throws Exception {
        standsStill(false);
    }

    @Test
    @Tag("long")
    void itGoesOnWhenThereIsRoomAndStandsStillAgain() throws Exception {
        standsStill(true);
    }

    private void standsStill(boolean twice) throws Exception {
        try (SmallDisk disk = SmallDisk.mount(folder.resolve("small"), DISK_MEBIBYTES);
                Relays full = Relays.startOn(disk, folder, "site-a", options(disk.path(), "site-a"));
                Relays other = Relays.start(folder, "site-b", options(
                        folder, "site-b", "--peer", "site-a=" + full.ready().links(), "--member", full.group()));
                Command job = start(full, "2", "4", "example:ring", "3000", "5000")) {
            full.awaitDelivered(100);
            disk.fill();
            assertStandsStill(full, job);
            InProcess.Result status = InProcess.run("status", "--ops", full.ready().console());
            assertThat(status.status()).isEqualTo(3);
            assertThat(status.out()).contains("log       full: the disk is full: ").contains("takes no work");
            if (twice) {
                disk.makeRoom();
                full.awaitDelivered(full.delivered() + 100);
                await().atMost(PATIENCE).until(() -> job.err().contains("the log has room again"));
                assertThat(readiness(full)).startsWith("200");
                disk.fill();
                assertStandsStill(full, job);
            }
            full.kill();
            CompletableFuture<Void> back = CompletableFuture.runAsync(() -> startAgain(full), Thread::startVirtualThread);
            await().atMost(PATIENCE).until(() -> readiness(full).contains("it waits for room") || back.isDone());
            assertThat(back).isNotDone();
            disk.makeRoom();
            back.join();
            assertVerified(job);
            assertThat(other.command().handle().isAlive()).isTrue();
        }
    }

    /** The relays in the launcher's process have their logs where its temporary files are. */
    @Tag("long")
    @Test
    void aJobWithRelaysOfItsOwnWaitsForRoomToBegin() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(folder.resolve("small"), DISK_MEBIBYTES)) {
            disk.fill();
            try (Command job = Command.startBehind(folder, disk.entered(), List.of("-Djava.io.tmpdir=" + disk.path()),
                    "run", "-n", "2", "--durability", "process", "--log-limit", LIMIT, "example:pi")) {
                await().atMost(PATIENCE).until(() -> job.err().contains("not ready yet: it waits for room: ") || !job.handle().isAlive());
                disk.makeRoom();
                assertThat(job.await().status()).as(job.err()).isZero();
            }
        }
    }

    /** Its relays try their logs again and again: that ends before the folder of these goes. */
    @Test
    @Tag("long")
    void aJobThatWaitsForRoomToBeginPutsItsFilesAwayWhenItIsInterrupted() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(folder.resolve("small"), DISK_MEBIBYTES)) {
            disk.fill();
            try (Command job = Command.startBehind(folder, disk.entered(), List.of("-Djava.io.tmpdir=" + disk.path()),
                    "run", "-n", "2", "--durability", "process", "--log-limit", LIMIT, "example:pi")) {
                await().atMost(PATIENCE).until(() -> job.err().contains("not ready yet: it waits for room: ") || !job.handle().isAlive());
                job.handle().destroy();
                job.await();
                assertThat(job.err()).doesNotContain("not everything was put away");
                assertThat(disk.seen("").toFile().list()).contains("filler").noneMatch(name -> name.matches("posthouse-\\d+"));
            }
        }
    }

    /** It says where and why, everywhere, and nothing is delivered any more. */
    private static void assertStandsStill(Relays relay, Command job) throws IOException {
        await().atMost(PATIENCE).until(() -> log(relay).path("state").asText().equals("full"));
        assertThat(log(relay).path("text").asText()).contains("the disk is full: ").contains(" must be: free ");
        assertThat(readiness(relay)).startsWith("503").contains("the disk is full");
        await().atMost(PATIENCE).until(() -> job.err().contains("the job waits for room in a log: the disk is full: "));
        await().atMost(PATIENCE).during(Duration.ofMillis(600)).until(relay::delivered, new Unchanged()::holds);
    }

    /** Whether a number is the one it was the time before. */
    private static final class Unchanged {
        private long last = -1;

        private boolean holds(long next) {
            boolean same = next == last;
            last = next;
            return same;
        }
    }

    private static JsonNode log(Relays relay) throws IOException {
        return relay.get("/api/v1/relays").at("/relays/0/log");
    }

    private static String readiness(Relays relay) throws IOException {
        URI uri = URI.create("http://" + relay.ready().console() + "/readyz");
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        try {
            int status = connection.getResponseCode();
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return status + " " + new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (java.net.ConnectException e) {
            return "none";
        } finally {
            connection.disconnect();
        }
    }

    private static void startAgain(Relays relay) {
        try {
            relay.startAgain();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String[] options(Path data, String site, String... more) throws Exception {
        Path authority = folder.resolve("authority");
        GridAuthority grid = authority.toFile().exists() ? GridAuthority.open(authority) : GridAuthority.init(authority, 2);
        grid.issue(site, 2, folder.resolve("keys-" + site));
        List<String> options = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys-" + site).toString(), "--links", "127.0.0.1:0", "--data",
                data.resolve("data-" + site).toString(), "--log-limit", LIMIT));
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }

    private Command start(Relays relay, String sites, String ranks, String... program) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("run", "-n", ranks, "--sites", sites, "--relay", relay.ranks(), "--durability", "process"));
        arguments.addAll(List.of(program));
        return Command.start(folder, arguments.toArray(String[]::new));
    }

    private static void assertVerified(Command job) throws Exception {
        Command.Result done = job.await();
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        assertThat(Jobs.told(done, "DIVERGED")).isEmpty();
        assertThat(Jobs.told(done, ": restarted")).as("no rank was started again").isEmpty();
    }
}
