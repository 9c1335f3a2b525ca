package org.posthouse.ops;

import java.util.Comparator;
import java.util.List;
import org.posthouse.status.JobOutput;
import org.posthouse.status.JobStatus;
import org.posthouse.status.OutputLine;

/**
 * The newest lines that a job's ranks have printed, of all its home relays. Immutable.
 *
 * @param job     the job's id
 * @param size    number of its ranks
 * @param lines   oldest first
 * @param older   lines that are kept and were asked for, but are older than these
 * @param dropped lines that are not kept any more, or that the launcher had no room for
 * @param missing home relays that did not answer
 */
record JobLines(String job, int size, List<OutputLine> lines, long older, long dropped, List<String> missing) {
    static JobLines of(JobStatus job, OutputQuery query, List<JobOutput> told, List<String> missing) {
        List<OutputLine> all = told.stream().flatMap(output -> output.lines().stream()).sorted(Comparator.comparingLong(OutputLine::at)).toList();
        List<OutputLine> newest = all.subList(Math.max(0, all.size() - query.lines()), all.size());
        return new JobLines(
                job.id(), job.size(), newest, told.stream().mapToLong(JobOutput::older).sum() + all.size() - newest.size(),
                told.stream().mapToLong(JobOutput::dropped).sum(), missing);
    }
}
