package org.posthouse.faults;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.posthouse.launch.job.FollowerLoss;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.Promotion;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;

/**
 * The kills of one job, each in order, for a comparison with what its launcher reports.
 *
 * @param ranks processes of ranks that led, or were the only ones
 * @param followers processes that followed
 * @param relays relays
 * @param agents agents of nodes
 */
public record InjectedFaults(List<RankKill> ranks, List<RankKill> followers, List<RelayKill> relays, List<AgentKill> agents) {
    public InjectedFaults {
        ranks = List.copyOf(ranks);
        followers = List.copyOf(followers);
        relays = List.copyOf(relays);
        agents = List.copyOf(agents);
    }

    /** The restart that followed the kill of a process that led; null if none did. */
    public Restart restart(RankKill kill, JobOutcome outcome) {
        return outcome.restarts().stream().filter(restart -> isCause(kill, restart)).findFirst().orElse(null);
    }

    /** A number that the relay gave stands between two that the launcher gave, so a restart's need not be the next. */
    private boolean isCause(RankKill kill, Restart restart) {
        return restart.rank() == kill.rank() && restart.incarnation() > kill.incarnation()
                && ranks.stream().noneMatch(later -> later.rank() == kill.rank() && later.incarnation() > kill.incarnation()
                        && later.incarnation() < restart.incarnation());
    }

    /** What the job's launcher reports and no kill has caused, in one line; empty if there is no such thing. */
    public String unexplained(JobOutcome outcome) {
        int[] killedWithAgents = {agents.stream().mapToInt(AgentKill::ranks).sum()};
        return unexplainedRestart(outcome, killedWithAgents)
                .or(() -> unexplainedPromotion(outcome))
                .or(() -> unexplainedLoss(outcome, killedWithAgents))
                .or(() -> unexplainedRelayLoss(outcome))
                .orElse("");
    }

    private Optional<String> unexplainedRestart(JobOutcome outcome, int[] killedWithAgents) {
        List<RankKill> left = ofRanks();
        for (Restart restart : outcome.restarts()) {
            boolean isExplained = restart.lostLauncher() || restart.lostRelay() && !relays.isEmpty()
                    || removed(left, kill -> kill.rank() == restart.rank() && kill.incarnation() < restart.incarnation());
            if (!isExplained && killedWithAgents[0]-- <= 0) {
                return Optional.of("rank " + restart.rank() + " was restarted and nobody killed it: " + restart.cause());
            }
        }
        return Optional.empty();
    }

    /**
     * By what the launcher knows of who led before: that process was killed, or one before it while it was started. A leader whose relay was killed may
     * be slow to come back, and one of its followers leads. One that dies with its agent counts there.
     */
    private Optional<String> unexplainedPromotion(JobOutcome outcome) {
        List<RankKill> left = ofRanks();
        for (Promotion promotion : outcome.promotions()) {
            int before = promotion.before() == 0 ? promotion.number() : promotion.before();
            boolean isExplained = removed(left, kill -> kill.isOf(promotion.rank(), before))
                    || removed(left, kill -> kill.rank() == promotion.rank() && kill.incarnation() < before);
            if (!isExplained && relays.isEmpty() && agents.isEmpty()) {
                return Optional.of("follower " + promotion.process() + " of rank " + promotion.rank() + " leads and nobody killed process "
                        + promotion.before() + ", which led before");
            }
        }
        return Optional.empty();
    }

    /** A rank that was started again at the moment when its relay promoted a follower has fenced it. */
    private Optional<String> unexplainedLoss(JobOutcome outcome, int[] killedWithAgents) {
        for (FollowerLoss loss : outcome.followersLost()) {
            boolean isExplained = followers.stream().anyMatch(kill -> kill.isOf(loss.rank(), loss.process()))
                    || outcome.restarts().stream().anyMatch(restart -> restart.rank() == loss.rank() && restart.incarnation() > loss.process());
            if (!isExplained && relays.isEmpty() && killedWithAgents[0]-- <= 0) {
                return Optional.of("follower " + loss.process() + " of rank " + loss.rank() + " was lost and nobody killed it: " + loss.cause());
            }
        }
        return Optional.empty();
    }

    private Optional<String> unexplainedRelayLoss(JobOutcome outcome) {
        List<String> killed = new ArrayList<>(relays.stream().map(RelayKill::relay).toList());
        for (RelayLoss loss : outcome.relayLosses()) {
            if (!killed.remove(loss.relay())) {
                return Optional.of(String.format(Locale.ROOT, "relay %s was lost for %.2f s and nobody killed it then", loss.relay(), loss.downNs() / 1e9));
            }
        }
        return Optional.empty();
    }

    /** A follower that was killed may have been promoted before anybody noticed. */
    private List<RankKill> ofRanks() {
        List<RankKill> all = new ArrayList<>(ranks);
        all.addAll(followers);
        return all;
    }

    /** Removes the first that matches. @return whether any did */
    private static boolean removed(Collection<RankKill> from, Predicate<RankKill> which) {
        return from.stream().filter(which).findFirst().map(from::remove).orElse(false);
    }
}
