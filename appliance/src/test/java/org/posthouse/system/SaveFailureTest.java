package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.system.jobs.CatchesRefusals;
import org.posthouse.system.jobs.FailsToSave;

/**
 * What calls of a checkpoint throw is the same in every process that is brought back, and what a save itself throws nobody can catch (ADR 20). Real
 * processes.
 */
@Timeout(900)
class SaveFailureTest {
    private static final int STEPS = 60;

    /** Of 30 steps, in each of which each rank adds the other's number and its own, plus one. */
    private static final String RIGHT = "rank 1 has 1610612735";

    @TempDir
    private Path folder;

    private Command.Result refusals(String kills) throws Exception {
        return Command.run(
                folder,
                "run", "-n", "3", "--durability", "process", "--checkpoint-every", "50ms", "--max-restarts", "9", "-cp", Jobs.classPath(),
                CatchesRefusals.class.getName(), "" + STEPS, "7", kills);
    }

    private static List<String> printed(Command.Result result) {
        return result.out().lines().filter(line -> line.startsWith("[")).sorted().toList();
    }

    /** A step is two deliveries, and so a process that begins at a save is killed where the one before was not. Each of a rank's restarts is later than the one before. */
    @Tag("long")
    @Test
    void refusedSavesAreRefusedAgainInReplay() throws Exception {
        refusedAgain("0:1,2;1:13,14;2:31,7");
    }

    @Test
    @Tag("long")
    void refusedSavesAreRefusedAgainAfterLaterKills() throws Exception {
        refusedAgain("0:40,3;1:15,16,17;2:2,12");
    }

    private void refusedAgain(String kills) throws Exception {
        List<String> expected = printed(refusals(""));
        assertThat(expected).as("what ranks print that nobody kills").hasSize(4);
        Command.Result result = refusals(kills);
        assertThat(result.err()).as(result.out()).doesNotContain("iverge");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        assertThat(printed(result)).isEqualTo(expected);
        long deaths = kills.chars().filter(c -> c == ',' || c == ':').count();
        assertThat(result.err().lines().filter(line -> line.contains("restarted"))).as(result.err()).hasSize((int) deaths);
    }

    private Command.Result failing(String what, String howOften, String kills, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", "2", "--durability", "process", "--checkpoint-every", "1ms"));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-cp", Jobs.classPath(), FailsToSave.class.getName(), what, howOften, folder.toString(), kills));
        return Command.run(folder, command.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource("load, 1:12, Checkpoint.restored cannot restore \"grid\": java.io.IOException: as the test wants it")
    void aProcessThatFailsOnceIsBroughtBackThoughItsProgramWouldGoOn(String what, String kills, String words) throws Exception {
        isBroughtBack(what, kills, words);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "save, '', Checkpoint.save cannot save \"grid\": java.io.IOException: as the test wants it",
        "memory, '', Checkpoint.save cannot save \"grid\": java.lang.OutOfMemoryError: as the test wants it",
        "before, '', Checkpoint.point cannot save its state: java.lang.IllegalStateException: as the test wants it"
    })
    void soIsOneThatFailsInAnotherWay(String what, String kills, String words) throws Exception {
        isBroughtBack(what, kills, words);
    }

    private void isBroughtBack(String what, String kills, String words) throws Exception {
        Command.Result result = failing(what, "once", kills);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).doesNotContain("caught").containsOnlyOnce(RIGHT);
        assertThat(result.err())
                .doesNotContain("iverge")
                .contains("[1] rank 1: " + words + ", at org.posthouse.system.jobs.FailsToSave.")
                .contains("rank 1 could not save or restore its state (status 73): restarted");
    }

    @Tag("long")
    @Test
    void aProcessThatFailsAgainAndAgainEndsTheJobWhichSaysWhy() throws Exception {
        Command.Result result = failing("save", "always", "", "--max-restarts", "2");
        assertThat(result.status()).isEqualTo(73);
        assertThat(result.out()).doesNotContain("caught");
        assertThat(result.err())
                .doesNotContain("iverge")
                .containsPattern("posthouse: .*rank 1 could not save or restore its state \\(status 73\\): Checkpoint.save cannot save \"grid\": "
                        + "java.io.IOException: as the test wants it, at org.posthouse.system.jobs.FailsToSave.*, after 2 of 2 restarts");
    }

    @Tag("long")
    @Test
    void whereNobodyIsStartedAgainTheJobEnds() throws Exception {
        Command.Result result = failing("save", "once", "", "--max-restarts", "0");
        assertThat(result.status()).isEqualTo(73);
        assertThat(result.out()).doesNotContain("caught");
        assertThat(result.err()).contains("rank 1 could not save or restore its state (status 73)").contains("cannot save \"grid\"");
    }
}
