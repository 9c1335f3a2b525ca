package org.posthouse.plan;

/**
 * The Weibull distribution of a lifetime: {@code f(t) = 1 - exp(-(lambda t)^delta)}.
 *
 * @param lambda rate a second, above 0
 * @param delta shape, above 0; below 1 what is old fails less often than what is new, as machines do
 */
public record Weibull(double lambda, double delta) {
    public Weibull {
        if (!(lambda > 0) || !(delta > 0) || Double.isInfinite(lambda) || Double.isInfinite(delta)) {
            throw new IllegalArgumentException("lambda " + lambda + " and delta " + delta + ", expected numbers above 0");
        }
    }

    /**
     * The cumulative hazard from one age to a later one: the failures to be expected if each is repaired at once.
     *
     * @param uptime seconds; what has lived so long
     * @param seconds from then on
     */
    public double hazard(double uptime, double seconds) {
        if (uptime <= 0) {
            return Math.pow(lambda * seconds, delta);
        }
        return Math.pow(lambda * uptime, delta) * Math.expm1(delta * Math.log1p(seconds / uptime)); // The difference of two powers would cancel.
    }

    /** The probability that what has lived for {@code uptime} fails within {@code seconds} from then on. */
    public double failure(double uptime, double seconds) {
        return -Math.expm1(-hazard(uptime, seconds));
    }
}
