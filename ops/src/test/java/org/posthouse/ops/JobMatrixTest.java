package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.status.JobStatus;
import org.posthouse.status.PairTraffic;

class JobMatrixTest {
    private static final JobStatus OF_TWO_RANKS = new JobStatus("1f", "pi", 2, "none", "rebuild", "RUNNING", 0, List.of(), 0, "", 0, 0, "", 0, 0);

    /** Process 3 has taken the place of process 1, which was rank 1. */
    @Test
    void allProcessesOfARankCountAsIt() {
        List<List<PairTraffic>> told = List.of(
                List.of(new PairTraffic(0, 1, 5, 50), new PairTraffic(0, 3, 2, 20)), List.of(new PairTraffic(1, 0, 1, 8), new PairTraffic(3, 0, 1, 9)));
        assertThat(JobMatrix.of(OF_TWO_RANKS, told, List.of()).cells()).containsExactly(List.of(0L, 1L, 7L, 70L), List.of(1L, 0L, 2L, 17L));
    }
}
