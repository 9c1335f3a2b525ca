package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.Exchanges;
import org.posthouse.system.jobs.Waits;

/** Two relay processes of one site, on one host: they share its ranks, its keys and a data folder. */
@Timeout(900)
class RelaysOfOneSiteTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static Relays first;
    private static Relays second;

    @BeforeAll
    static void start() throws Exception {
        GridAuthority.init(folder.resolve("authority"), 2).issue("site-a", 2, folder.resolve("keys"));
        first = relay();
        second = second();
        await().atMost(PATIENCE).until(() -> ranksKnown(first).size() == 2);
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    private static Relays second() throws Exception {
        return relay("--name", "2", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
    }

    private static Relays relay(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--keys", folder.resolve("keys").toString(), "--links", "127.0.0.1:0", "--data", folder.resolve("data").toString()));
        arguments.addAll(List.of(more));
        return Relays.start(folder, "site-a", arguments.toArray(String[]::new));
    }

    private static Command startWaiting(int ranks, Path end, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks), "--relay", first.ranks()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", Jobs.classPath(), Waits.class.getName(), end.toString()));
        Command job = Command.start(folder, command.toArray(String[]::new));
        await().atMost(PATIENCE).until(() -> job.out().contains("waits") || !job.handle().isAlive());
        return job;
    }

    /** How many ranks of the newest job of that name are, or were, at home at this relay, as its console tells. */
    private static long ranksHere(Relays relay, String job) throws Exception {
        return StreamSupport.stream(relay.get("/api/v1/jobs").path("jobs").spliterator(), false)
                .filter(shown -> shown.path("name").asText().equals(job))
                .findFirst()
                .map(shown -> shown.path("ranks").findValuesAsText("relay"))
                .orElse(List.of())
                .stream()
                .filter(relay.ready().relay()::equals)
                .count();
    }

    private static void awaitRanks(String job, long atFirst, long atSecond) {
        await().atMost(PATIENCE).until(() -> ranksHere(first, job) == atFirst && ranksHere(second, job) == atSecond);
    }

    private static List<Integer> ranksKnown(Relays relay) throws Exception {
        List<Integer> ranks = new ArrayList<>();
        for (JsonNode known : relay.get("/api/v1/relays").at("/relays/0/directory")) {
            ranks.add(known.path("ranks").asInt());
        }
        return ranks;
    }

    @Tag("long")
    @Test
    void ranksAreSpreadByLoadAndReachEachOther() throws Exception {
        Path end = folder.resolve("end-1");
        try (Command waiting = startWaiting(3, end)) {
            theOthersGoWhereThereIsRoom();
            Files.createFile(end);
            Command.Result done = waiting.await();
            assertThat(done.err()).isEmpty();
            assertThat(done.status()).isZero();
        }
        await().atMost(PATIENCE).until(() -> ranksKnown(second).equals(List.of(0, 0)));
    }

    private static void theOthersGoWhereThereIsRoom() throws Exception {
        await().atMost(PATIENCE).until(() -> ranksKnown(first).equals(List.of(2, 1)) && ranksKnown(second).equals(List.of(2, 1)));
        awaitRanks(Waits.class.getName(), 2, 1);

        Command.Result small = Command.run(folder, "run", "-n", "1", "--relay", first.ranks(), "example:pi", "100");
        assertThat(small.status()).as(small.err()).isZero();
        awaitRanks("example:pi", 0, 1);

        InProcess.Result mode = InProcess.run("mode", "pipeline", "--ops", second.ready().console());
        assertThat(mode.out()).contains("site-a/2: ", " -> pipeline");

        await().atMost(PATIENCE).until(() -> ranksKnown(first).equals(List.of(2, 1)));
        Command.Result exchange = Command.run(
                folder, "run", "-n", "5", "--relay", first.ranks(), "--durability", "process", "-cp", Jobs.classPath(),
                Exchanges.class.getName());
        assertThat(exchange.err()).isEmpty();
        assertThat(exchange.out()).contains("[0] all exchanged");
        awaitRanks(Exchanges.class.getName(), 2, 3);
        assertThat(folder.resolve("data")).isDirectoryContaining("glob:**/log").isDirectoryContaining("glob:**/log-2");
        assertThat(first.get("/api/v1/relays").at("/relays/0/links/0/peerRelay").asText()).isEqualTo("site-a/2");

        Command.Result twin = Command.run(
                folder, "relay", "--site", "site-a", "--name", "2", "--keys", folder.resolve("keys").toString(), "--links", "127.0.0.1:0", "--listen",
                "127.0.0.1:0", "--ops",
                "127.0.0.1:0", "--group", "127.0.0.1:" + Relays.freePort(), "--member", first.group());
        assertThat(twin.err().strip())
                .isEqualTo("posthouse relay: relay site-a/2 is up already, at " + second.ranks()
                        + ": stop it, or give this one another --name");
        assertThat(twin.status()).isEqualTo(1);
    }

    @Tag("long")
    @Test
    void aRelayThatIsKilledEndsItsOwnJobsAndTheOthersGoOn() throws Exception {
        Path end = folder.resolve("end-2");
        try (Command both = startWaiting(2, end);
                Command one = startWaiting(2, end, "--relays-per-site", "1")) {
            second.command().handle().destroyForcibly();
            // While the directory has it still.
            Command.Result without = Command.run(folder, "run", "-n", "2", "--relay", first.ranks(), "example:ring", "2", "8");
            assertThat(without.err().strip()).startsWith("posthouse: no ranks go to relay site-a/2: ").hasLineCount(1);
            assertThat(without.status()).isZero();
            Command.Result ended = both.await();
            assertThat(ended.status()).isNotZero();
            assertThat(ended.err()).contains("posthouse: job ended: ").contains(second.ranks());
            Files.createFile(end);
            Command.Result done = one.await();
            assertThat(done.err()).isEmpty();
            assertThat(done.status()).isZero();
        }
        Command.Result wanted = Command.run(
                folder, "run", "-n", "2", "--relay", first.ranks(), "--relays-per-site", "2", "example:ring");
        assertThat(wanted.err().strip())
                .startsWith("posthouse run: the job wants 2 relays of site site-a, but only 1 can be reached")
                .hasLineCount(1);
        assertThat(wanted.status()).isEqualTo(1);

        second = second();
        Command.Result again = Command.run(
                folder, "run", "-n", "4", "--relay", first.ranks(), "--relay", second.ranks(), "--durability", "process", "-cp",
                Jobs.classPath(), Exchanges.class.getName());
        assertThat(again.err()).isEmpty();
        assertThat(again.status()).isZero();
        awaitRanks(Exchanges.class.getName(), 2, 2);
    }
}
