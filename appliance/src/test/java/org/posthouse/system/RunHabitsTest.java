package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.ShowsPlace;
import org.posthouse.system.jobs.Waits;

/** Options that people know from mpirun. */
@Timeout(300)
class RunHabitsTest {
    @TempDir
    private Path folder;

    @Test
    void variablesFolderAndCopiesAreAsWithMpirun() throws Exception {
        Path there = Files.createDirectory(folder.resolve("there"));
        Path copies = folder.resolve("copies");
        String[] words = {
            "run", "-n", "2", "-x", "COLOUR=blue", "--wdir", there.toString(), "--output", copies.toString(), "-cp", Jobs.classPath(),
            ShowsPlace.class.getName(), "COLOUR"
        };
        Command.Result done = Command.run(folder, words);
        assertThat(done.status()).as(done.err()).isZero();
        assertThat(done.out().lines()).containsExactlyInAnyOrder("[0] blue in there", "[1] blue in there");
        for (int rank = 0; rank < 2; rank++) {
            assertThat(copies.resolve("rank-" + rank + ".out")).hasContent("blue in there\n");
            assertThat(copies.resolve("rank-" + rank + ".err")).hasContent("rank " + rank + "\n");
        }
        Command.Result again = Command.run(folder, words);
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err().lines()).as("nothing is overwritten").containsExactly(
                "posthouse run: --output " + copies + " has files already: name a new or an empty folder");
    }

    @Test
    void aJobEndsAtItsTimeout() throws Exception {
        Command.Result done = Command.run(
                folder, "run", "-n", "2", "--timeout", "3", "-cp", Jobs.classPath(), Waits.class.getName(), folder.resolve("never").toString());
        assertThat(done.status()).isEqualTo(124);
        assertThat(done.err()).contains("posthouse: job ended: it has run for 3 s, its --timeout");
    }

    @Test
    void aDryRunPrintsThePlacementAndStartsNothing() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--data", folder.resolve("data").toString())) {
            Command.Result done = Command.run(folder, "run", "-n", "4", "--dry-run", "--relay", relay.ranks(), "example:pi");
            assertThat(done.status()).as(done.err()).isZero();
            assertThat(done.out().lines()).containsExactly("site site-a, this host, at home at relay site-a: ranks 0-3");
        }
    }
}
