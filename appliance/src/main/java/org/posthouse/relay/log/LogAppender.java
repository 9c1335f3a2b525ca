package org.posthouse.relay.log;

import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import org.posthouse.core.Job;
import org.posthouse.core.JournalBroken;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.file.LogException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends records to the relay's log. The log has one writer at a time: all users of the log take turns under this
 * object's monitor. A failed append breaks its job, and the log takes the records of other jobs.
 */
final class LogAppender {
    private static final Logger LOG = LoggerFactory.getLogger(LogAppender.class);

    /** Place of the record that was appended last. Guarded by this object's lock. */
    private long place;

    /**
     * The open jobs of which a record could not be logged or read back, each with the cause. Nothing of such a job is
     * logged afterwards. The log thus holds a prefix of what happened, from which the relay's next process may
     * continue. Written under this object's lock, read by any thread.
     */
    private final Map<Long, String> broken = new ConcurrentHashMap<>();

    /** Is told of each append. Written before {@link #log}. */
    private LogSpace room;

    /**
     * Why the last append failed or the next one will fail; otherwise null. Written under this object's lock, read by
     * any thread.
     */
    private volatile String failure;

    /**
     * Whether the last check found the log's files not writable. Appends into reserved blocks may still succeed then,
     * so the next append repeats the check first. Guarded by this object's lock.
     */
    private boolean doubted;

    /**
     * Null unless the log is open. Written by the thread that opens it, as its last step, and by the one that closes it; read
     * by any thread.
     */
    private volatile MessageLog log;

    /** Makes the log available. The last step of opening it. */
    void open(MessageLog opened, LogSpace space) {
        room = space;
        log = opened;
    }

    /** Later appends fail. @return the log to close; null if none is open */
    synchronized MessageLog close() {
        MessageLog open = log;
        log = null;
        return open;
    }

    /** The log; null unless it is open. Thread-safe. */
    MessageLog log() {
        return log;
    }

    /** See {@link org.posthouse.core.Journal#position}. Thread-safe. */
    long position() {
        MessageLog open = log;
        return open == null ? Long.MAX_VALUE : open.position();
    }

    /** Place of the record that was appended last. Called under the monitor. */
    long place() {
        assert Thread.holdsLock(this);
        return place;
    }

    /**
     * Appends a record of a job; a failure breaks the job.
     *
     * @return the record's position
     * @throws JournalBroken if the record was not appended
     */
    synchronized long append(long job, ToLongFunction<MessageLog> record) {
        try {
            return appendOptional(job, record);
        } catch (JournalBroken e) {
            broken.put(job, e.getMessage());
            throw e;
        }
    }

    /**
     * Appends a record without which the job may continue. Hands the log over afterwards, even after a failure, because
     * another thread may make the next append.
     *
     * @return the record's position
     * @throws JournalBroken if the record was not appended
     */
    synchronized long appendOptional(long job, ToLongFunction<MessageLog> record) {
        MessageLog open = log;
        if (open == null) {
            throw broken(job, "its relay has stopped", null);
        }
        if (isBroken(job)) {
            throw new JournalBroken(broken.get(job), null);
        }
        try {
            if (doubted) {
                open.requireWritable();
                doubt(null);
            }
            long position = record.applyAsLong(open);
            if (position == MessageLog.NO_ROOM) {
                room.appended();
                throw broken(job, "the log's disk is full, and what was reserved is used up", null);
            }
            place = open.place();
            if (failure != null) { // Avoids a volatile write per record; other threads read the field.
                failure = null;
            }
            room.appended();
            return position;
        } catch (LogException | UncheckedIOException e) {
            failure = e.getMessage();
            throw broken(job, failure, e);
        } finally {
            open.handOver();
        }
    }

    /** Appends a record whose failure does not stop the caller. @return whether it was appended */
    boolean tryAppend(String what, long job, Runnable append) {
        try {
            append.run();
            return true;
        } catch (JournalBroken e) { // The caller continues without the record.
            LOG.warn("job {} {}, which is not in the log: {}", Job.hexId(job), what, e.getMessage());
            return false;
        }
    }

    private static JournalBroken broken(long job, String why, Exception cause) {
        return new JournalBroken("job " + Job.hexId(job) + " cannot be logged: " + why, cause);
    }

    /**
     * Checks that the files are writable. Appends into reserved blocks succeed even if the file system has become
     * read-only, and then never reach the disk.
     *
     * @return whether they are
     */
    boolean checkWritable(MessageLog opened) {
        try {
            opened.requireWritable();
            doubt(null);
            return true;
        } catch (LogException e) {
            doubt(e.getMessage());
            return false;
        }
    }

    private synchronized void doubt(String why) {
        if (doubted != (why != null)) {
            LOG.warn("the log takes {}", why == null ? "records again" : "nothing: " + why);
            doubted = why != null;
            failure = why;
        }
    }

    /** Stops logging for the job. */
    synchronized void giveUp(long job, String why) {
        broken.putIfAbsent(job, why);
    }

    /** Whether a record of the job could not be logged or read back. Thread-safe. */
    boolean isBroken(long job) {
        return !broken.isEmpty() && broken.containsKey(job);
    }

    /** The job has ended, or was not opened. */
    synchronized void release(long job) {
        broken.remove(job);
    }

    /**
     * Why the log accepts no records, as the last append or the last check of its files showed; empty if it does. A
     * lack of room does not count. Thread-safe.
     */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }
}
