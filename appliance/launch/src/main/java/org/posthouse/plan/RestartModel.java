package org.posthouse.plan;

/**
 * The probability that all copies of a rank are away at once, if each lost copy is started again elsewhere from what the others have: a Markov chain of the
 * copies that are away. Lifetimes and the times of restarts are exponential there, so a host's hazard counts by its mean over the job.
 */
final class RestartModel {
    /** Terms of the series for one step, in which half a change is to be expected: the rest is below 1e-60 of what the terms for the degree give. */
    private static final int TERMS = 48;

    private static final double CHANGES_PER_STEP = 0.5;

    private RestartModel() {}

    /**
     * @param hazard of one copy over the whole time
     * @param seconds the job's time
     * @param restartSeconds mean time until a lost copy is there again
     */
    static double lost(int degree, double hazard, double seconds, double restartSeconds) {
        double[][] rates = new double[degree + 1][degree + 1];
        double fastest = 0;
        for (int away = 0; away < degree; away++) {
            rates[away][away + 1] = (degree - away) * hazard;
            if (away > 0) {
                rates[away][away - 1] = away * seconds / restartSeconds;
            }
            fastest = Math.max(fastest, rates[away][away + 1] + (away > 0 ? rates[away][away - 1] : 0));
        }
        int doublings = Math.max(0, Math.getExponent(fastest / CHANGES_PER_STEP) + 1);
        double[][] step = step(rates, fastest, Math.scalb(1.0, -doublings));
        for (int i = 0; i < doublings; i++) {
            step = normalized(product(step, step));
        }
        return step[0][degree];
    }

    /** The exponential of the rates by uniformization: a sum without a negative term, which keeps the digits of small entries. */
    private static double[][] step(double[][] rates, double fastest, double part) {
        int size = rates.length;
        double[][] jump = new double[size][size];
        for (int from = 0; from < size; from++) {
            double left = 0;
            for (int to = 0; to < size; to++) {
                jump[from][to] = rates[from][to] / fastest;
                left += rates[from][to];
            }
            jump[from][from] = Math.max(0, 1 - left / fastest);
        }
        double[][] sum = new double[size][size];
        double[][] power = new double[size][size];
        for (int i = 0; i < size; i++) {
            power[i][i] = Math.exp(-fastest * part);
        }
        for (int term = 1; term <= TERMS + size; term++) {
            add(sum, power);
            power = product(power, jump);
            scale(power, fastest * part / term);
        }
        return normalized(sum);
    }

    private static void add(double[][] sum, double[][] more) {
        for (int i = 0; i < sum.length; i++) {
            for (int j = 0; j < sum.length; j++) {
                sum[i][j] += more[i][j];
            }
        }
    }

    private static void scale(double[][] matrix, double factor) {
        for (double[] row : matrix) {
            for (int j = 0; j < row.length; j++) {
                row[j] *= factor;
            }
        }
    }

    private static double[][] product(double[][] left, double[][] right) {
        int size = left.length;
        double[][] product = new double[size][size];
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < size; k++) {
                for (int j = 0; j < size; j++) {
                    product[i][j] += left[i][k] * right[k][j];
                }
            }
        }
        return product;
    }

    /** Rounding must not add up over the doublings. */
    private static double[][] normalized(double[][] matrix) {
        for (double[] row : matrix) {
            double sum = 0;
            for (double entry : row) {
                sum += entry;
            }
            for (int j = 0; j < row.length; j++) {
                row[j] /= sum;
            }
        }
        return matrix;
    }
}
