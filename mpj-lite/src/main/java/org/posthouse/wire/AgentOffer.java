package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An agent's description of itself and of its free slots (docs/wire.md, AGENT_OFFER). Each replaces the one before.
 *
 * @param agent number that the agent's process draws at its start and keeps over reconnects; not 0
 * @param name of the node, unique at its relay
 * @param host identifies the host: two agents with the same text share one
 * @param slots processes that the agent runs at most, 0 to {@link #SLOTS_MAX}
 * @param free slots that no job has reserved
 * @param jobs jobs that the agent runs at most at once
 * @param jobsNow jobs that have slots now
 * @param cores processors of the host
 * @param memoryBytes memory of the host
 * @param rttMicros usual round trip between the agent and its relay; 0 while it is not known
 * @param draining whether the agent takes no new job
 * @param version of the agent's Posthouse
 * @param labels by key; at most {@link #LABELS_MAX}
 */
public record AgentOffer(
        long agent,
        String name,
        String host,
        int slots,
        int free,
        int jobs,
        int jobsNow,
        int cores,
        long memoryBytes,
        long rttMicros,
        boolean draining,
        String version,
        SortedMap<String, String> labels) {
    /** Most slots of one agent. The states of so many processes fit one {@link AgentMessage.Attached}. */
    public static final int SLOTS_MAX = 2_048;

    /** Most labels of one agent. */
    public static final int LABELS_MAX = 32;

    /** The label of an agent that has joined one job; its value is the job's name. The agent refuses all others. */
    public static final String JOB_LABEL = "posthouse.job";

    private static final int FIXED_BYTES = 8 + 5 * Integer.BYTES + 2 * Long.BYTES + Short.BYTES + Integer.BYTES;

    public AgentOffer {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** The same agent with another name: its relay appends a number to one that is in use. */
    public AgentOffer named(String other) {
        return new AgentOffer(
                agent, other, host, slots, free, jobs, jobsNow, cores, memoryBytes, rttMicros, draining, version, labels);
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.AGENT_OFFER, 0, Wire.HEADER_BYTES + bytes());
        write(out);
        return out.finish();
    }

    /** Bytes that it takes in a frame. */
    int bytes() {
        int bytes = FIXED_BYTES + FrameWriter.nameBytes(name) + FrameWriter.nameBytes(host) + FrameWriter.nameBytes(version);
        for (Map.Entry<String, String> label : labels.entrySet()) {
            bytes += FrameWriter.nameBytes(label.getKey()) + FrameWriter.nameBytes(label.getValue());
        }
        return bytes;
    }

    void write(FrameWriter out) {
        out.i64(agent).name(name).name(host).i32(slots).i32(free).i32(jobs).i32(jobsNow).i32(cores);
        out.i64(memoryBytes).i64(rttMicros).flag(draining).name(version).i32(labels.size());
        labels.forEach((key, value) -> out.name(key).name(value));
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static AgentOffer decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        AgentOffer offer = read(in);
        in.end();
        return offer;
    }

    static AgentOffer read(FrameReader in) throws WireException {
        long agent = in.i64("agent");
        String name = in.text("name");
        if (agent == 0 || name.isBlank()) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "agent " + agent + " with the name '" + name + "', expected a number other than 0 and a name");
        }
        String host = in.text("host");
        int slots = in.i32("slots", 0, SLOTS_MAX);
        return new AgentOffer(
                agent,
                name,
                host,
                slots,
                in.i32("free slots", 0, slots),
                in.i32("jobs", 0, Integer.MAX_VALUE),
                in.i32("jobs now", 0, Integer.MAX_VALUE),
                in.i32("cores", 0, Integer.MAX_VALUE),
                in.i64("memory", 0, Long.MAX_VALUE),
                in.i64("round trip", 0, Long.MAX_VALUE),
                in.flag("state"),
                in.text("version"),
                labels(in));
    }

    private static SortedMap<String, String> labels(FrameReader in) throws WireException {
        int count = in.i32("count of labels", 0, LABELS_MAX);
        SortedMap<String, String> labels = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String key = in.text("label");
            if (labels.put(key, in.text("value of a label")) != null) {
                throw new WireException(CloseReason.MALFORMED_FRAME, "label " + key + " twice, expected once");
            }
        }
        return labels;
    }
}
