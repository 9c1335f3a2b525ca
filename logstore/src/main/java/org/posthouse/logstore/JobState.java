package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The state that the log describes for one open job. Changed only by {@link LogState}; read under the log's lock. */
public final class JobState {
    private final long id;
    private final int durability;
    private final long position;
    private final long place;
    private final byte[] opening;
    private final RankLog[] ranks;
    private final Map<ByteBuffer, Integer> failures = new LinkedHashMap<>();
    private long divergences;
    private String divergence = "";
    private RuntimeException fault;
    private long faultPosition = Long.MAX_VALUE;

    JobState(long id, int size, int durability, long position, long place, byte[] opening) {
        this.id = id;
        this.durability = durability;
        this.position = position;
        this.place = place;
        this.opening = opening;
        this.ranks = new RankLog[size];
    }

    public long id() {
        return id;
    }

    /** Number of ranks of the job, here and elsewhere. */
    public int size() {
        return ranks.length;
    }

    /** The durability that the job requested when it was opened. */
    public int durability() {
        return durability;
    }

    /** Position of the record that opened the job. */
    public long position() {
        return position;
    }

    /** Place of the record that opened the job. */
    public long place() {
        return place;
    }

    /** The payload of the record that opened the job, read-only. */
    public ByteBuffer opening() {
        return ByteBuffer.wrap(opening).asReadOnlyBuffer();
    }

    /**
     * Number of messages that restarted ranks sent differently than before, as last logged. At most half of them are
     * missing from it.
     */
    public long divergences() {
        return divergences;
    }

    /** Description of the first divergence; empty if there was none. */
    public String divergence() {
        return divergence;
    }

    /**
     * The frames of all deaths, revocations and results of agreements, in the order of the log, each once: RANK_FAILED, REVOKE and AGREED. Opaque to the
     * log.
     */
    public List<ByteBuffer> failures() {
        return failures.keySet().stream().map(ByteBuffer::asReadOnlyBuffer).toList();
    }

    /**
     * Notes such a frame.
     *
     * @param rank that is dead, or -1. If it is at home here, nobody needs its records any more.
     */
    void failed(int rank, byte[] frame) {
        if (failures.putIfAbsent(ByteBuffer.wrap(frame), rank) == null && rank(rank) != null) {
            rank(rank).died();
        }
    }

    void writeFailures(DataOutput out) throws IOException {
        out.writeInt(failures.size());
        for (Map.Entry<ByteBuffer, Integer> failure : failures.entrySet()) {
            out.writeInt(failure.getValue());
            out.writeInt(failure.getKey().capacity());
            out.write(failure.getKey().array());
        }
    }

    /** @param job null if it is not open any more */
    static void readFailures(DataInput in, JobState job) throws IOException {
        for (int i = in.readInt(); i > 0; i--) {
            int rank = in.readInt();
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            if (job != null) {
                job.failed(rank, frame);
            }
        }
    }

    void diverged(long count, String first) {
        divergences = count;
        divergence = first;
    }

    /**
     * Notes that the record at this position could not be applied. The job's state stays as before, and none of its
     * records may be deleted.
     */
    void faulted(long at, RuntimeException cause) {
        if (fault == null) {
            fault = cause;
            faultPosition = at;
        }
    }

    /**
     * The reason why the job cannot continue from its records; null if all could be applied. Not in snapshots, because
     * a later scan finds it again.
     */
    public RuntimeException fault() {
        return fault;
    }

    /** Position of the record that could not be applied; {@link Long#MAX_VALUE} if all could. */
    public long faultPosition() {
        return faultPosition;
    }

    /** The ranks that have records in the log, in ascending order. */
    public List<RankLog> ranks() {
        return Arrays.stream(ranks).filter(Objects::nonNull).toList();
    }

    /** The log's state of this rank; null if it has no record yet. */
    public RankLog rank(int rank) {
        return rank >= 0 && rank < ranks.length ? ranks[rank] : null;
    }

    /** The rank that a record names; created if missing. */
    RankLog named(int rank) {
        Objects.checkIndex(rank, ranks.length);
        if (ranks[rank] == null) {
            ranks[rank] = new RankLog(rank);
        }
        return ranks[rank];
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(id);
        out.writeInt(ranks.length);
        out.writeInt(durability);
        out.writeLong(position);
        out.writeLong(place);
        out.writeInt(opening.length);
        out.write(opening);
        List<RankLog> known = ranks();
        out.writeInt(known.size());
        for (RankLog rank : known) {
            out.writeInt(rank.rank());
            rank.write(out);
        }
    }

    static JobState read(DataInput in) throws IOException {
        long id = in.readLong();
        int size = in.readInt();
        int durability = in.readInt();
        long position = in.readLong();
        long place = in.readLong();
        byte[] opening = new byte[in.readInt()];
        in.readFully(opening);
        JobState job = new JobState(id, size, durability, position, place, opening);
        for (int i = in.readInt(); i > 0; i--) {
            job.named(in.readInt()).read(in);
        }
        return job;
    }
}
