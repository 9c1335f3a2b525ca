package org.posthouse.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The results of a campaign.
 *
 * @param plan the campaign's plan
 * @param baseline the run without kills
 * @param runs number of runs that followed it
 * @param failedRuns number of failed runs, hit or not
 * @param fates the ranks that were killed, in order
 * @param followerFates the processes that followed and were killed, in order
 * @param relayFates the relays that were killed, in order
 * @param agentFates the agents that were killed, in order
 * @param launcherFates the launchers that were killed, in order
 * @param replicas what became of replicated ranks in all runs
 * @param unhit why fewer were killed than planned; empty if all were
 * @param lostRelay why a relay that was killed did not come back, which has ended the campaign; empty if all did
 */
public record CampaignReport(
        CampaignPlan plan,
        Baseline baseline,
        int runs,
        int failedRuns,
        List<KillOutcome> fates,
        List<FollowerKillOutcome> followerFates,
        List<RelayKillOutcome> relayFates,
        List<AgentKillOutcome> agentFates,
        List<LauncherKillOutcome> launcherFates,
        ReplicaTotals replicas,
        String unhit,
        String lostRelay) {
    public CampaignReport {
        fates = List.copyOf(fates);
        followerFates = List.copyOf(followerFates);
        relayFates = List.copyOf(relayFates);
        agentFates = List.copyOf(agentFates);
        launcherFates = List.copyOf(launcherFates);
    }

    private long verified() {
        return fates.stream().filter(KillOutcome::isVerified).count() + followerFates.stream().filter(FollowerKillOutcome::isVerified).count()
                + relayFates.stream().filter(RelayKillOutcome::isVerified).count()
                + agentFates.stream().filter(AgentKillOutcome::isVerified).count() + launcherFates.stream().filter(LauncherKillOutcome::isVerified).count();
    }

    /** Whether as many processes as planned were killed, and every run verified. */
    public boolean isSuccess() {
        return failedRuns == 0 && verified() == plan.kills();
    }

    private String verdict() {
        return verified() + " of " + plan.kills() + " verify"
                + (failedRuns == 0 ? "" : "; " + failedRuns + " of " + runs + " runs failed")
                + (unhit.isEmpty() ? "" : "; " + unhit);
    }

    private List<RestartPart> parts() {
        return RestartPart.all(fates.stream().map(KillOutcome::restart).filter(Objects::nonNull).filter(restart -> !restart.lostLauncher()).toList());
    }

    private List<RestartPart> leadParts() {
        return RestartPart.ofPromotions(fates.stream().map(KillOutcome::leads).filter(Objects::nonNull).toList());
    }

    private List<RestartPart> relayParts() {
        return RestartPart.ofRelays(relayFates.stream().filter(RelayKillOutcome::isWhole).toList());
    }

    private List<RestartPart> launcherParts() {
        return RestartPart.ofLaunchers(launcherFates.stream().filter(LauncherKillOutcome::isWhole).map(LauncherKillOutcome::kill).toList());
    }

    /** Prints the table of the parts and the verdict. */
    public void print(PrintStream out) {
        print(out, "ranks", parts());
        print(out, "followers", leadParts());
        print(out, "relays", relayParts());
        print(out, "agents", RestartPart.ofAgents(agentFates));
        print(out, "launchers", launcherParts());
        out.println();
        if (plan.isReplicated()) {
            out.println(replicas.words());
        }
        out.println(verdict());
    }

    private static void print(PrintStream out, String who, List<RestartPart> parts) {
        if (!parts.isEmpty()) {
            out.println();
            out.printf("%-10s %8s %8s %8s  (seconds)%n", who, "p50", "p90", "max");
            parts.forEach(part -> out.println(part.row()));
        }
    }

    /** The same, and every kill, for programs. */
    public String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("job", plan.job().name());
        all.put("arguments", plan.job().arguments());
        all.put("ranks", plan.job().ranks());
        all.put("seed", plan.seed());
        all.put("kills", plan.kills());
        all.put("verified", verified());
        all.put("verdict", verdict());
        all.put("runs", runs);
        all.put("failedRuns", failedRuns);
        all.put("withoutKills", baseline);
        all.put("parts", parts());
        all.put("killed", fates);
        all.put("replicas", plan.job().replicas().toString());
        all.put("followerEvery", plan.followerEvery());
        all.put("replicaTotals", replicas);
        all.put("leadParts", leadParts());
        all.put("followersKilled", followerFates);
        all.put("relayEvery", plan.relayEvery());
        all.put("relayParts", relayParts());
        all.put("relaysKilled", relayFates);
        all.put("agentEvery", plan.agentEvery());
        all.put("agentParts", RestartPart.ofAgents(agentFates));
        all.put("agentsKilled", agentFates);
        all.put("launcherEvery", plan.launcherEvery());
        all.put("launcherParts", launcherParts());
        all.put("launchersKilled", launcherFates);
        try {
            return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a report that cannot be written as JSON", e);
        }
    }
}
