package org.posthouse.bench.statistics;

import java.util.Arrays;

/**
 * Warm-up and iterations after which times are believed.
 *
 * @param checks iterations whose bytes are looked at
 * @param iterationsMin of a phase
 * @param phasesMin of a warm-up, which ends when two phases in a row have medians that are near each other,
 * @param phasesMax and at the latest after so many,
 * @param warmTimes but not before so many times as long as a phase is to be
 * @param inStep whether each series measures no more iterations than fit into a phase of the slowest
 */
public record WarmUpPolicy(int checks, int iterationsMin, int phasesMin, int phasesMax, int warmTimes, boolean inStep) {
    /** Iterations of a measured phase on a machine, at least. */
    public static final int ITERATIONS_MIN = 5;

    private static final double STABLE_WITHIN = 0.05;

    /** Pace of a processor, whose code takes a while until it is compiled. */
    public static final WarmUpPolicy OF_A_MACHINE = new WarmUpPolicy(2, ITERATIONS_MIN, 3, 12, 0, true);

    /**
     * The same beside programs that need no warming: two phases of code that is still being compiled may be near each
     * other by chance. Also beside a program that may stand still for 20 ms at each message: in step with it the others
     * would wake from sleep for five messages, and no more.
     */
    public static final WarmUpPolicy OF_TUNNELS = new WarmUpPolicy(2, ITERATIONS_MIN, 3, 12, 20, false);

    /** Of nothing that is measured: behind it the relays' code is compiled, which a program beside them was when it was made. */
    public static final WarmUpPolicy OF_A_COMPILER = new WarmUpPolicy(2, ITERATIONS_MIN, 3, 12, 80, false);

    /** Pace where a network's delay and bandwidth decide. */
    public static final WarmUpPolicy OF_A_NETWORK = new WarmUpPolicy(1, 1, 1, 1, 0, true);

    /** Whether a warm-up is over after so many phases, of which these were the last two, and so many times as long as a phase is to be. */
    public boolean isWarm(int phases, double last, double next, long times) {
        return times >= warmTimes && (phases >= phasesMax || phases >= phasesMin && isStable(last, next));
    }

    /** Number of iterations that each series measures in a phase, of those that would fill it. */
    public int[] measured(int[] filling) {
        int[] measured = filling.clone();
        if (inStep) {
            Arrays.fill(measured, Arrays.stream(filling).min().orElse(0));
        }
        return measured;
    }

    /** Whether two phases in a row are near each other. */
    public boolean isStable(double last, double next) {
        return Math.abs(next - last) <= STABLE_WITHIN * last;
    }
}
