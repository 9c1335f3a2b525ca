package org.posthouse.relay.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.causes.Causes;
import org.posthouse.core.Job;
import org.posthouse.logstore.InFlightMessages;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogReading;
import org.posthouse.logstore.LogState;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log that a relay's last process has left: checks whose it is, and reads the jobs that continue. Stateless; all
 * methods block.
 */
final class LogTakeover {
    /** Exit status of a job that cannot continue after its relay's end. */
    private static final int STATUS_LOST = 1;

    private static final Logger LOG = LoggerFactory.getLogger(LogTakeover.class);

    private LogTakeover() {}

    static void makeFolder(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new IOException(
                    "the log's folder " + folder + " cannot be made: " + Causes.text(e) + "; name a folder with --data in which this user may make others", e);
        }
    }

    /**
     * Recovers and verifies the log.
     *
     * @param epochMin the relay's epoch. If the log has seen this epoch or a later one, the relay uses the latest seen
     *         plus one.
     * @throws IllegalStateException if the log belongs to another relay; it is left unchanged
     */
    static MessageLog open(Path folder, String relay, long limitBytes, long epochMin, LogReading whole) {
        return MessageLog.open(LogConfig.limited(folder, limitBytes), book -> {
            refuseAnothers(folder, relay, book);
            return Math.max(epochMin, book.relayEpoch() + 1);
        }, whole);
    }

    /**
     * Refuses a log whose jobs have no ranks at this relay. It belongs to another relay, and under this name its jobs
     * would be lost.
     */
    private static void refuseAnothers(Path folder, String relay, LogState book) {
        for (JobState job : book.jobs()) {
            List<String> homes = LoggedJob.homes(job);
            if (!homes.isEmpty() && !homes.contains(relay)) {
                throw new IllegalStateException("the log in " + folder + " is of relay " + String.join(" or ", homes) + ", and this is relay " + relay
                        + ": job " + Job.hexId(job.id()) + " is open in it; start it as it was, or give this relay a --data folder of its own");
            }
        }
    }

    /**
     * Reads the jobs that continue, and ends those that cannot be read. Otherwise their entries and messages would only
     * accumulate in the log.
     */
    static List<LoggedJob> jobs(MessageLog opened, String relay) {
        InFlightMessages inFlightMessages = opened.takeDrafts();
        List<LoggedJob> jobs = new ArrayList<>();
        for (JobState job : List.copyOf(opened.book().jobs())) {
            try {
                jobs.add(LoggedJob.of(relay, job, inFlightMessages));
            } catch (WireException e) {
                LOG.warn("job {} was open when this log was last written; it cannot go on: {}", Job.hexId(job.id()), e.getMessage());
                if (opened.append(new LogRecord.JobClosed(job.id(), STATUS_LOST)) == MessageLog.NO_ROOM) {
                    LOG.warn("job {} is not ended in the log, whose disk is full: the next start tries again", Job.hexId(job.id()));
                }
            }
        }
        opened.handOver();
        return jobs;
    }
}
