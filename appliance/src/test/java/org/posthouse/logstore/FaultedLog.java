package org.posthouse.logstore;

import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.RecordCodec;

/** A log with a job whose records cannot all be taken. */
public final class FaultedLog {
    private FaultedLog() {}

    /** Appends a record of a rank that the open job does not have. @return its position */
    public static long fault(MessageLog log, long job) {
        RecordCodec codec = new RecordCodec();
        codec.pressing(new LogRecord.JobClosed(job, 0));
        log.book().apply(codec.head(), 0, log.place()); // Who has forgotten the job logs whatever of it.
        return log.append(new LogRecord.Polls(job, Integer.MAX_VALUE, 1, 1));
    }
}
