package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The figures of single batches come from a separate program in another language. */
class EpTallyTest {

    @Test
    void firstBatchHasTheKnownCountsAndSums() {
        EpTally tally = new EpTally();
        tally.addBatch(0);

        assertThat(tally.counts()).containsExactly(24_010, 22_707, 4_297, 265, 6, 0, 0, 0, 0, 0);
        assertThat(tally.sums()[0]).isCloseTo(77.72321454195506, within(1e-9));
        assertThat(tally.sums()[1]).isCloseTo(27.905540154722598, within(1e-9));
    }

    @Test
    void laterBatchStartsAtItsOwnPlaceInTheSequence() {
        EpTally tally = new EpTally();
        tally.addBatch(255);

        assertThat(tally.counts()).containsExactly(24_124, 22_858, 4_327, 243, 6, 0, 0, 0, 0, 0);
        assertThat(tally.sums()[0]).isCloseTo(-137.93914640651124, within(1e-9));
        assertThat(tally.sums()[1]).isCloseTo(-217.6463326507754, within(1e-9));
    }

    @Test
    void allBatchesOfClassSGiveThePublishedResult() {
        EpTally tally = new EpTally();
        for (int batch = 0; batch < EpClass.S.batches(); batch++) {
            tally.addBatch(batch);
        }

        long pairs = 0;
        for (long count : tally.counts()) {
            pairs += count;
        }
        assertThat(EpClass.S.verifies(tally.sums(), pairs)).isTrue();
    }

    @Test
    void verificationNoticesTheNinthDigitAndOneLostPair() {
        double sumX = -3.247834652034740e+3;
        double sumY = -6.958407078382297e+3;

        assertThat(EpClass.S.verifies(new double[] {sumX, sumY}, 13_176_389)).isTrue();
        assertThat(EpClass.S.verifies(new double[] {sumX * (1 + 2e-8), sumY}, 13_176_389)).isFalse();
        assertThat(EpClass.S.verifies(new double[] {sumX, sumY * (1 - 2e-8)}, 13_176_389)).isFalse();
        assertThat(EpClass.S.verifies(new double[] {sumX, sumY}, 13_176_388)).isFalse();
        assertThat(EpClass.S.verifies(new double[] {Double.NaN, sumY}, 13_176_389)).isFalse();
    }
}
