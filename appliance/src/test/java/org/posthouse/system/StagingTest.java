package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program and its files that are at the launcher alone run on nodes. All of it in real processes. */
@Timeout(900)
class StagingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String IN = "posthouse_staged_bytes_total{direction=\"in\"";
    private static final String OUT = "posthouse_staged_bytes_total{direction=\"out\"";

    /** Each rank says what it has read; rank 0 says where its class came from, and waits for the file of its argument, if any. */
    private static final String PROGRAM = """
            import java.nio.file.*;
            import mpi.MPI;
            public class Staged {
                public static void main(String[] args) throws Exception {
                    String[] own = MPI.Init(args);
                    int rank = MPI.COMM_WORLD.Rank();
                    System.out.println("rank " + rank + " has read " + Files.readString(Path.of("data.txt")));
                    if (own.length == 0) {
                        System.out.println("from " + Staged.class.getProtectionDomain().getCodeSource().getLocation().getPath());
                        System.out.println("in " + Path.of("").toAbsolutePath());
                    }
                    while (own.length > 0 && !Files.exists(Path.of(own[0]))) {
                        Thread.sleep(10);
                    }
                    MPI.COMM_WORLD.Barrier();
                    System.out.println("rank " + rank + " ends");
                    MPI.Finalize();
                }
            }
            """;

    @TempDir
    private Path folder;

    private Path classes;
    private Path data;

    @BeforeEach
    void compile() throws IOException {
        Path source = Files.writeString(Files.createDirectories(folder.resolve("source")).resolve("Staged.java"), PROGRAM);
        classes = Files.createDirectories(folder.resolve("launcher").resolve("classes"));
        assertThat(ToolProvider.getSystemJavaCompiler().run(
                null, null, null, "-cp", System.getProperty("java.class.path"), "-d", classes.toString(), source.toString())).isZero();
        data = Files.writeString(folder.resolve("launcher").resolve("data.txt"), "what the launcher has");
    }

    private Relays relay(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--data", folder.resolve("data").toString()));
        arguments.addAll(List.of(more));
        return Relays.start(folder, "site-a", arguments.toArray(String[]::new));
    }

    private Command.Result run(Relays relay, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", "3", "--relay", relay.ranks()));
        arguments.addAll(List.of(more));
        return Command.run(folder, arguments.toArray(String[]::new));
    }

    private String[] staged(String... more) {
        List<String> arguments = new ArrayList<>(List.of("--nodes", "always", "-cp", classes.toString(), "--file", data.toString(), "Staged"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private void awaitNothingLeft(String name) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            try (Stream<Path> left = Files.list(folder.resolve(name).resolve("jobs"))) {
                assertThat(left.filter(path -> !path.endsWith("lock"))).as("folders of jobs on %s", name).isEmpty();
            }
        });
    }

    @Test
    void filesOfTheLauncherReachItsNodesAndASecondRunSendsNone() throws Exception {
        try (Relays relay = relay(); Command one = relay.agent("one", 2); Command two = relay.agent("two", 2)) {
            Command.Result first = run(relay, staged());
            assertThat(first.status()).as(first.err()).isZero();
            for (int rank = 0; rank < 3; rank++) {
                assertThat(first.out()).containsOnlyOnce("rank " + rank + " has read what the launcher has");
            }
            assertThat(first.out().lines().filter(line -> line.contains("] from ")))
                    .hasSize(3)
                    .allMatch(line -> line.contains("/one/jobs/") || line.contains("/two/jobs/"));
            await().atMost(PATIENCE).until(() -> relay.meter(IN) > 0);
            long in = relay.meter(IN);
            long out = relay.meter(OUT);
            assertThat(out).as("to two agents").isEqualTo(2 * in);
            awaitNothingLeft("one");
            awaitNothingLeft("two");

            Command.Result second = run(relay, staged());
            assertThat(second.status()).as(second.err()).isZero();
            assertThat(second.err()).doesNotContain("stag");
            Files.writeString(data, "something else");
            Command.Result third = run(relay, staged());
            assertThat(third.out()).containsOnlyOnce("rank 2 has read something else");
            await().atMost(PATIENCE).until(() -> relay.meter(IN) > in);
            assertThat(relay.meter(IN)).as("the second run sent nothing, and the third the changed file").isEqualTo(in + Files.size(data));
            assertThat(List.of(one.handle().isAlive(), two.handle().isAlive())).containsOnly(true);
        }
    }

    @Tag("long")
    @Test
    void aRankOfAKilledAgentFindsItsFilesOnAnotherNode() throws Exception {
        Path end = folder.resolve("end");
        try (Relays relay = relay();
                Command one = relay.agent("one", 1);
                Command two = relay.agent("two", 1);
                Command three = relay.agent("three", 1);
                Command spare = relay.agent("zspare", 1)) {
            List<String> arguments = new ArrayList<>(List.of(
                    "run", "-n", "3", "--node-timeout", "1", "--durability", "process", "--relay", relay.ranks()));
            arguments.addAll(List.of(staged(end.toString())));
            try (Command job = Command.start(folder, arguments.toArray(String[]::new))) {
                await().atMost(PATIENCE).until(() -> job.out().lines().count() == 3 || !job.handle().isAlive());
                Command victim = Stream.of(one, two, three, spare).filter(agent -> !Jobs.ranks(agent.handle()).isEmpty()).findFirst().orElseThrow();
                victim.handle().destroyForcibly();
                await().atMost(PATIENCE).until(() -> job.err().contains(" is gone: "));
                Files.createFile(end);
                Command.Result done = job.await();
                assertThat(done.status()).as(done.err()).isZero();
                assertThat(done.out().lines().filter(line -> line.endsWith(" ends"))).hasSize(3);
                assertThat(done.out().lines()).as("nothing is shown twice").doesNotHaveDuplicates();
            }
        }
    }

    /** The launcher is connected to it again, and names its files anew. */
    @Test
    @Tag("long")
    void aRelayThatHasLostItsCacheGetsTheFilesAgain() throws Exception {
        Path end = folder.resolve("end");
        try (Relays relay = relay(); Command one = relay.agent("one", 3); Command two = relay.agent("two", 3)) {
            List<String> arguments = new ArrayList<>(List.of(
                    "run", "-n", "3", "-a", "concentrate", "--node-timeout", "1", "--durability", "process", "--relay", relay.ranks()));
            arguments.addAll(List.of(staged(end.toString())));
            try (Command job = Command.start(folder, arguments.toArray(String[]::new))) {
                await().atMost(PATIENCE).until(() -> job.out().lines().count() == 3 || !job.handle().isAlive());
                await().atMost(PATIENCE).until(() -> relay.meter(IN) > 0);
                long in = relay.meter(IN);
                relay.kill();
                removeFiles(folder.resolve("data").resolve("stage"));
                relay.startAgain();
                await().atMost(PATIENCE).until(() -> relay.meter(IN) == in);
                Command victim = Jobs.ranks(one.handle()).isEmpty() ? two : one;
                await().atMost(PATIENCE).until(() -> Stream.of(one, two).allMatch(agent -> agent.err().contains("connected again")));
                victim.handle().destroyForcibly();
                await().atMost(PATIENCE).until(() -> job.err().contains(" is gone: "));
                Files.createFile(end);
                Command.Result done = job.await();
                assertThat(done.status()).as(done.err()).isZero();
                assertThat(done.out().lines().filter(line -> line.endsWith(" ends"))).hasSize(3);
            }
        }
    }

    private static void removeFiles(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    @Tag("long")
    @Test
    void aNodeWithoutRoomEndsTheJobInOneLine() throws Exception {
        try (Relays relay = relay(); Command one = relay.agent("one", 3, "--stage-cache", "100")) {
            Command.Result done = run(relay, staged());
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.contains("(--stage-cache)")))
                    .as(done.err())
                    .hasSize(1)
                    .allMatch(line -> line.contains(" cannot be started on node one of site site-a: "));
            awaitNothingLeft("one");
            assertThat(one.handle().isAlive()).isTrue();
        }
    }

    @Tag("long")
    @Test
    void aRelayWithoutRoomEndsTheJobInOneLine() throws Exception {
        try (Relays relay = relay("--stage-cache", "100"); Command one = relay.agent("one", 3)) {
            Command.Result done = run(relay, staged());
            assertThat(done.status()).isNotZero();
            assertThat(done.err().lines().filter(line -> line.contains("(--stage-cache)")))
                    .as(done.err())
                    .hasSize(1)
                    .allMatch(line -> line.contains(classes + " cannot be staged at relay site-a: "));
            awaitNothingLeft("one");
            assertThat(one.handle().isAlive()).isTrue();
        }
    }

    @Tag("long")
    @Test
    void badNamesAreToldBeforeAnythingStarts() throws Exception {
        try (Relays relay = relay(); Command one = relay.agent("one", 3)) {
            assertThat(run(relay, "--file", "nowhere", "-cp", classes.toString(), "Staged").err()).contains("--file nowhere does not exist");
            assertThat(run(relay, "--file", classes.toString(), "-cp", classes.toString(), "Staged").err()).contains(" is a folder: pack it into one file");
            Path other = Files.writeString(Files.createDirectories(folder.resolve("other")).resolve("data.txt"), "x");
            assertThat(run(relay, "--file", other.toString(), "--file", data.toString(), "-cp", classes.toString(), "Staged").err())
                    .contains("two of the job's files have the name \"data.txt\"");
            assertThat(one.handle().isAlive()).isTrue();
        }
    }

    /** Commands of tests run in this process's folder. */
    @Tag("long")
    @Test
    void ranksOnTheLaunchersHostFindFilesAsLinks() throws Exception {
        Path link = Path.of("data.txt").toAbsolutePath();
        Command.Result done = Command.run(folder, "run", "-n", "2", "-cp", classes.toString(), "--file", data.toString(), "Staged");
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out()).containsOnlyOnce("rank 1 has read what the launcher has");
        assertThat(link).as("the link goes with the job").doesNotExist();
    }
}
