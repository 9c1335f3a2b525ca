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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.keys.GridAuthority;
import org.posthouse.system.jobs.JoinsJobs;
import org.posthouse.system.jobs.MeetsLogged;

/** Two logged jobs of two sites meet. Processes of both are killed, at deliveries and while they meet, and relays as well: nobody can tell from the results. */
@Timeout(900)
class JoinedLoggedJobsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NOBODY = "9:9";

    @TempDir
    private static Path folder;

    private static Relays first;
    private static Relays second;

    private int services;

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

    private static Command job(Relays relay, String durability, String... arguments) throws Exception {
        return job(MeetsLogged.class, relay, durability, arguments);
    }

    private static Command job(Class<?> program, Relays relay, String durability, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", "2", "--relay", relay.ranks(), "--durability", durability));
        command.addAll(List.of("-cp", Jobs.classPath(), program.getName()));
        command.addAll(List.of(arguments));
        return Command.start(folder, command.toArray(String[]::new));
    }

    private String service() {
        return "service-" + System.nanoTime() + "-" + services++;
    }

    private static void verifies(Command.Result done, String kills) {
        assertThat(done.status()).as(done.err() + done.out()).isZero();
        assertThat(done.err()).doesNotContain("iverge", "does not do what it did before", "cannot be replayed");
        assertThat(done.out().lines().filter(line -> line.endsWith("Verification: SUCCESSFUL"))).as(done.out()).hasSize(2);
        long deaths = kills.equals(NOBODY) ? 0 : kills.chars().filter(c -> c == ',' || c == ':').count();
        assertThat(Jobs.told(done, "restarted")).as(done.err()).hasSize((int) deaths);
    }

    private static void awaitNoJob() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(openJobs(first) + openJobs(second)).as("joint jobs are left over").isZero());
    }

    private static int openJobs(Relays relay) throws Exception {
        return (int) StreamSupport.stream(relay.get("/api/v1/jobs").path("jobs").spliterator(), false).filter(job -> job.path("state").asText().equals("OPEN"))
                .count();
    }

    private void assertMeet(String durability, String serverDies, String visitorDies, String serverDiesAtMs, String visitorDiesAtMs) throws Exception {
        String service = service();
        try (Command server = job(first, durability, "serve", service, "8", serverDies, serverDiesAtMs);
                Command visitor = job(second, durability, "visit", service, "8", visitorDies, visitorDiesAtMs)) {
            verifies(visitor.await(), visitorDies.equals(NOBODY) ? visitorDiesAtMs : visitorDies);
            verifies(server.await(), serverDies.equals(NOBODY) ? serverDiesAtMs : serverDies);
        }
        awaitNoJob();
    }

    /** A process has 3 deliveries a round, 3 when they compare, and one behind the disconnect. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "1:1,28|0:9,26")
    void programsVerifyAlthoughTheirProcessesAreKilledAtDeliveries(String serverDies, String visitorDies) throws Exception {
        assertMeet("process", serverDies, visitorDies, NOBODY, NOBODY);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"9:9|9:9", "0:2|1:7", "0:3|0:3", "0:4,5;1:6|9:9", "9:9|0:1;1:1,2", "0:27;1:25|0:28;1:24", "0:12,20|1:13,21"})
    void alsoIfTheyAreKilledElsewhere(String serverDies, String visitorDies) throws Exception {
        assertMeet("process", serverDies, visitorDies, NOBODY, NOBODY);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0:40|1:150", "0:120,300|0:60,200"})
    void programsVerifyAlthoughTheirProcessesAreKilledWhileTheyMeet(String serverDies, String visitorDies) throws Exception {
        assertMeet("process", NOBODY, NOBODY, serverDies, visitorDies);
    }

    @Tag("long")
    @Test
    void jobsThatSurviveHostsMeet() throws Exception {
        assertMeet("host", "0:5", "0:8", NOBODY, NOBODY);
    }

    /** It is no part of any history, so the process is not restarted from there. */
    @Tag("long")
    @Test
    void processesAreToldWhenTheOtherJobHasEnded() throws Exception {
        String service = service();
        try (Command server = job(JoinsJobs.class, first, "process", "serve", service, "1");
                Command visitor = job(JoinsJobs.class, second, "process", "stay", service)) {
            await().atMost(PATIENCE).until(() -> visitor.out().contains("connected") || !visitor.handle().isAlive());
            server.handle().destroy();
            Command.Result done = visitor.await();
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out().lines().filter(line -> line.contains("was told: "))).hasSize(2)
                    .allMatch(line -> line.contains("the communicator joins two jobs, and has come to its end: job "));
            assertThat(done.err()).contains("it was told that a job has ended which it was joined to");
            server.await();
        }
        awaitNoJob();
    }

    /** A server of this kind, whose visitor's job ends while it is joined. */
    private Command.Result served(String how) throws Exception {
        String service = service();
        try (Command server = job(JoinsJobs.class, first, "process", how, service);
                Command visitor = job(JoinsJobs.class, second, "process", "stay", service)) {
            await().atMost(PATIENCE).until(() -> visitor.out().lines().filter(line -> line.contains("connected")).count() == 2 || !visitor.handle().isAlive());
            visitor.handle().destroy();
            visitor.await();
            Command.Result done = server.await();
            assertThat(done.status()).as(done.err() + done.out()).isZero();
            assertThat(done.out().lines().filter(line -> line.endsWith("Verification: SUCCESSFUL"))).hasSize(2);
            return done;
        } finally {
            awaitNoJob();
        }
    }

    @Tag("long")
    @Test
    void messagesOfAJobThatHasEndedAreReceived() throws Exception {
        Command.Result done = served("take");
        assertThat(done.out().lines().filter(line -> line.contains("was told: "))).hasSize(2);
        assertThat(done.err()).contains("it was told that a job has ended which it was joined to");
    }

    /** The program is not told, so the end is no observation of it: the process could still be restarted. */
    @Tag("long")
    @Test
    void disconnectFromAJobThatHasEndedIsNoLimitOfAReplay() throws Exception {
        assertThat(served("part").err()).doesNotContain("it was told that a job has ended", "cannot be replayed");
    }

    @Test
    void jobsOfTwoDurabilitiesAreToldBoth() throws Exception {
        String service = service();
        try (Command server = job(first, "process", "serve", service, "1", NOBODY, NOBODY);
                Command visitor = job(second, "host", "visit", service, "1", NOBODY, NOBODY)) {
            Command.Result refused = visitor.await();
            assertThat(refused.status()).isNotZero();
            assertThat(refused.err()).contains("is a port of a job with --durability process, and this job has host: jobs that meet have the same one");
            server.handle().destroy();
            server.await();
        }
    }
}
