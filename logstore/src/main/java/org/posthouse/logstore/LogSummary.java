package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.posthouse.logstore.LogRecord.JobClosed;
import org.posthouse.logstore.LogRecord.JobOpened;

/** What a scan of a log says of each job that has records in it, closed ones included. Confined to the scan's thread. */
public final class LogSummary implements Consumer<LogEntry> {
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /** What the log has of one job. Its ranks' processes and deliveries are the log book's to tell, while it is open. */
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

        /** Ranks of the job, here and elsewhere; 0 if the record that opened it is gone. */
        public int size() {
            return size;
        }

        /** What opened it, read-only; empty if the record is gone. */
        public ByteBuffer opening() {
            return ByteBuffer.wrap(opening).asReadOnlyBuffer();
        }

        /** How it ended, if it has. */
        public OptionalInt status() {
            return status;
        }

        public long records() {
            return records;
        }

        /** Of its records, envelopes included. */
        public long bytes() {
            return bytes;
        }

        /** Position of its first record. */
        public long first() {
            return first;
        }

        /** Position of its last record. */
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

    /** Adds what this book of the log, of its beginning or its end, says of jobs whose first records are gone. */
    public LogSummary complete(LogBook book) {
        for (JobState open : book.jobs()) {
            Job job = jobs.computeIfAbsent(open.id(), Job::new);
            if (job.size == 0) {
                job.opened(open.size(), open.opening());
            }
        }
        return this;
    }

    /** In the order of their first records. */
    public Collection<Job> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }
}
