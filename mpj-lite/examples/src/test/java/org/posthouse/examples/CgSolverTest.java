package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import mpi.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CgSolverTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void classSGivesThePublishedEigenvalueAtEveryRank(int ranks) {
        Ranks.run(ranks, (comm, rank) -> {
            CgSolver solver = new CgSolver(CgClass.S, comm);
            solver.iterate();
            assertThat(CgClass.S.verifies(solver.zeta())).isFalse();

            solver.reset();
            for (int iteration = 0; iteration < CgClass.S.iterations(); iteration++) {
                solver.iterate();
            }
            assertThat(CgClass.S.verifies(solver.zeta())).as("zeta is %s", solver.zeta()).isTrue();
            assertThat(solver.residual()).isLessThan(1e-13);
        });
    }

    @Test
    void verificationNoticesTheTenthDigit() {
        double zeta = 8.5971775078648;

        assertThat(CgClass.S.verifies(zeta)).isTrue();
        assertThat(CgClass.S.verifies(zeta * (1 + 0.9e-10))).isTrue();
        assertThat(CgClass.S.verifies(zeta * (1 + 2e-10))).isFalse();
        assertThat(CgClass.S.verifies(zeta * (1 - 2e-10))).isFalse();
        assertThat(CgClass.S.verifies(Double.NaN)).isFalse();
    }

    /** 2 * 15 * 1400 * (3 + 56 + 25 * 61 + 3), and so on. */
    @Test
    void countsOperationsAsTheBenchmarkDoes() {
        assertThat(CgClass.S.operations()).isEqualTo(66_654_000.0);
        assertThat(CgClass.A.operations()).isEqualTo(1_496_460_000.0);
    }
}
