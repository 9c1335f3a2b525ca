package org.posthouse.ops;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.posthouse.status.JobActivity;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankActivity;
import org.posthouse.status.RelayEvent;

/**
 * What the ranks of a job have done in each second of the last minutes. Immutable.
 *
 * @param job     the job's id
 * @param size    number of its ranks
 * @param from    begin of the first second, milliseconds since 1970 UTC
 * @param stepMs  a second
 * @param ranks   by rank, as many seconds of each
 * @param marks   losses, restarts and checkpoints of ranks in that time
 * @param missing home relays that did not answer: their ranks are missing
 */
record JobTimeline(String job, int size, long from, long stepMs, List<RankActivity> ranks, List<Mark> marks, List<String> missing) {
    private static final long STEP_MS = 1_000;
    private static final Set<String> KINDS = Set.of("RANK_LOST", "RANK_RESTARTED", "RANK_CAUGHT_UP", "RANK_DIVERGED", "CHECKPOINT");

    /**
     * One event of a rank.
     *
     * @param at   milliseconds since 1970 UTC
     * @param rank the rank
     * @param kind its kind
     */
    record Mark(long at, int rank, String kind) {}

    /** @param events of the job, of all kinds and times */
    static JobTimeline of(JobStatus job, List<JobActivity> told, List<RelayEvent> events, List<String> missing) {
        long from = told.stream().filter(activity -> !activity.ranks().isEmpty()).mapToLong(JobActivity::from).max().orElse(0);
        List<RankActivity> ranks = told.stream()
                .flatMap(activity -> activity.ranks().stream().map(rank -> shifted(rank, (int) ((from - activity.from()) / STEP_MS))))
                .sorted(Comparator.comparingInt(RankActivity::rank))
                .toList();
        List<Mark> marks = events.stream()
                .filter(event -> KINDS.contains(event.kind()) && event.at() >= from)
                .map(event -> new Mark(event.at(), event.rank(), event.kind()))
                .toList();
        return new JobTimeline(job.id(), job.size(), from, STEP_MS, ranks, marks, missing);
    }

    /** Relays answer in different seconds, and have clocks of their own: an earlier window leaves its first seconds out, and has none at its end. */
    private static RankActivity shifted(RankActivity rank, int seconds) {
        return seconds == 0 ? rank : new RankActivity(rank.rank(), shifted(rank.sent(), seconds), shifted(rank.delivered(), seconds), rank.waits());
    }

    private static List<Long> shifted(List<Long> values, int seconds) {
        List<Long> shifted = new ArrayList<>(values.subList(Math.min(seconds, values.size()), values.size()));
        while (shifted.size() < values.size()) {
            shifted.add(0L);
        }
        return shifted;
    }
}
