package org.posthouse.plan;

import java.util.List;

/**
 * The Weibull distribution under which observed lifetimes are most likely (maximum likelihood, with right-censored ones).
 *
 * @param model the distribution
 * @param lifetimes observed
 * @param failures of them
 */
public record WeibullFit(Weibull model, int lifetimes, int failures) {
    /** Fewest failures for a fit: with ten the error of delta is about a quarter of it. */
    public static final int FAILURES_MIN = 10;

    /** What is shorter counts as this: the equation needs logarithms. */
    private static final double SECONDS_MIN = 1e-3;

    private static final double DELTA_MIN = 1e-3;
    private static final double DELTA_MAX = 1e3;

    /** Halvings of the interval in which delta is: as many as a double has bits. */
    private static final int HALVINGS = 64;

    /** @throws IllegalArgumentException if there are too few failures, or all have one age: no distribution fits best then */
    public static WeibullFit of(List<Lifetime> lifetimes) {
        int failures = (int) lifetimes.stream().filter(Lifetime::failed).count();
        if (failures < FAILURES_MIN) {
            throw new IllegalArgumentException(
                    failures + (failures == 1 ? " failure" : " failures") + " in " + lifetimes.size() + " lifetimes of nodes, expected at least "
                            + FAILURES_MIN);
        }
        double longest = lifetimes.stream().mapToDouble(WeibullFit::seconds).max().orElseThrow();
        double[] ages = lifetimes.stream().mapToDouble(each -> seconds(each) / longest).toArray();
        double meanLogFailed = lifetimes.stream().filter(Lifetime::failed).mapToDouble(each -> Math.log(seconds(each) / longest)).sum() / failures;
        double delta = delta(ages, meanLogFailed);
        if (delta <= 2 * DELTA_MIN || delta >= DELTA_MAX / 2) {
            throw new IllegalArgumentException(
                    "the " + failures + " failures in " + lifetimes.size() + " lifetimes of nodes have nearly one age, expected several");
        }
        double powers = 0;
        for (double age : ages) {
            powers += Math.pow(age, delta);
        }
        return new WeibullFit(new Weibull(Math.pow(failures / powers, 1 / delta) / longest, delta), lifetimes.size(), failures);
    }

    private static double seconds(Lifetime lifetime) {
        return Math.max(SECONDS_MIN, lifetime.seconds());
    }

    /** The root of the likelihood's derivative, which rises with delta. */
    private static double delta(double[] ages, double meanLogFailed) {
        double low = Math.log(DELTA_MIN);
        double high = Math.log(DELTA_MAX);
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (low + high) / 2;
            if (slope(ages, meanLogFailed, Math.exp(middle)) < 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.exp((low + high) / 2);
    }

    /** @param ages at most 1, so that no power is too large */
    private static double slope(double[] ages, double meanLogFailed, double delta) {
        double powers = 0;
        double weighted = 0;
        for (double age : ages) {
            double power = Math.pow(age, delta);
            powers += power;
            weighted += power * Math.log(age);
        }
        return weighted / powers - 1 / delta - meanLogFailed;
    }
}
