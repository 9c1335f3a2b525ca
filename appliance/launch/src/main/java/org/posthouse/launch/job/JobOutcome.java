package org.posthouse.launch.job;

import java.util.List;

/**
 * The end of a job.
 *
 * @param status 0 if every rank finished well; else the status of what went wrong first
 * @param cause one line that names the rank and what happened; empty if all went well
 * @param left whether the job is not over: its relays keep it, and {@code posthouse resume} continues it
 * @param seconds from the start of the first process to the end of the last
 * @param restarts what was started again, in the order of their ends
 * @param relayLosses relays that it lost and found again
 * @param divergences where ranks that were started again sent or did something else than before, each in one line; the job's
 *     result may be another than without their restarts
 * @param printedOther where they printed something else, likewise
 * @param promotions followers that led their ranks from some moment on, in this order
 * @param followersLost followers that ended before their ranks, in this order
 */
public record JobOutcome(
        int status,
        String cause,
        boolean left,
        double seconds,
        List<Restart> restarts,
        List<RelayLoss> relayLosses,
        List<String> divergences,
        List<String> printedOther,
        List<Promotion> promotions,
        List<FollowerLoss> followersLost) {
    /** Of a job that was not started. */
    public static final JobOutcome NOTHING = new JobOutcome(0, "", false, 0, List.of(), List.of(), List.of(), List.of());

    /** The end of a job that has one process of each rank at a time. */
    public JobOutcome(
            int status, String cause, boolean left, double seconds, List<Restart> restarts, List<RelayLoss> relayLosses, List<String> divergences,
            List<String> printedOther) {
        this(status, cause, left, seconds, restarts, relayLosses, divergences, printedOther, List.of(), List.of());
    }

    /** Whether the job has succeeded. */
    public boolean isSuccess() {
        return status == 0 && cause.isEmpty();
    }
}
