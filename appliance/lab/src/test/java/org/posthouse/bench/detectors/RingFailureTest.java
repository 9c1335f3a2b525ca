package org.posthouse.bench.detectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.detector.DetectorProtocol;

/** Figure 12 of the P2P-MPI chapter, as computed from 15,000 trials, and exactly where all sets of dead hosts can be tried. */
class RingFailureTest {
    private static final int FIXTURE_TRIALS = 15_000;
    private static final int TRIALS = 20_000;

    @ParameterizedTest
    @CsvSource({
        "BRR, 4, 2.9e-2", "BRR, 8, 1.1e-2", "BRR, 16, 2.6e-3", "BRR, 32, 6.0e-4", "BRR, 64, 0", "DBRR, 4, 0", "DBRR, 8, 1.7e-5", "DBRR, 16, 0", "DBRR, 32, 0",
        "DBRR, 64, 0"
    })
    void failsAsOftenAsTheFigureSays(DetectorProtocol protocol, int hosts, double expected) {
        RingFailure measured = RingFailure.measure(protocol, hosts, TRIALS, 12);
        assertThat(measured.probability()).isCloseTo(expected, within(tolerance(measured, expected, TRIALS)));
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"BRR, 4, 2.9e-2", "BRR, 8, 1.1e-2", "BRR, 16, 2.6e-3", "BRR, 32, 6.0e-4", "BRR, 64, 0", "DBRR, 8, 1.7e-5", "DBRR, 64, 0"})
    void failsAsOftenInMoreTrials(DetectorProtocol protocol, int hosts, double expected) {
        RingFailure measured = RingFailure.measure(protocol, hosts, 1_000_000, 13);
        assertThat(measured.probability()).isCloseTo(expected, within(tolerance(measured, expected, 1_000_000)));
    }

    /** Three standard deviations of a difference: both numbers were drawn. Where neither failed often, one failure counts. */
    private static double tolerance(RingFailure measured, double expected, int trials) {
        double p = Math.max(Math.max(expected, measured.probability()), 1.0 / FIXTURE_TRIALS);
        return 3 * Math.sqrt(p * (1 - p) * (1.0 / trials + 1.0 / FIXTURE_TRIALS));
    }

    @ParameterizedTest
    @CsvSource({"BRR, 4", "BRR, 8", "BRR, 16", "DBRR, 8", "RR, 8"})
    void trialsAgreeWithAllSetsOfDeadHosts(DetectorProtocol protocol, int hosts) {
        double exact = RingFailure.exactly(protocol, hosts);
        RingFailure measured = RingFailure.measure(protocol, hosts, 100_000, 14);
        assertThat(measured.probability()).isCloseTo(exact, within(3 * measured.sigma(exact) + 1e-12));
    }

    @Test
    void fourHostsInABinaryRingFailWhenTwoNeighboursAreLeft() {
        double dead = RingFailure.DEAD;
        assertThat(RingFailure.exactly(DetectorProtocol.BRR, 4)).isCloseTo(4 * dead * dead * (1 - dead) * (1 - dead), within(1e-12));
        assertThat(RingFailure.exactly(DetectorProtocol.RR, 8)).as("each sends to each").isZero();
    }
}
