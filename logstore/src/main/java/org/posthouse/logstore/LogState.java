package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordLayout;
import org.posthouse.logstore.record.RecordType;

/**
 * The state that a log describes, updated with each record. The log's owner updates it while writing, the scan while
 * opening. Both use the same code, so the recovered state equals the state before the crash by construction. Confined
 * to the thread that applies records. For an open log that is the log's owner, which may read it between appends.
 *
 * <p>The book drops closed jobs, and ignores records of jobs that are not open.
 */
public final class LogState {
    /**
     * Characters of a divergence's description: 4,096. A snapshot has 65,535 bytes for them, and a character takes 3 at
     * most.
     */
    private static final int DIVERGENCE_CHARS_MAX = 4_096;

    private final Map<Long, JobState> jobs = new LinkedHashMap<>();
    /** The job of the last lookup; records of one job come in runs. */
    private JobState recent;
    /**
     * Position of the last job's end, by durability. Not in snapshots: when the file with that end is deleted,
     * everything that had to wait for it has waited.
     */
    private final Map<Integer, Long> lastEnds = new HashMap<>();
    private long epoch;
    private long relayEpoch;
    private UUID boot = HostCalls.UNKNOWN_BOOT;

    /**
     * Applies the next record, whose envelope begins at {@code at} of a little-endian buffer.
     *
     * @param payload read for JOB_OPENED, DIVERGED, FAILED and AGREED only, and not changed
     */
    void apply(ByteBuffer b, int at, long place, ByteBuffer... payload) {
        RecordType type = RecordDecoder.type(b, at);
        long job = b.getLong(at + RecordEnvelope.JOB);
        switch (type) {
            case WRITER_STARTED -> started(b, at);
            case SNAPSHOT -> {
                // Repeats what earlier records have said.
            }
            case JOB_OPENED -> {
                if (job == LogRecord.NO_JOB) {
                    return; // Earlier versions accepted this id. Records without a job carry it too.
                }
                recent = new JobState(job, b.getInt(at + RecordLayout.OPENED_SIZE), b.getInt(at + RecordLayout.OPENED_DURABILITY),
                        b.getLong(at + RecordEnvelope.POSITION), place, copy(payload));
                jobs.put(job, recent);
            }
            case JOB_CLOSED -> {
                JobState ended = jobs.remove(job);
                recent = null;
                if (ended != null) {
                    lastEnds.put(ended.durability(), b.getLong(at + RecordEnvelope.POSITION));
                }
            }
            case DIVERGED -> {
                JobState open = job(job);
                if (open != null) {
                    String first = new String(copy(payload), StandardCharsets.UTF_8);
                    open.diverged(b.getLong(at + RecordLayout.DIVERGED_COUNT), first.substring(0, Math.min(first.length(), DIVERGENCE_CHARS_MAX)));
                }
            }
            case FAILED, AGREED -> {
                JobState open = job(job);
                if (open != null && open.fault() == null) {
                    open.failed(b.getInt(at + RecordEnvelope.RANK), copy(payload));
                }
            }
            default -> {
                JobState open = job(job);
                if (open != null && open.fault() == null) {
                    open.named(b.getInt(at + RecordEnvelope.RANK)).apply(type, b, at, place);
                }
            }
        }
    }

    /** Notes that {@link #apply} failed for this record. Only the record's job is affected, if it is open. */
    void faulted(ByteBuffer b, int at, RuntimeException cause) {
        JobState open = job(b.getLong(at + RecordEnvelope.JOB));
        if (open == null) {
            throw cause;
        }
        long position = b.getLong(at + RecordEnvelope.POSITION);
        open.faulted(position, new IllegalStateException(
                "its record " + RecordDecoder.type(b, at) + " at position " + position + " cannot be taken: " + cause, cause));
    }

    /**
     * Rejects a record that {@link #apply} could not apply.
     *
     * @throws IllegalArgumentException if it names a rank that its job does not have, or opens a job that is open
     */
    void check(ByteBuffer b, int at) {
        RecordType type = RecordDecoder.type(b, at);
        boolean ofRank = switch (type) {
            case JOB_OPENED, JOB_CLOSED, DIVERGED, AGREED -> false;
            case FAILED -> b.getInt(at + RecordEnvelope.RANK) != LogRecord.NO_RANK;
            default -> true;
        };
        JobState open = job(b.getLong(at + RecordEnvelope.JOB));
        int rank = b.getInt(at + RecordEnvelope.RANK);
        if (open != null && ofRank && (rank < 0 || rank >= open.size())) {
            throw new IllegalArgumentException(type + " of rank " + rank + " in a job of " + open.size() + " ranks");
        }
        if (open != null && type == RecordType.JOB_OPENED) {
            throw new IllegalArgumentException("job " + Long.toHexString(open.id()) + " is open already");
        }
    }

    private void started(ByteBuffer b, int at) {
        epoch = b.getLong(at + RecordEnvelope.EPOCH);
        relayEpoch = Math.max(relayEpoch, b.getLong(at + RecordLayout.STARTED_RELAY_EPOCH));
        boot = RecordDecoder.boot(b, at);
    }

    private static byte[] copy(ByteBuffer[] payload) {
        int length = 0;
        for (ByteBuffer piece : payload) {
            length += piece.remaining();
        }
        byte[] copy = new byte[length];
        int done = 0;
        for (ByteBuffer piece : payload) {
            piece.get(piece.position(), copy, done, piece.remaining());
            done += piece.remaining();
        }
        return copy;
    }

    /** The open jobs, in the order in which they were opened. */
    public Collection<JobState> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /** An open job, or null. */
    public JobState job(long id) {
        if (recent == null || recent.id() != id) {
            recent = jobs.get(id);
        }
        return recent;
    }

    /** A rank of an open job; null if the log has no record of it. */
    public RankLog rank(long job, int rank) {
        JobState open = job(job);
        return open == null ? null : open.rank(rank);
    }

    /** Position of the record that ended the last job with this durability; 0 if the log has none. */
    public long lastEnd(int durability) {
        return lastEnds.getOrDefault(durability, 0L);
    }

    /**
     * For each job that needs records before this position, the rank that needs the oldest, according to
     * {@link RankLog#pinReached}. A job with records that cannot be applied is left out, because its needs since then
     * are unknown.
     */
    List<OldestPin> neededBefore(long position) {
        List<OldestPin> pins = new ArrayList<>();
        for (JobState job : jobs.values()) {
            job.ranks().stream()
                    .map(rank -> new OldestPin(job.id(), rank.rank(), rank.pinReached()))
                    .filter(pin -> job.fault() == null && pin.position() < position)
                    .min(Comparator.comparingLong(OldestPin::position))
                    .ifPresent(pins::add);
        }
        return pins;
    }

    /** Epoch of the last writer; 0 if there was none. */
    public long epoch() {
        return epoch;
    }

    /** The highest relay epoch that a writer was opened with. */
    public long relayEpoch() {
        return relayEpoch;
    }

    /** Boot identity of the host when the last writer started, all zero if unknown. */
    UUID boot() {
        return boot;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(epoch);
        out.writeLong(relayEpoch);
        out.writeLong(boot.getMostSignificantBits());
        out.writeLong(boot.getLeastSignificantBits());
        out.writeInt(jobs.size());
        for (JobState job : jobs.values()) {
            job.write(out);
        }
        List<JobState> failed = jobs.values().stream().filter(job -> !job.failures().isEmpty()).toList();
        writeDivergences(out, !failed.isEmpty());
        if (!failed.isEmpty()) {
            out.writeInt(failed.size());
        }
        for (JobState job : failed) {
            out.writeLong(job.id());
            job.writeFailures(out);
        }
    }

    /**
     * Writes the last part but one of a snapshot. It exists only if a job has diverged, or more follows; older logs never have it.
     *
     * @param moreFollows the failures of jobs
     */
    private void writeDivergences(DataOutput out, boolean moreFollows) throws IOException {
        List<JobState> diverged = jobs.values().stream().filter(job -> job.divergences() > 0).toList();
        if (moreFollows || !diverged.isEmpty()) {
            out.writeInt(diverged.size());
        }
        for (JobState job : diverged) {
            out.writeLong(job.id());
            out.writeLong(job.divergences());
            out.writeUTF(job.divergence());
        }
    }

    static LogState read(DataInput in) throws IOException {
        LogState book = new LogState();
        book.epoch = in.readLong();
        book.relayEpoch = in.readLong();
        book.boot = new UUID(in.readLong(), in.readLong());
        for (int i = in.readInt(); i > 0; i--) {
            JobState job = JobState.read(in);
            if (job.id() != LogRecord.NO_JOB) {
                book.jobs.put(job.id(), job);
            }
        }
        for (int i = countOrNone(in); i > 0; i--) {
            JobState job = book.jobs.get(in.readLong());
            long count = in.readLong();
            String first = in.readUTF();
            if (job != null) {
                job.diverged(count, first);
            }
        }
        for (int i = countOrNone(in); i > 0; i--) {
            JobState job = book.jobs.get(in.readLong());
            JobState.readFailures(in, job);
        }
        return book;
    }

    private static int countOrNone(DataInput in) throws IOException {
        try {
            return in.readInt();
        } catch (EOFException e) {
            return 0;
        }
    }
}
