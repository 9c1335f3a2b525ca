package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.status.LinkStatus;
import org.posthouse.wire.FrameType;

/**
 * A link that is down: since when, why, and the frames that wait for it, as of the last look. Confined to the relay's
 * control strand.
 */
public final class LinkOutage {
    /** Offsets of the job and of the message's source in a frame (docs/wire.md). */
    private static final int JOB_AT = 8;

    private static final int SOURCE_AT = 20;

    private final String relay;
    private final long sinceMs;
    private final long sinceNs;
    private final String reason;
    private Map<Long, Held> held = new HashMap<>();
    private final Map<Long, Map<Integer, BitSet>> receivers = new HashMap<>();
    private final Set<Long> ended = new HashSet<>();
    private final Set<Long> told = new HashSet<>();
    private boolean isExcuse;

    /** The messages of one job that the link holds. */
    private static final class Held {
        private long messages;
        private long bytes;
        private final BitSet senders = new BitSet();
    }

    public LinkOutage(String relay, long sinceMs, long sinceNs, String reason) {
        this.relay = relay;
        this.sinceMs = sinceMs;
        this.sinceNs = sinceNs;
        this.reason = reason;
    }

    public String relay() {
        return relay;
    }

    public long sinceMs() {
        return sinceMs;
    }

    public long downNs(long nowNs) {
        return nowNs - sinceNs;
    }

    public String reason() {
        return reason;
    }

    /** Whether the shards know of the outage, which ranks may wait for. */
    public boolean isExcuse() {
        return isExcuse;
    }

    /** The shards know of it from now on. */
    public void excuse() {
        isExcuse = true;
    }

    /** Whether the outage was reported to a job's launcher. */
    public boolean isTold(long job) {
        return told.contains(job);
    }

    /** Whether the outage must be reported to a job's launcher; true once. */
    public boolean tells(long job) {
        return told.add(job);
    }

    /** Whether a job must be ended because of the outage; true once. */
    public boolean ends(long job) {
        return ended.add(job);
    }

    // ---- a look at what waits

    public void lookAnew() {
        held = new HashMap<>();
    }

    /** Counts a frame that the other relay has not acknowledged. */
    public void count(ByteBuf frame) {
        int at = frame.readerIndex();
        FrameType type = FrameType.of(frame.getByte(at + Integer.BYTES));
        boolean begins = LinkFlow.begins(type);
        if (begins || type == FrameType.CHUNK) {
            Held ofJob = held.computeIfAbsent(job(frame), first -> new Held());
            ofJob.messages += begins ? 1 : 0;
            ofJob.bytes += LinkFlow.payloadBytes(type, frame.readableBytes());
            ofJob.senders.set(frame.getInt(at + SOURCE_AT));
        }
    }

    /** The job of a frame. */
    public static long job(ByteBuf frame) {
        return frame.getLong(frame.readerIndex() + JOB_AT);
    }

    /** Stores the ranks of a job in this shard that wait for a rank at the far end. */
    public void receivers(long job, int shard, BitSet ranks) {
        receivers.computeIfAbsent(job, first -> new TreeMap<>()).put(shard, ranks);
    }

    public void forget(Set<Long> others) {
        receivers.keySet().retainAll(others);
        ended.retainAll(others);
        told.retainAll(others);
    }

    /** A job's part of the waiting traffic. */
    public LinkStatus.ParkedJob parked(String id, String name, long job) {
        Held ofJob = held.getOrDefault(job, new Held());
        BitSet ranks = (BitSet) ofJob.senders.clone();
        receivers.getOrDefault(job, Map.of()).values().forEach(ranks::or);
        return new LinkStatus.ParkedJob(id, name, ofJob.messages, ofJob.bytes, ranks.cardinality());
    }

    public long messages() {
        return held.values().stream().mapToLong(ofJob -> ofJob.messages).sum();
    }

    public long bytes() {
        return held.values().stream().mapToLong(ofJob -> ofJob.bytes).sum();
    }
}
