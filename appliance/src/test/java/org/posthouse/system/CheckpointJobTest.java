package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.system.jobs.SavesSteps;

/**
 * A program that saves its state is killed and goes on from there: its result is right, each line of it is shown once, and
 * its process did not begin anew. Real processes.
 */
@Timeout(900)
class CheckpointJobTest {
    private static final int RANKS = 3;
    static final int STEPS = 40;
    static final int EVERY = 7;
    private static final String KILLED_BEFORE_A_SAVE = "1:5";

    /** Where the ranks wait for the test, behind the last save before they die. */
    static final int STOPS_AT = 30;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    /** A master has three deliveries a step in a job of three, a worker one. */
    @ParameterizedTest
    @CsvSource("2, '0:50;2:24,1'")
    void goesOnWhereItWasSaved(String sites, String kills) throws Exception {
        goesOn(sites, kills);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {KILLED_BEFORE_A_SAVE, "1:16,9,3", "0:64,2,30", "0:50,22;1:30;2:24,1"})
    void alsoIfItIsKilledAgainAndAgain(String kills) throws Exception {
        goesOn("1", kills);
    }

    private void goesOn(String sites, String kills) throws Exception {
        Command.Result result = Command.run(
                folder,
                "run", "-n", "" + RANKS, "--sites", sites, "--durability", "process", "-cp", Jobs.classPath(),
                SavesSteps.class.getName(), "" + STEPS, "" + EVERY, folder.toString(), kills);
        assertThat(result.err()).as(result.out()).doesNotContain("iverge");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(lines(result.out(), rank)).as("rank " + rank).isEqualTo(expected(rank, "" + RANKS));
        }
        long deaths = kills.chars().filter(c -> c == ',' || c == ':').count();
        Map<String, Integer> began = began();
        assertThat(began).hasSize(RANKS + (int) deaths);
        began.forEach((process, step) -> assertThat(step % EVERY).as(process + " began at " + step).isZero());
        began.forEach((process, step) -> assertThat(step > 0)
                .as(process + " began at " + step)
                .isEqualTo(!process.endsWith("/1") && !kills.equals(KILLED_BEFORE_A_SAVE)));
    }

    /** The newest image of rank 1 is flipped, which nobody notices before its process is killed and the next begins. */
    @Tag("long")
    @Test
    void goesOnAtTheImageBeforeIfTheNewestIsDamaged() throws Exception {
        Path data = folder.resolve("data");
        try (Relays relay = Relays.start(folder, "here", "--data", data.toString());
                Command job = Command.start(
                        folder,
                        "run", "-n", "" + RANKS, "--relay", relay.ranks(), "--durability", "process", "-cp", Jobs.classPath(),
                        SavesSteps.class.getName(), "" + STEPS, "" + EVERY, folder.toString(), "1:32", "" + STOPS_AT)) {
            await().atMost(PATIENCE).until(() -> Files.exists(folder.resolve("stopped-1")));
            Path newest = newestImage(data.resolve("images"));
            byte[] flipped = Files.readAllBytes(newest);
            flipped[flipped.length - 1] ^= 1;
            Files.write(newest, flipped);
            Files.createFile(folder.resolve("go-1"));
            Command.Result result = job.await();
            assertThat(result.status()).as(result.err()).isZero();
            assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
            assertThat(lines(result.out(), 1)).isEqualTo(expected(1, "" + RANKS));
            assertThat(began()).containsEntry("1/2", STOPS_AT - STOPS_AT % EVERY - EVERY);
            assertThat(relay.command().err() + relay.command().out()).contains(newest.getFileName().toString());
        }
    }

    private static Path newestImage(Path images) throws IOException {
        try (Stream<Path> files = Files.walk(images)) {
            return files.filter(file -> file.toString().endsWith(".img") && file.getParent().endsWith("1"))
                    .max(Comparator.comparing(file -> Integer.valueOf(file.getFileName().toString().replace(".img", ""))))
                    .orElseThrow();
        }
    }

    static List<String> lines(String out, int rank) {
        String tag = "[" + rank + "] ";
        return out.lines().filter(line -> line.startsWith(tag)).map(line -> line.substring(tag.length()))
                .filter(line -> !line.startsWith("Verification")).toList();
    }

    /** What a rank prints that does so many steps. */
    static List<String> expected(int rank, String ranks) {
        StringBuilder printed = new StringBuilder("rank " + rank + " of " + ranks + ": ");
        IntStream.range(0, STEPS).forEach(step -> printed.append(step).append(step % 3 == 0 ? "\n" : " "));
        return printed.append("end\n").toString().lines().toList();
    }

    private Map<String, Integer> began() throws Exception {
        return began(folder);
    }

    /** Where each process began, by rank and incarnation. */
    static Map<String, Integer> began(Path folder) throws IOException {
        Map<String, Integer> began = new HashMap<>();
        for (String line : Files.readAllLines(folder.resolve("began"))) {
            began.put(line.split(" ")[0], Integer.valueOf(line.split(" ")[1]));
        }
        return began;
    }
}
