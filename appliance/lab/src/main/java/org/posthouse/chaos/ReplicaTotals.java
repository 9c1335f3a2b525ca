package org.posthouse.chaos;

import java.util.Locale;
import org.posthouse.launch.job.JobOutcome;

/**
 * What became of the processes of replicated ranks in all runs of a campaign.
 *
 * @param promotions number of followers that led from some moment on
 * @param restarts number of processes of ranks that were started again from their log
 * @param followersLost number of followers that ended before their ranks
 * @param diverged number of processes that sent or did something else than their leaders, or than before
 */
record ReplicaTotals(int promotions, int restarts, int followersLost, int diverged) {
    static final ReplicaTotals NONE = new ReplicaTotals(0, 0, 0, 0);

    ReplicaTotals plus(JobOutcome outcome) {
        return new ReplicaTotals(
                promotions + outcome.promotions().size(), restarts + outcome.restarts().size(), followersLost + outcome.followersLost().size(),
                diverged + outcome.divergences().size());
    }

    /** One line for people. */
    String words() {
        return String.format(Locale.ROOT, "%,d promotions, %,d restarts, %,d followers lost, %,d diverged", promotions, restarts, followersLost, diverged);
    }
}
