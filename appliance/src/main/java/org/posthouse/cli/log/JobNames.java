package org.posthouse.cli.log;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.core.Job;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.LogState;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.WireException;

/** Which records are of the job that a user means: by its id, or by its name as the record that opened it says. */
final class JobNames implements Predicate<LogEntry> {
    /** Advice where a log has no such job. */
    static final String LISTED = "posthouse log ls lists its jobs";

    private final String said;
    private final String wanted;
    private final Map<Long, String> found = new TreeMap<>();

    /** @param wanted an id as {@code posthouse log ls} shows it, or a name */
    JobNames(String wanted) {
        this.said = wanted;
        this.wanted = wanted.toLowerCase(Locale.ROOT);
    }

    /** The jobs that were open where the log begins: the records that opened them have gone. */
    JobNames from(LogState beginning) {
        beginning.jobs().forEach(job -> test(job.id(), name(job.opening())));
        return this;
    }

    @Override
    public boolean test(LogEntry entry) {
        long job = entry.record().job();
        return found.containsKey(job) || test(job, entry.record() instanceof LogRecord.JobOpened ? name(entry.payload()) : "");
    }

    private boolean test(long job, String name) {
        boolean meant = job != LogRecord.NO_JOB
                && (Job.hexId(job).equals(wanted) || name.toLowerCase(Locale.ROOT).equals(wanted));
        if (meant) {
            found.put(job, name);
        }
        return meant;
    }

    /** @throws CommandFailure if there was no record of such a job */
    void requireFound(String where, String advice) throws CommandFailure {
        if (found.isEmpty()) {
            throw new CommandFailure(where + " has no record of a job " + said + "; " + advice);
        }
    }

    /** The jobs whose records there were, by id. */
    Map<Long, String> found() {
        return found;
    }

    /** The name that a job was opened with; empty if the log does not say. */
    static String name(ByteBuffer opening) {
        if (!opening.hasRemaining()) {
            return "";
        }
        try {
            return JobOpen.decode(ByteBuffer.allocate(opening.remaining()).put(opening.duplicate()).flip()).name();
        } catch (WireException e) {
            return "? (" + e.getMessage() + ")";
        }
    }
}
