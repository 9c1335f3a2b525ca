package org.posthouse.ops;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts together one view of each job from what several relays report. Stateless.
 *
 * <p>For each rank the report with the highest incarnation wins, because older ones are fenced. Between reports of one
 * incarnation the home relay's wins: only it has the counters. The job's own fields come from the relay that started it
 * first and, between equals, from the first relay; but each relay has divergences of its own.
 */
final class JobBoard {

    /** A job that runs for a month stands above those that have ended meanwhile. */
    private static final Comparator<JobView> LIVE_AND_NEWEST_FIRST = Comparator.comparing(JobView::live)
            .thenComparingLong(JobView::startedAt).reversed().thenComparing(JobView::id);

    private JobBoard() {}

    static List<JobView> merge(List<RelaySnapshot> relays) {
        Map<String, JobView> heads = new LinkedHashMap<>();
        Map<String, Map<Integer, Report>> ranks = new LinkedHashMap<>();
        for (RelaySnapshot relay : relays) {
            for (JobView job : relay.jobs()) {
                heads.merge(job.id(), job, JobBoard::merged);
                Map<Integer, Report> reports = ranks.computeIfAbsent(job.id(), id -> new TreeMap<>());
                for (RankView rank : job.ranks()) {
                    reports.merge(rank.rank(), new Report(relay.relay(), rank), JobBoard::better);
                }
            }
        }
        List<JobView> merged = new ArrayList<>(heads.size());
        heads.forEach((id, head) -> merged.add(withRanks(head, ranks.get(id))));
        merged.sort(LIVE_AND_NEWEST_FIRST);
        return List.copyOf(merged);
    }

    private static JobView merged(JobView a, JobView b) {
        JobView head = b.startedAt() < a.startedAt() ? b : a;
        String divergence = a.divergence().isEmpty() ? b.divergence() : a.divergence();
        return new JobView(head.id(), head.name(), head.size(), head.durability(), head.state(), head.startedAt(), head.ranks(),
                a.divergences() + b.divergences(), divergence, soonest(a.launcherAwaitedUntil(), b.launcherAwaitedUntil()),
                Math.max(a.standsStillSince(), b.standsStillSince()), head.owner(), a.reservedBytes() + b.reservedBytes(),
                a.pinnedBytes() + b.pinnedBytes());
    }

    /** The first relay to end the job ends it for all. */
    private static long soonest(long a, long b) {
        return a == 0 || b == 0 ? Math.max(a, b) : Math.min(a, b);
    }

    private record Report(String reporter, RankView rank) {
        boolean fromHome() {
            return reporter.equals(rank.relay());
        }
    }

    private static Report better(Report a, Report b) {
        if (a.rank.incarnation() != b.rank.incarnation()) {
            return a.rank.incarnation() > b.rank.incarnation() ? a : b;
        }
        return !a.fromHome() && b.fromHome() ? b : a;
    }

    private static JobView withRanks(JobView head, Map<Integer, Report> reports) {
        List<RankView> ranks = reports.values().stream().map(Report::rank).toList();
        return new JobView(
                head.id(), head.name(), head.size(), head.durability(), head.state(), head.startedAt(), ranks,
                head.divergences(), head.divergence(), head.launcherAwaitedUntil(), head.standsStillSince(), head.owner(), head.reservedBytes(),
                head.pinnedBytes());
    }
}
