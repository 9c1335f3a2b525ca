package org.posthouse.ops;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayStatus;

/**
 * Puts together one view of each job from what several relays report. Stateless.
 *
 * <p>For each rank the report with the highest incarnation wins, because older ones are fenced. Between reports of one
 * incarnation the home relay's wins: only it has the counters. The job's own fields come from the relay that started it
 * first and, between equals, from the first relay; but each relay has divergences of its own.
 */
final class JobBoard {

    /** A job that runs for a month stands above those that have ended meanwhile. */
    private static final Comparator<JobStatus> LIVE_AND_NEWEST_FIRST = Comparator.comparing(JobStatus::live)
            .thenComparingLong(JobStatus::startedAt).reversed().thenComparing(JobStatus::id);

    private JobBoard() {}

    static List<JobStatus> merge(List<RelayStatus> relays) {
        Map<String, JobStatus> heads = new LinkedHashMap<>();
        Map<String, Map<Integer, Report>> ranks = new LinkedHashMap<>();
        for (RelayStatus relay : relays) {
            for (JobStatus job : relay.jobs()) {
                heads.merge(job.id(), job, JobStatus::merge);
                Map<Integer, Report> reports = ranks.computeIfAbsent(job.id(), id -> new TreeMap<>());
                for (RankStatus rank : job.ranks()) {
                    reports.merge(rank.rank(), new Report(relay.relay(), rank), JobBoard::better);
                }
            }
        }
        List<JobStatus> merged = new ArrayList<>(heads.size());
        heads.forEach((id, head) -> merged.add(head.with(ranks.get(id).values().stream().map(Report::rank).toList())));
        merged.sort(LIVE_AND_NEWEST_FIRST);
        return List.copyOf(merged);
    }

    private record Report(String reporter, RankStatus rank) {
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
}
