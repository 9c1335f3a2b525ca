package org.posthouse.relay;

import java.util.HashMap;
import java.util.Map;
import org.posthouse.core.Job;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobReport;
import org.posthouse.wire.WireException;

/**
 * What launchers have reported of their jobs' ranks, for the console. Confined to the relay's control strand.
 *
 * <p>Bound: a node's name for each rank of the open jobs.
 */
final class JobReports {
    private final Map<Long, Map<Integer, String>> nodes = new HashMap<>();

    /**
     * Takes a report about an open job.
     *
     * @throws WireException if it is about none of its ranks
     */
    void on(JobReport report, OpenJob job) throws WireException {
        if (report.rank() >= job.opening().size()) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "JOB_REPORT of rank " + report.rank() + " of job " + Job.hexId(job.id()) + ", expected 0 to " + (job.opening().size() - 1));
        }
        switch (report.kind()) {
            case JobReport.NODE -> nodes.computeIfAbsent(job.id(), unseen -> new HashMap<>()).put(report.rank(), report.text());
            default -> {
                // A kind that this relay does not show.
            }
        }
    }

    /** The name of the node that runs a rank; empty if it runs beside its launcher, or that is not known. */
    String nodeOf(long job, int rank) {
        return nodes.getOrDefault(job, Map.of()).getOrDefault(rank, "");
    }

    /** The job has ended. */
    void remove(long job) {
        nodes.remove(job);
    }
}
