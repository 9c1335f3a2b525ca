package org.posthouse.relay;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.posthouse.core.Job;
import org.posthouse.ops.OutputQuery;
import org.posthouse.status.JobOutput;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobReport;
import org.posthouse.wire.WireException;

/**
 * What launchers have reported of their jobs' ranks, for the console. Confined to the relay's control strand.
 *
 * <p>Bound: a node's name for each rank of the open jobs, and for {@value #FOLLOWERS_MAX} of its followers, and {@link OutputTails}.
 */
final class JobReports {
    /** Most followers of a rank whose nodes are kept. More than live: lost ones are not reported. */
    private static final int FOLLOWERS_MAX = 64;

    private final Map<Long, Map<Integer, String>> nodes = new HashMap<>();

    /** By job and rank, the nodes of processes that follow it, by their numbers. */
    private final Map<Long, Map<Integer, SortedMap<Integer, String>>> followers = new HashMap<>();
    private final OutputTails output = new OutputTails();

    /**
     * Takes a report about an open job.
     *
     * @param events gets restarts that are complete
     * @throws WireException if it is about none of its ranks
     */
    void on(JobReport report, OpenJob job, RelayEvents events) throws WireException {
        if (report.rank() >= job.opening().size()) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "JOB_REPORT of rank " + report.rank() + " of job " + Job.hexId(job.id()) + ", expected 0 to " + (job.opening().size() - 1));
        }
        switch (report.kind()) {
            case JobReport.NODE -> nodes.computeIfAbsent(job.id(), unseen -> new HashMap<>()).put(report.rank(), report.text());
            case JobReport.FOLLOWER -> {
                SortedMap<Integer, String> ofRank = followers.computeIfAbsent(job.id(), unseen -> new HashMap<>())
                        .computeIfAbsent(report.rank(), unseen -> new TreeMap<>());
                ofRank.put((int) report.number(), report.text());
                if (ofRank.size() > FOLLOWERS_MAX) {
                    ofRank.remove(ofRank.firstKey());
                }
            }
            case JobReport.RESTART -> events.add("RANK_RECOVERED", Job.hexId(job.id()), report.rank(), report.text());
            default -> output.add(report, System.currentTimeMillis());
        }
    }

    /** The name of the node that runs a rank; empty if it runs beside its launcher, or that is not known. */
    String nodeOf(long job, int rank) {
        return nodes.getOrDefault(job, Map.of()).getOrDefault(rank, "");
    }

    /** The same of a process that follows the rank. */
    String nodeOfFollower(long job, int rank, int process) {
        return followers.getOrDefault(job, Map.of()).getOrDefault(rank, Collections.emptySortedMap()).getOrDefault(process, "");
    }

    /** The newest lines that a job's ranks have printed. */
    JobOutput output(long job, OutputQuery query) {
        return output.of(job, query);
    }

    /** The job has ended. @param shown the ended jobs that are still shown, whose output stays */
    void onEnded(long job, Set<Long> shown) {
        nodes.remove(job);
        followers.remove(job);
        output.onEnded(job);
        output.retainEnded(shown);
    }
}
