package org.posthouse.relay.log;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.posthouse.core.Job;
import org.posthouse.core.JournalBroken;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.LogRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the ends of jobs, as often as it takes, and deletes the images of ended jobs. Thread-safe: its state is guarded by
 * the monitor of the log's appender.
 */
final class JobEndWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JobEndWriter.class);

    private final LogAppender appender;
    private final RestartPoints points;
    private final ImageStore images;
    private final Executor background;

    /** Jobs whose end could not be logged, with their exit statuses. Guarded by {@link #appender}. */
    private final Map<Long, Integer> unended = new HashMap<>();

    /** @param background deletes images */
    JobEndWriter(LogAppender appender, RestartPoints points, ImageStore images, Executor background) {
        this.appender = appender;
        this.points = points;
        this.images = images;
        this.background = background;
    }

    /** Logs the end of a job. @return whether the end is logged; if not, it is tried again */
    boolean closed(long job, int status) {
        synchronized (appender) {
            appender.release(job);
            points.forget(job);
            unended.put(job, status);
            return tryEnd(job);
        }
    }

    private boolean tryEnd(long job) {
        return appender.tryAppend("has ended", job, () -> end(job));
    }

    private void end(long job) {
        appender.appendOptional(job, log -> log.append(new LogRecord.JobClosed(job, unended.get(job))));
        unended.remove(job);
        background.execute(() -> deleteImages(List.of(job)));
    }

    /**
     * Retries to log the ends of jobs. The log keeps all records of a job that is open in it, so other jobs would wait
     * for room although the disk is writable again.
     */
    void retry() {
        synchronized (appender) {
            try {
                List.copyOf(unended.keySet()).forEach(this::end);
            } catch (JournalBroken e) {
                LOG.debug("as was said when it ended: {}", e.getMessage());
            }
        }
    }

    /** Whether this job has ended but is still open in the log. Tries once more to log its end. */
    boolean isUnended(long job) {
        synchronized (appender) {
            return unended.containsKey(job) && !tryEnd(job);
        }
    }

    /**
     * Deletes the images of ended jobs. The next start deletes those that may not, or cannot, be deleted now. Runs on
     * the background thread.
     */
    void deleteImages(List<Long> ended) {
        if (!points.mayDelete()) {
            return;
        }
        for (long job : ended) {
            try {
                images.forget(job);
            } catch (LogException e) {
                LOG.warn("job {} has ended, and its images stay: {}", Job.hexId(job), e.getMessage());
            }
        }
    }
}
