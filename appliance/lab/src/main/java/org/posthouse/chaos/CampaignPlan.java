package org.posthouse.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.posthouse.faults.KillTarget;
import org.posthouse.faults.PlannedKill;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.provision.AgentProcess;

/**
 * The plan of a campaign.
 *
 * @param job the job to run again and again; its ranks may be killed {@link #KILLS_PER_RUN_MAX} times each: logged, or with followers of all ranks
 * @param reach the relays that it runs on
 * @param relays the same as processes that may be killed
 * @param agents those of the nodes, which may be killed; none if the job runs without nodes
 * @param kills number of processes to kill, from 1
 * @param followerEvery of the kills of ranks each one of so many is of a process that follows; 0: none is
 * @param relayEvery each kill of so many is one of a relay; 0: none is, as in a job without a log
 * @param agentEvery each kill before one of so many is one of an agent; 0: none is
 * @param launcherEvery the first kill and each one so many later is of a launcher, even if it were of a relay
 *     otherwise; 0: none is
 * @param seed decides which ranks and relays, and at which moments of the run without kills
 * @param runSecondsMax seconds that one run may take at least before it counts as hung, from 1
 */
public record CampaignPlan(
        JobSpec job,
        PlacementRequest reach,
        List<RelayProcess> relays,
        List<AgentProcess> agents,
        int kills,
        int followerEvery,
        int relayEvery,
        int agentEvery,
        int launcherEvery,
        long seed,
        int runSecondsMax) {
    /** So many kills hit one run at most, and maybe all the same rank. */
    public static final int KILLS_PER_RUN_MAX = 3;

    /** One kill of so many comes at any moment of the job, JVM starts and ends included; the others while ranks communicate. */
    private static final int ANY_MOMENT_ONE_OF = 5;

    /** Of what a run takes without kills. */
    private static final int TIMES_WITHOUT_KILLS = 8;

    public CampaignPlan {
        relays = List.copyOf(relays);
        agents = List.copyOf(agents);
        if (kills < 1 || runSecondsMax < 1 || followerEvery < 0 || relayEvery < 0 || agentEvery < 0 || launcherEvery < 0) {
            throw new IllegalArgumentException(
                    "kills " + kills + " and run seconds " + runSecondsMax + ", expected 1 or more; follower every " + followerEvery + ", relay every "
                            + relayEvery
                            + ", agent every " + agentEvery + " and launcher every " + launcherEvery + ", expected 0 or more");
        }
        if (followerEvery > 0 && !job.replicas().areWanted()) {
            throw new IllegalArgumentException("kills of followers, which no rank has");
        }
        if (relayEvery > 0 && !job.logged()) {
            throw new IllegalArgumentException("kills of relays, which a job without a log does not endure");
        }
        if (!job.goesOn() || job.patience().maxRestarts() < KILLS_PER_RUN_MAX) {
            throw new IllegalArgumentException("a job that does not endure " + KILLS_PER_RUN_MAX + " kills: " + job.patience());
        }
    }

    /** Whether any rank has several processes. */
    boolean isReplicated() {
        return job.replicas().areWanted();
    }

    /**
     * Seconds that a run may take before it counts as hung, on a host where one without kills takes as long as
     * {@code baseline}. Kills and restarts take several times as long as messages do, and all of it is slow together.
     */
    long runSecondsMax(Baseline baseline) {
        return Math.max(runSecondsMax, TIMES_WITHOUT_KILLS * baseline.totalMs() / 1_000);
    }

    /**
     * The kills of one run, whose number decides with the seed and with the kills that there were before: what has missed is still owed.
     *
     * @param run its number, from 1
     * @param hit whose processes were killed in the runs before
     */
    List<PlannedKill> strikes(int run, List<KillTarget> hit, Baseline baseline) {
        Random random = new Random(seed * 1_000_003 + run);
        List<KillTarget> owed = new ArrayList<>(victims());
        hit.forEach(owed::remove);
        int count = Math.min(owed.size(), 1 + random.nextInt(KILLS_PER_RUN_MAX));
        List<PlannedKill> strikes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean anyMoment = random.nextInt(ANY_MOMENT_ONE_OF) == 0;
            long windowMs = anyMoment ? baseline.totalMs() : baseline.windowMs();
            KillTarget whose = owed.get(i);
            int number = random.nextInt(number(whose));
            strikes.add(new PlannedKill(whose, number, !anyMoment, (long) (random.nextDouble() * windowMs)));
        }
        return strikes;
    }

    private int number(KillTarget whose) {
        return switch (whose) {
            case RELAY -> relays.size();
            case AGENT -> agents.size();
            case RANK, FOLLOWER, LAUNCHER -> job.ranks();
        };
    }

    /** Of all kills. The last of each {@link #followerEvery} that would hit a rank hits a follower. */
    private List<KillTarget> victims() {
        List<KillTarget> victims = new ArrayList<>();
        int ranks = 0;
        for (int kill = 1; kill <= kills; kill++) {
            KillTarget victim = victim(kill);
            ranks += victim == KillTarget.RANK ? 1 : 0;
            boolean isOfFollower = victim == KillTarget.RANK && followerEvery > 0 && ranks % followerEvery == 0;
            victims.add(isOfFollower ? KillTarget.FOLLOWER : victim);
        }
        return victims;
    }

    /** @param kill its number, from 1. Those of relays are multiples, those of launchers are not: the same N for both gives both */
    private KillTarget victim(int kill) {
        if (launcherEvery > 0 && (kill - 1) % launcherEvery == 0) {
            return KillTarget.LAUNCHER;
        }
        if (agentEvery > 0 && (kill + 1) % agentEvery == 0) {
            return KillTarget.AGENT;
        }
        return relayEvery > 0 && kill % relayEvery == 0 ? KillTarget.RELAY : KillTarget.RANK;
    }
}
