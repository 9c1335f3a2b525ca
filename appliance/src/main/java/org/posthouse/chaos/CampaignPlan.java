package org.posthouse.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.posthouse.launch.JobSpec;
import org.posthouse.launch.Reach;

/**
 * What a campaign is to do.
 *
 * @param job what runs again and again; logged, and its ranks may be killed {@link #KILLS_PER_RUN_MAX} times each
 * @param reach the relays that it runs on
 * @param kills how many ranks are killed, from 1
 * @param seed decides which, and at which moments of the run without kills
 * @param runSecondsMax how long one run may take before it counts as hung, from 1
 */
public record CampaignPlan(JobSpec job, Reach reach, int kills, long seed, int runSecondsMax) {
    /** So many kills hit one run at most, and maybe all the same rank. */
    public static final int KILLS_PER_RUN_MAX = 3;

    /** One kill of so many comes at any moment of the job, JVM starts and ends included; the others while ranks communicate. */
    private static final int ANY_MOMENT_ONE_OF = 5;

    public CampaignPlan {
        if (kills < 1 || runSecondsMax < 1) {
            throw new IllegalArgumentException("kills " + kills + " and run seconds " + runSecondsMax + ", expected 1 or more");
        }
        if (!job.logged() || job.patience().maxRestarts() < KILLS_PER_RUN_MAX) {
            throw new IllegalArgumentException("a job that does not endure " + KILLS_PER_RUN_MAX + " kills: " + job.patience());
        }
    }

    /**
     * The kills of one run, whose number decides with the seed, whatever the runs before did.
     *
     * @param run its number, from 1
     * @param killsLeft how many there are still to be
     */
    List<Strike> strikes(int run, int killsLeft, Baseline baseline) {
        Random random = new Random(seed * 1_000_003 + run);
        int count = Math.min(killsLeft, 1 + random.nextInt(KILLS_PER_RUN_MAX));
        List<Strike> strikes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean anyMoment = random.nextInt(ANY_MOMENT_ONE_OF) == 0;
            long windowMs = anyMoment ? baseline.totalMs() : baseline.windowMs();
            strikes.add(new Strike(random.nextInt(job.ranks()), !anyMoment, (long) (random.nextDouble() * windowMs)));
        }
        return strikes;
    }
}
