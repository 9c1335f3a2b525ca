package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.folder.JobFile;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** A job's processes: real ones, which do what the test says, under a relay that tells what the test says. */
@Timeout(120)
class JobRunTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<JobOutcome> outcome = new CompletableFuture<>();
    private ToldRelay relay;
    private Strings strings;
    private JobRun run;
    private JobOpen opening;

    @BeforeEach
    void listen() throws IOException {
        relay = new ToldRelay();
        strings = new Strings();
    }

    @AfterEach
    void close() throws Exception {
        run.stop(1, "the test ends");
        run.kill();
        relay.close();
        outcome.handle((end, failure) -> end).get(60, TimeUnit.SECONDS);
        strings.close();
    }

    /** Runs a job of puppets; the first incarnation of each comes before anything else happens. */
    private Strings.Held[] start(int ranks, boolean logged, String... jvmFlags) throws Exception {
        JobSpec spec = new JobSpec(
                "test", ranks, List.of(Installation.jarOf(Puppet.class)), Puppet.class.getName(), List.of(strings.port()), List.of(jvmFlags),
                Map.of(), logged, new RestartPolicy(3, 10_000));
        RankOutput output = RankOutput.tagged(
                ranks, new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        CompletableFuture<JobRun> prepared = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> run(spec, output, prepared));
        relay.greet();
        run = prepared.get();
        opening = relay.open();
        assertThat(opening.logged()).isEqualTo(logged);
        assertThat(opening.again()).isFalse();
        Strings.Held[] held = new Strings.Held[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            Strings.Held puppet = strings.accept();
            assertThat(puppet.incarnation).isEqualTo(1);
            held[puppet.rank] = puppet;
            relay.tell(JobEvent.CONNECTED, puppet.rank);
        }
        return held;
    }

    private void run(JobSpec spec, RankOutput output, CompletableFuture<JobRun> prepared) {
        try {
            PlacementRequest placementRequest = new PlacementRequest(List.of(relay.address()), 1, 1, Token.NONE);
            prepared.complete(JobRun.prepare(spec, placementRequest, output));
            outcome.complete(prepared.join().run());
        } catch (Exception e) {
            prepared.completeExceptionally(e);
            outcome.completeExceptionally(e);
        }
    }

    private Strings.Held next(int rank, int incarnation) throws IOException {
        Strings.Held puppet = strings.accept();
        assertThat(puppet.rank).isEqualTo(rank);
        assertThat(puppet.incarnation).isEqualTo(incarnation);
        return puppet;
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aKilledRankIsStartedAgainAndItsOutputIsShownOnce() throws Exception {
        Strings.Held[] ranks = start(2, true);
        ranks[0].print("zero");
        ranks[1].print("one", "two");
        ranks[1].order("half thr");
        ranks[1].order("complain it hurts");
        ProcessHandle child = ProcessHandle.of(Long.parseLong(ranks[1].order("child"))).orElseThrow();
        ranks[1].process.destroyForcibly();

        Strings.Held again = next(1, 2);
        assertThat(ranks[1].process.isAlive()).isFalse();
        await().until(() -> !child.isAlive());
        relay.tell(JobEvent.AWAY, 1);
        relay.tell(JobEvent.REPLAYING, 1);
        again.print("one", "two", "three");
        again.order("complain it hurts");
        relay.tell(JobEvent.CAUGHT_UP, 1);
        again.order("half four");
        relay.tell(JobEvent.FINALIZED, 0, 1);
        ranks[0].exit(0);
        again.exit(0);

        assertThat(relay.closeJob().code()).isZero();
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.cause()).isEmpty();
        assertThat(end.status()).isZero();
        assertThat(end.divergences()).isEmpty();
        assertThat(end.restarts()).hasSize(1).allMatch(Restart::isCaughtUp);
        assertThat(out().lines()).containsExactlyInAnyOrder("[0] zero", "[1] one", "[1] two", "[1] three", "[1] four");
        assertThat(err().lines().filter(line -> line.startsWith("["))).containsExactly("[1] it hurts");
        assertThat(err().lines().filter(line -> line.startsWith("posthouse: ")).toList())
                .hasSize(2)
                .satisfies(lines -> {
                    assertThat(lines.get(0)).isEqualTo("posthouse: rank 1 was killed by signal 9 (SIGKILL): restarted (1 of 3)");
                    assertThat(lines.get(1)).matches("posthouse: rank 1 caught up after .* replayed 0 deliveries in .*");
                });
    }

    @Test
    void reportsDifferingOutputOfRestartedRankAndJobContinues() throws Exception {
        Strings.Held[] ranks = start(1, true);
        ranks[0].print("one", "two");
        ranks[0].exit(72);
        Strings.Held again = next(0, 2);
        relay.tell(JobEvent.REPLAYING, 0);
        again.print("one", "too", "three");
        relay.tell(JobEvent.CAUGHT_UP, 0);
        relay.tell(JobEvent.FINALIZED, 0);
        again.exit(0);
        relay.closeJob();
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.isSuccess()).isTrue();
        assertThat(end.divergences()).isEmpty();
        assertThat(end.printedOther())
                .containsExactly("rank 0 printed something else when it was started again, on standard output, byte 5, line 2:"
                        + " \"too\", and before \"two\"");
        assertThat(out().lines()).containsExactly("[0] one", "[0] two", "[0] too", "[0] three");
        assertThat(err()).contains("posthouse: PRINTS DIFFER: " + end.printedOther().get(0));
    }

    /** As on a host that is short of memory for a while: the JVM says so on standard output, and ends with status 1. */
    @Tag("long")
    @Test
    void aRankWhoseJvmFindsNoMemoryIsStartedAgainWhenThereIsSome(@TempDir Path folder) throws Exception {
        Path flags = Files.writeString(folder.resolve("flags"), "-Xmx64m");
        Strings.Held[] ranks = start(1, true, "@" + flags);
        Files.writeString(flags, "-Xms100000g");
        ranks[0].process.destroyForcibly();
        await().until(() -> err().contains("rank 0 exited with status 1 before its relay heard of it: restarted after 4.00 s (2 of 3)"));
        Files.writeString(flags, "-Xmx64m");
        Strings.Held again = next(0, 3);
        relay.tell(JobEvent.REPLAYING, 0);
        again.print("one", "two");
        relay.tell(JobEvent.CAUGHT_UP, 0);
        relay.tell(JobEvent.FINALIZED, 0);
        again.exit(0);
        assertThat(relay.closeJob().code()).isZero();
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.isSuccess()).isTrue();
        assertThat(end.divergences()).isEmpty();
        assertThat(out().lines()).startsWith("[0] Error occurred during initialization of VM").endsWith("[0] one", "[0] two");
    }

    @Test
    void anInterruptEndsAJobWhoseRankWaitsForItsNextProcess() throws Exception {
        Strings.Held[] ranks = start(2, true);
        ranks[1].order("half unfinished");
        ranks[1].process.destroyForcibly();
        next(1, 2).process.destroyForcibly();
        await().until(() -> err().contains("restarted after 0.25 s (2 of 3)"));
        run.stop(130, "interrupted");
        relay.closeJob();
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.status()).isEqualTo(130);
        assertThat(end.cause()).isEqualTo("interrupted");
        assertThat(ranks[0].process.isAlive()).isFalse();
        assertThat(out()).as("what nobody will print whole any more").isEqualTo("[1] unfinished\n");
    }

    /** It forgets then how to bring the rank back; one that was started again may not have heard it. */
    @Test
    void relayIsNotifiedOfEachFinishedRank() throws Exception {
        Strings.Held[] ranks = start(2, true);
        relay.tell(JobEvent.FINALIZED, 0);
        ranks[0].exit(0);
        assertThat(relay.kept()).isEqualTo(JobKept.done(opening.job(), 0));
        relay.lose();
        relay.greet();
        relay.open();
        relay.tell(JobEvent.FINALIZED, 0);
        assertThat(relay.kept()).isEqualTo(JobKept.done(opening.job(), 0));
        relay.tell(JobEvent.FINALIZED, 1);
        ranks[1].exit(0);
        assertThat(relay.closeJob().code()).isZero();
        assertThat(outcome.get(60, TimeUnit.SECONDS).isSuccess()).isTrue();
    }

    @Test
    void aRelayThatComesBackGetsItsJobBack() throws Exception {
        Strings.Held[] ranks = start(2, true);
        relay.tell(JobEvent.FINALIZED, 0);
        relay.lose();
        relay.greet();
        JobOpen again = relay.open();
        assertThat(again.again()).isTrue();
        assertThat(again.token()).isEqualTo(opening.token());
        assertThat(again).usingRecursiveComparison().ignoringFields("again").isEqualTo(opening);
        relay.tell(JobEvent.FINALIZED, 0);
        relay.tell(JobEvent.AWAY, 1);
        ranks[1].process.destroyForcibly();
        Strings.Held next = next(1, 2);
        relay.tell(JobEvent.REPLAYING, 1);
        relay.tell(JobEvent.CAUGHT_UP, 1);
        relay.tell(JobEvent.FINALIZED, 1);
        ranks[0].exit(0);
        next.exit(0);
        assertThat(relay.closeJob().code()).isZero();
        assertThat(outcome.get(60, TimeUnit.SECONDS).isSuccess()).isTrue();
        assertThat(err()).contains(": dialled again for 10 s").containsPattern("relay here is back after ");
    }

    /**
     * It may have been started with another log: the next one to be started there may have the job. And two relays may come back with each other's --listen: to
     * open the job at the wrong one would have its ranks refused until it ends.
     */
    @Test
    void redialsRelayWithoutTheJobAndRejectsOtherRelays() throws Exception {
        Strings.Held[] ranks = start(1, true);
        relay.lose();
        for (int asked = 0; asked < 2; asked++) {
            relay.greet();
            relay.refuse(CloseReason.UNKNOWN_JOB);
        }
        for (int asked = 0; asked < 2; asked++) {
            relay.greet(List.of(new HomeRelay("there", "there", relay.address())));
        }
        relay.greet();
        relay.open();
        relay.tell(JobEvent.FINALIZED, 0);
        ranks[0].exit(0);
        assertThat(relay.closeJob().code()).isZero();
        assertThat(outcome.get(60, TimeUnit.SECONDS).isSuccess()).isTrue();
        assertThat(err()).containsOnlyOnce("UNKNOWN_JOB: not here")
                .containsOnlyOnce("relay there answers at " + relay.address()
                        + ", and relay here is expected: start each relay with the --listen that it had; it is dialled again")
                .containsPattern("relay here is back after ");
    }

    @Test
    void aJobWhoseRelayStaysAwayAndAnotherAnswersIsLeft(@TempDir Path above) throws Exception {
        describe(above, 0).close();
        resume(above);
        relay.greet(List.of(new HomeRelay("there", "there", relay.address())));
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.left()).isTrue();
        assertThat(end.cause())
                .isEqualTo("relay here, the home of rank 0, has not come back within 0 s (--relay-timeout): relay there answers at "
                        + relay.address() + ", and relay here is expected: start each relay with the --listen that it had");
    }

    /** Its launcher died when it had written down what the job is, and no relay had heard of it. */
    @Test
    void resumingLauncherOpensJobThatWasNeverOpened(@TempDir Path above) throws Exception {
        describe(above).close();
        resume(above);
        relay.greet();
        relay.refuse(CloseReason.UNKNOWN_JOB);
        relay.greet();
        assertThat(relay.open()).usingRecursiveComparison().isEqualTo(opening.at("here"));
        Strings.Held rank = next(0, 1);
        relay.tell(JobEvent.CONNECTED, 0);
        relay.tell(JobEvent.FINALIZED, 0);
        rank.exit(0);
        assertThat(relay.closeJob().code()).isZero();
        assertThat(outcome.get(60, TimeUnit.SECONDS).isSuccess()).isTrue();
    }

    /** The folder of a job of one rank, as if a launcher had just begun it. */
    private JobFolder describe(Path above) throws Exception {
        return describe(above, 10_000);
    }

    private JobFolder describe(Path above, long relayTimeoutMs) throws Exception {
        JobSpec spec = new JobSpec(
                "test", 1, List.of(Installation.jarOf(Puppet.class)), Puppet.class.getName(), List.of(strings.port()), List.of(), Map.of(), true,
                new RestartPolicy(3, relayTimeoutMs));
        List<HomeRelay> homes = List.of(new HomeRelay("here", "here", relay.address()));
        opening = new JobOpen(7, new Token(1, 2), Durability.PROCESS, false, "test", homes, new int[1], 0, true);
        JobFolder folder = JobFolder.create(above.resolve("job"));
        folder.describe(new JobFile(spec, above, opening, Optional.empty(), Optional.empty()));
        return folder;
    }

    private void resume(Path above) throws Exception {
        RankOutput output = RankOutput.tagged(
                1, new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        run = JobRun.resume(JobFolder.open(above.resolve("job")), Token.NONE, output);
        Thread.ofVirtual().start(() -> runToTheEnd(run));
    }

    /** Goes on with a job that a launcher has begun. @return its rank, which has come to its relay */
    private Strings.Held goOn(Path above) throws Exception {
        try (JobFolder folder = describe(above)) {
            folder.starts(0, 1);
        }
        resume(above);
        relay.greet();
        assertThat(relay.open().again()).isTrue();
        Strings.Held rank = next(0, 2);
        relay.tell(JobEvent.CONNECTED, 0);
        return rank;
    }

    /** Else whoever comes when a launcher has died between the two would ask relays for the job that have ended it. */
    @Test
    void jobEndIsPersistedBeforeAndAfterRelaysConfirm(@TempDir Path above) throws Exception {
        Strings.Held rank = goOn(above);
        relay.tell(JobEvent.AWAY, 0);
        rank.exit(42);
        relay.hearEnd();
        Path folder = above.resolve("job");
        assertThat(Files.readAllLines(folder.resolve("progress"))).last().isEqualTo("ending 42 rank 0 exited with status 42");
        assertThat(JobFolder.end(folder)).isEmpty();
        relay.endJob();
        assertThat(outcome.get(60, TimeUnit.SECONDS).status()).isEqualTo(42);
        assertThat(JobFolder.end(folder)).contains(new JobStatusReport.End(42, "rank 0 exited with status 42", false));
    }

    @Test
    void resumingLauncherEndsJobWhoseEndWasRecorded(@TempDir Path above) throws Exception {
        try (JobFolder folder = describe(above)) {
            folder.starts(0, 1);
            folder.ending(3, "rank 0 exited with status 3");
        }
        resume(above);
        relay.greet();
        assertThat(relay.open().again()).isTrue();
        relay.tell(JobEvent.AWAY, 0);
        assertThat(relay.closeJob()).extracting(CloseNotice::code, CloseNotice::text).containsExactly(3, "rank 0 exited with status 3");
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(List.of(end.status(), end.cause(), end.left())).containsExactly(3, "rank 0 exited with status 3", false);
        assertThat(JobFolder.end(above.resolve("job"))).contains(new JobStatusReport.End(3, "rank 0 exited with status 3", false));
    }

    @Test
    void aJobThatItsRelayHasEndedAlreadyIsOver(@TempDir Path above) throws Exception {
        try (JobFolder folder = describe(above)) {
            folder.starts(0, 1);
            folder.ending(3, "rank 0 exited with status 3");
        }
        resume(above);
        relay.greet();
        relay.refuse(CloseReason.UNKNOWN_JOB);
        assertThat(outcome.get(60, TimeUnit.SECONDS).status()).isEqualTo(3);
        assertThat(JobFolder.end(above.resolve("job"))).isPresent();
    }

    @Test
    void disconnectedRelayLearnsJobEndAfterReconnect(@TempDir Path above) throws Exception {
        Strings.Held rank = goOn(above);
        relay.lose();
        relay.meet();
        rank.exit(42);
        assertThat(outcome.get(60, TimeUnit.SECONDS).status()).isEqualTo(42);
        relay.lose();
        Path path = above.resolve("job");
        assertThat(err()).contains("the job is over, and relay here has not confirmed that");
        assertThat(JobFolder.end(path)).isEmpty();
        CompletableFuture<Void> early = CompletableFuture.runAsync(() -> end(path), Thread::startVirtualThread);
        relay.greet();
        relay.refuse(CloseReason.WRONG_TOKEN);
        assertThatThrownBy(() -> early.get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("the job is over, and not all its relays know: ")
                .hasStackTraceContaining("posthouse resume --end " + path);
        CompletableFuture<Void> elsewhere = CompletableFuture.runAsync(() -> end(path), Thread::startVirtualThread);
        relay.greet(List.of(new HomeRelay("elsewhere", "elsewhere", relay.address())));
        assertThatThrownBy(() -> elsewhere.get(60, TimeUnit.SECONDS)).as("another relay does not have the job, and the one that is away may")
                .hasStackTraceContaining("relay elsewhere answers at " + relay.address() + ", and relay here is expected");
        assertThat(JobFolder.end(path)).isEmpty();
        for (int time = 0; time < 2; time++) {
            CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> end(path), Thread::startVirtualThread);
            relay.greet();
            relay.open();
            assertThat(relay.closeJob().text()).isEqualTo("rank 0 exited with status 42");
            ended.get(60, TimeUnit.SECONDS);
            assertThat(JobFolder.end(path)).contains(new JobStatusReport.End(42, "rank 0 exited with status 42", false));
            assertThat(Files.readString(path.resolve("progress"))).containsOnlyOnce("\nend 42");
        }
    }

    private static void end(Path path) {
        try (JobFolder folder = JobFolder.openToEnd(path)) {
            JobRun.end(folder, Token.NONE);
        } catch (JobFailure | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void runToTheEnd(JobRun job) {
        try {
            outcome.complete(job.run());
        } catch (Exception e) {
            outcome.completeExceptionally(e);
        }
    }

    @Test
    void aRelayThatRefusesTheJobEndsIt() throws Exception {
        Strings.Held[] ranks = start(1, true);
        relay.lose();
        relay.greet();
        relay.refuse(CloseReason.WRONG_TOKEN);
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.cause()).contains("WRONG_TOKEN: not here");
        assertThat(end.status()).isEqualTo(1);
        assertThat(ranks[0].process.isAlive()).isFalse();
    }

    @Test
    void aJobWithoutALogEndsWithItsRelay() throws Exception {
        start(1, false);
        relay.lose();
        assertThat(outcome.get(60, TimeUnit.SECONDS).cause()).matches("(the connection to )?relay here at .* (broke|has closed).*");
    }

    @Test
    void unloggedJobEndsWithFirstDeathShowingItsOutput() throws Exception {
        Strings.Held[] ranks = start(2, false);
        ranks[1].print("one");
        ranks[1].order("half two");
        ranks[1].process.destroyForcibly();
        relay.tell(JobEvent.LOST, 1);
        assertThat(relay.closeJob().text()).isEqualTo("rank 1 was killed by signal 9 (SIGKILL)");
        JobOutcome end = outcome.get(60, TimeUnit.SECONDS);
        assertThat(end.status()).isEqualTo(137);
        assertThat(end.restarts()).isEmpty();
        assertThat(out().lines()).containsExactly("[1] one", "[1] two");
        assertThat(ranks[0].process.isAlive()).isFalse();
    }
}
