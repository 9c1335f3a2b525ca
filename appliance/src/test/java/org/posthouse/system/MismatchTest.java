package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.CaughtMismatch;
import org.posthouse.system.jobs.LateRoot;
import org.posthouse.system.jobs.Mismatches;

/** Ranks of two sites whose collectives do not match: a diagnosis within seconds, and nothing left. */
@Timeout(900)
class MismatchTest {
    @TempDir
    private Path folder;

    private Command.Result run(String how) throws Exception {
        Command.Result result = Command.run(
                folder, "run", "-n", "4", "--sites", "2", "-cp", Jobs.classPath(), Mismatches.class.getName(), how);
        assertThat(result.status()).as(result.err()).isEqualTo(1);
        assertThat(Command.processes(folder)).isEmpty();
        return result;
    }

    @Test
    void namesBothRanksAndBothCalls() throws Exception {
        assertThat(run("reduce").err())
                .contains("mpi.MPIException")
                .containsPattern("(rank 0 is in reduce, root 0, rank [123] in bcast, root 0"
                        + "|rank [123] is in bcast, root 0, rank 0 in reduce, root 0), as collective 2 ");
    }

    @Tag("long")
    @Test
    void namesTheRankThatHasFinalized() throws Exception {
        assertThat(run("finalize").err())
                .contains("mpi.MPIException")
                .containsPattern("rank [123] is in barrier and waits for rank 0, which has called Finalize");
    }

    /** What the late rank sent before it finalized is still on its way to ranks that had said they were blocked. */
    @Tag("long")
    @Test
    void aRankThatComesLateAndFinalizesIsNobodysFault() throws Exception {
        Command.Result result = Command.run(
                folder, "run", "-n", "4", "--sites", "2", "-cp", Jobs.classPath(), LateRoot.class.getName());
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
    }

    @Tag("long")
    @Test
    void ranksThatFailedInCollectiveNotifyTheOthers() throws Exception {
        Command.Result result = Command.run(
                folder, "run", "-n", "4", "-cp", Jobs.classPath(), CaughtMismatch.class.getName());
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out().lines()).filteredOn(line -> line.contains(" caught ")).hasSize(4);
    }
}
