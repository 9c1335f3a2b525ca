package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;

/** A scan's summary of each job with records in the log, closed jobs included. Confined to the scan's thread. */
public final class LogSummary implements Consumer<LogEntry> {
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /** The summary of one job. For an open job, the log book has the processes and deliveries of its ranks. */
    public static final class Job {
        private final long id;
        private int size;
        private byte[] opening = {};
        private OptionalInt status = OptionalInt.empty();
        private long records;
        private long bytes;
        private long first;
        private long last;

        private Job(long id) {
            this.id = id;
        }

        public long id() {
            return id;
        }

        /** Number of ranks of the job, here and elsewhere; 0 if the record that opened it is gone. */
        public int size() {
            return size;
        }

        /** The request that opened the job, read-only; empty if the record is gone. */
        public ByteBuffer opening() {
            return ByteBuffer.wrap(opening).asReadOnlyBuffer();
        }

        /** The job's exit status, if it has ended. */
        public OptionalInt status() {
            return status;
        }

        public long records() {
            return records;
        }

        /** Bytes of the job's records, envelopes included. */
        public long bytes() {
            return bytes;
        }

        /** Position of the job's first record. */
        public long first() {
            return first;
        }

        /** Position of the job's last record. */
        public long last() {
            return last;
        }

        private void add(LogEntry entry) {
            records++;
            bytes += entry.bytes().remaining();
            first = first == 0 ? entry.position() : first;
            last = entry.position();
            if (entry.record() instanceof JobOpened opened) {
                opened(opened.size(), entry.payload());
            } else if (entry.record() instanceof JobClosed closed) {
                status = OptionalInt.of(closed.status());
            }
        }

        private void opened(int ranks, ByteBuffer payload) {
            size = ranks;
            opening = new byte[payload.remaining()];
            payload.get(payload.position(), opening);
        }
    }

    @Override
    public void accept(LogEntry entry) {
        long job = entry.record().job();
        if (job != LogRecord.NO_JOB) {
            jobs.computeIfAbsent(job, Job::new).add(entry);
        }
    }

    /** Adds the jobs whose first records are gone, from the book of the log's beginning or end. */
    public LogSummary complete(LogState book) {
        for (JobState open : book.jobs()) {
            Job job = jobs.computeIfAbsent(open.id(), Job::new);
            if (job.size == 0) {
                job.opened(open.size(), open.opening());
            }
        }
        return this;
    }

    /** The jobs in the order of their first records. */
    public Collection<Job> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }
}
