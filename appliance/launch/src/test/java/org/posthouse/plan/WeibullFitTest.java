package org.posthouse.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fit against lifetimes that are drawn from a known distribution. */
class WeibullFitTest {
    private static final int SAMPLES = 10_000;
    private static final double HOUR = 3_600;

    /** Lifetimes of which some were only seen until a time that does not depend on them. @param meanSeen of these times */
    private static List<Lifetime> lifetimes(Weibull model, double meanSeen, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Lifetime> lifetimes = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            double life = Math.pow(-Math.log1p(-random.nextDouble()), 1 / model.delta()) / model.lambda();
            double seen = -Math.log1p(-random.nextDouble()) * meanSeen;
            lifetimes.add(new Lifetime(Math.min(life, seen), life <= seen));
        }
        return lifetimes;
    }

    @ParameterizedTest
    @CsvSource({"0.5, 3", "0.7, 2.7", "1, 2.3", "2.5, 2.2"})
    void theParametersComeBackThoughAThirdOfTheLifetimesIsCutOff(double delta, double seenLives) {
        Weibull model = new Weibull(0.01 / HOUR, delta);
        List<Lifetime> lifetimes = lifetimes(model, seenLives / model.lambda(), 7);
        WeibullFit fit = WeibullFit.of(lifetimes);
        assertThat(fit.lifetimes() - fit.failures()).as("cut off").isBetween(SAMPLES * 25 / 100, SAMPLES * 40 / 100);
        assertThat(fit.model().delta()).isCloseTo(delta, within(0.05 * delta));
        assertThat(fit.model().lambda()).isCloseTo(model.lambda(), within(0.05 * model.lambda()));
    }

    /** If it counted as failures what only was not seen any longer, the rate would be too high. */
    @Test
    void whatIsNotSeenToFailCountsAsTimeWithoutFailure() {
        List<Lifetime> lifetimes = lifetimes(new Weibull(0.01 / HOUR, 1), 230 * HOUR, 7);
        WeibullFit all = WeibullFit.of(lifetimes.stream().map(each -> new Lifetime(each.seconds(), true)).toList());
        assertThat(all.model().lambda()).isGreaterThan(1.3 * 0.01 / HOUR);
    }

    @Test
    void tooFewFailuresAreNoSample() {
        List<Lifetime> lifetimes = new ArrayList<>(Collections.nCopies(100, new Lifetime(HOUR, false)));
        for (int i = 1; i < WeibullFit.FAILURES_MIN; i++) {
            lifetimes.add(new Lifetime(i * HOUR, true));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> WeibullFit.of(lifetimes))
                .withMessage("9 failures in 109 lifetimes of nodes, expected at least 10");
        lifetimes.add(new Lifetime(HOUR / 2, true));
        assertThat(WeibullFit.of(lifetimes).failures()).isEqualTo(WeibullFit.FAILURES_MIN);
    }

    @Test
    void failuresOfOneAgeHaveNoDistribution() {
        assertThatIllegalArgumentException().isThrownBy(() -> WeibullFit.of(Collections.nCopies(20, new Lifetime(HOUR, true))))
                .withMessage("the 20 failures in 20 lifetimes of nodes have nearly one age, expected several");
    }

    @Test
    void aLifetimeOfNothingIsTaken() {
        List<Lifetime> lifetimes = new ArrayList<>(lifetimes(new Weibull(1, 1), 2, 3));
        lifetimes.add(new Lifetime(0, true));
        assertThat(WeibullFit.of(lifetimes).model().delta()).isBetween(0.9, 1.1);
    }
}
