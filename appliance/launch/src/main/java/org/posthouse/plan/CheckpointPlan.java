package org.posthouse.plan;

/**
 * The interval of checkpoints that costs a rank of a logged job the least time, as only a failed rank runs again (Young's formula, with the failures of one
 * host).
 *
 * @param intervalSeconds between two checkpoints of a rank
 * @param slowdown part of the job's time that checkpoints, repeated work and restarts take
 * @param restarts of all ranks' hosts that are to be expected
 */
public record CheckpointPlan(double intervalSeconds, double slowdown, double restarts) {
    /**
     * @param costSeconds time of one checkpoint
     * @param restartSeconds time until a lost rank runs again
     * @param hazard of the host that is most at risk, over the job's time
     * @param seconds the job's time
     * @param restarts the hazard of all hosts
     */
    static CheckpointPlan best(double costSeconds, double restartSeconds, double hazard, double seconds, double restarts) {
        double betweenFailures = seconds / hazard;
        double interval = Math.sqrt(2 * costSeconds * betweenFailures);
        double slowdown = costSeconds / interval + interval / (2 * betweenFailures) + restartSeconds / betweenFailures;
        return new CheckpointPlan(interval, slowdown, restarts);
    }
}
