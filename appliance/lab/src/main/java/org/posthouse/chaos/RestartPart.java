package org.posthouse.chaos;

import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.posthouse.launch.job.Restart;

/**
 * Duration of one part of the restarts, by nearest rank.
 *
 * @param name the part
 * @param p50Ns the median
 * @param p90Ns the 90th percentile
 * @param maxNs the longest
 */
record RestartPart(String name, long p50Ns, long p90Ns, long maxNs) {
    /** All parts of those restarts that went to their ends, and their sum; none if there were no such. */
    static List<RestartPart> all(List<Restart> restarts) {
        List<Restart> whole = restarts.stream().filter(Restart::isCaughtUp).toList();
        if (whole.isEmpty()) {
            return List.of();
        }
        return List.of(
                of("detected", whole, Restart::detectedNs),
                of("restarted", whole, Restart::waitedNs),
                of("JVM", whole, Restart::startedNs),
                of("replayed", whole, Restart::replayedNs),
                of("together", whole, Restart::totalNs));
    }

    /** How long it took until followers led; none if there were no such. */
    static List<RestartPart> ofPromotions(List<PromotionAfterKill> promotions) {
        return promotions.isEmpty() ? List.of() : List.of(of("led", promotions, PromotionAfterKill::ledNs));
    }

    /** All parts of what became of relays whose ranks went on; none if there were no such. */
    static List<RestartPart> ofRelays(List<RelayKillOutcome> fates) {
        if (fates.isEmpty()) {
            return List.of();
        }
        return List.of(
                of("serves", fates, fate -> fate.kill().servesNs()),
                of("job back", fates, fate -> fate.loss().downNs()),
                of("ranks back", fates, fate -> fate.loss().ranksNs()));
    }

    /** What followed kills of agents; none if there were no such. */
    static List<RestartPart> ofAgents(List<AgentKillOutcome> fates) {
        return fates.isEmpty() ? List.of() : List.of(of("agent back", fates, fate -> fate.kill().servesNs()));
    }

    /** All parts of what followed kills of launchers whose ranks went on; none if there were no such. */
    static List<RestartPart> ofLaunchers(List<LauncherKill> kills) {
        if (kills.isEmpty()) {
            return List.of();
        }
        return List.of(
                of("started", kills, LauncherKill::startedNs),
                of("job back", kills, LauncherKill::jobNs),
                of("ranks back", kills, LauncherKill::ranksNs));
    }

    private static <T> RestartPart of(String name, List<T> all, ToLongFunction<T> part) {
        long[] sorted = all.stream().mapToLong(part).sorted().toArray();
        return new RestartPart(name, at(sorted, 50), at(sorted, 90), sorted[sorted.length - 1]);
    }

    private static long at(long[] sorted, int percent) {
        return sorted[Math.max(1, (sorted.length * percent + 99) / 100) - 1];
    }

    String row() {
        return String.format(Locale.ROOT, "%-10s %8.3f %8.3f %8.3f", name, p50Ns / 1e9, p90Ns / 1e9, maxNs / 1e9);
    }
}
