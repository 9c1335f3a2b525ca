package org.posthouse.logstore;

import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.RecordCodec;

/** A record that the log's book cannot take, as a build that is wrong would leave it. */
public final class OddRecord {
    private OddRecord() {}

    /** Appends a record of a rank that the open job does not have; returns its position. */
    public static long append(MessageLog log, long job) {
        RecordCodec codec = new RecordCodec();
        codec.pressing(new JobClosed(job, 0));
        log.book().apply(codec.head(), 0, log.place()); // Who has forgotten the job logs whatever of it.
        return log.append(new Polls(job, Integer.MAX_VALUE, 1, 1));
    }
}
