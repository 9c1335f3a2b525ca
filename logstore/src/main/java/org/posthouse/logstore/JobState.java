package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What the log says of one job that is open. Changed by {@link LogBook} only; read under the log's lock.
 */
public final class JobState {
    private final long id;
    private final int durability;
    private final long position;
    private final long place;
    private final byte[] opening;
    private final RankLog[] ranks;
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

    /** Ranks of the job, here and elsewhere. */
    public int size() {
        return ranks.length;
    }

    /** What it asked for when it was opened. */
    public int durability() {
        return durability;
    }

    /** Position of the record that opened it. */
    public long position() {
        return position;
    }

    /** Place of the record that opened it. */
    public long place() {
        return place;
    }

    /** The payload of the record that opened it, read-only. */
    public ByteBuffer opening() {
        return ByteBuffer.wrap(opening).asReadOnlyBuffer();
    }

    /** Messages that ranks which were started again would have sent otherwise than before, as last told: at most half of them are not in it. */
    public long divergences() {
        return divergences;
    }

    /** The first of them, in words; empty if there was none. */
    public String divergence() {
        return divergence;
    }

    void diverged(long count, String first) {
        divergences = count;
        divergence = first;
    }

    /** The first record of it that cannot be taken stands there: what it says is as it was before, and none of its records may go. */
    void faulted(long at, RuntimeException cause) {
        if (fault == null) {
            fault = cause;
            faultPosition = at;
        }
    }

    /** Why it cannot go on from its records; null if they could all be taken. Not in snapshots: the scan that finds it finds it again. */
    public RuntimeException fault() {
        return fault;
    }

    /** Position of the record that cannot be taken; {@link Long#MAX_VALUE} if all can. */
    public long faultPosition() {
        return faultPosition;
    }

    /** The ranks of which the log has records, by their numbers. */
    public List<RankLog> ranks() {
        return Arrays.stream(ranks).filter(Objects::nonNull).toList();
    }

    /** What the log says of this rank: null if nothing yet. */
    public RankLog rank(int rank) {
        return rank >= 0 && rank < ranks.length ? ranks[rank] : null;
    }

    /** The rank that a record names. */
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
