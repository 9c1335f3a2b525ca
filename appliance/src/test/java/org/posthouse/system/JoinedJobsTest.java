package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.JoinsJobs;

/** Two jobs of two sites meet at a published port, and exchange messages. */
@Timeout(600)
@Tag("long")
class JoinedJobsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static Relays first;
    private static Relays second;

    @BeforeAll
    static void start() throws Exception {
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), 2);
        authority.issue("site-a", 1, folder.resolve("a"));
        authority.issue("site-b", 1, folder.resolve("b"));
        first = relay("a");
        second = relay("b", "--peer", "site-a=" + first.ready().links(), "--member", first.group());
    }

    private static Relays relay(String site, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--keys", folder.resolve(site).toString(), "--links", "127.0.0.1:0", "--data", folder.resolve("data-" + site).toString()));
        arguments.addAll(List.of(more));
        return Relays.start(folder, "site-" + site, arguments.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    private static Command job(Relays relay, int ranks, String... arguments) throws Exception {
        return job(relay, ranks, List.of(), arguments);
    }

    private static Command job(Relays relay, int ranks, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks), "--relay", relay.ranks()));
        command.addAll(options);
        command.addAll(List.of("-cp", Jobs.classPath(), JoinsJobs.class.getName()));
        command.addAll(List.of(arguments));
        return Command.start(folder, command.toArray(String[]::new));
    }

    private static void verifies(Command.Result done, int ranks) {
        assertThat(done.status()).as(done.err() + done.out()).isZero();
        assertThat(done.out().lines().filter(line -> line.endsWith("Verification: SUCCESSFUL"))).hasSize(ranks);
        assertThat(Jobs.told(done, "job ended")).isEmpty();
    }

    private static int openJobs(Relays relay) throws Exception {
        return (int) StreamSupport.stream(relay.get("/api/v1/jobs").path("jobs").spliterator(), false).filter(job -> job.path("state").asText().equals("OPEN"))
                .count();
    }

    /** The second group calls Finalize without a disconnect. */
    @Test
    void groupsOfTwoJobsExchangeMessagesInEachWay() throws Exception {
        try (Command server = job(first, 2, "serve", "exchange", "2");
                Command visitor = job(second, 3, "visit", "exchange")) {
            verifies(visitor.await(), 3);
            try (Command next = job(first, 1, "leave", "exchange")) {
                verifies(next.await(), 1);
            }
            verifies(server.await(), 2);
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(openJobs(first) + openJobs(second)).as("joint jobs are left over").isZero());
    }

    /** The other rank of the killed job does not wait in the joint job: it would end by itself with status 1, and then the lowest gives the job its status. */
    @Test
    void jobGoesOnWhenTheOtherOneWasKilled() throws Exception {
        try (Command server = job(first, 2, "hold", "killed", "2");
                Command guest = job(second, 2, "visit", "killed")) {
            verifies(guest.await(), 2);
            try (Command visitor = job(second, 2, "stay", "killed")) {
                await().atMost(PATIENCE).until(() -> visitor.out().contains("connected") || !visitor.handle().isAlive());
                Jobs.rank(server, 1).destroyForcibly();
                Command.Result done = visitor.await();
                verifies(done, 2);
                assertThat(done.out().lines().filter(line -> line.contains("was told: "))).hasSize(2)
                        .allMatch(line -> line.contains("the communicator joins two jobs, and has come to its end: "));
            }
            assertThat(server.await().status()).isEqualTo(137);
        }
    }

    @Test
    void loggedJobIsNotJoinedToOneThatIsNot() throws Exception {
        try (Command server = job(first, 1, "serve", "unlogged", "1");
                Command visitor = job(second, 1, List.of("--durability", "process"), "visit", "unlogged")) {
            Command.Result refused = visitor.await();
            assertThat(refused.status()).isNotZero();
            assertThat(refused.err()).contains("is a port of a job with --durability none, and this job has process: jobs that meet have the same one");
            server.handle().destroy();
            server.await();
        }
    }
}
