package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The first frame of a rank or a launcher: who it is and, for a rank, what it remembers (DESIGN section 5). A first
 * start has all counters at zero; the relay compares them with what it knows.
 *
 * @param kind {@link #RANK} or {@link #LAUNCHER}
 * @param job the job's id; 0 for a launcher
 * @param rank world rank; 0 for a launcher
 * @param incarnation which start of this rank it is, from 1
 * @param token the job's token, or the relay's for a launcher
 * @param deliveries messages delivered to the rank so far
 * @param failedPolls failed polls since the last event
 * @param sent for each channel on which the rank sent, the last sequence number; at most {@link #SENT_MAX} channels
 * @param untold further channels on which it sent, which do not fit; 0 unless there are {@link #SENT_MAX} that do
 */
public record Hello(
        int kind,
        long job,
        int rank,
        int incarnation,
        Token token,
        long deliveries,
        long failedPolls,
        List<Sent> sent,
        int untold) {
    public static final int RANK = 1;
    public static final int LAUNCHER = 2;

    private static final int FIXED_BYTES = 76;
    private static final int SENT_BYTES = 16;

    /** Most channels in one frame. */
    public static final int SENT_MAX = (Wire.FRAME_BYTES_MAX - FIXED_BYTES) / SENT_BYTES;

    /** The last sequence number sent on the channel to {@code destination} in {@code context}. */
    public record Sent(int context, int destination, long sequence) {}

    /** One whose channels all fit. */
    public Hello(
            int kind, long job, int rank, int incarnation, Token token, long deliveries, long failedPolls, List<Sent> sent) {
        this(kind, job, rank, incarnation, token, deliveries, failedPolls, sent, 0);
    }

    /** A rank that starts from nothing. */
    public static Hello firstStart(long job, int rank, Token token) {
        return new Hello(RANK, job, rank, 1, token, 0, 0, List.of());
    }

    /** A launcher that knocks with {@code token}, {@link Token#NONE} if it was given none. */
    public static Hello launcher(Token token) {
        return new Hello(LAUNCHER, 0, 0, 0, token, 0, 0, List.of());
    }

    /**
     * What the same incarnation of the rank says on a further connection, with what it remembers by then.
     *
     * @param sent all channels on which it sent; those that do not fit are counted only
     */
    public Hello again(long deliveries, long failedPolls, List<Sent> sent) {
        List<Sent> told = List.copyOf(sent.subList(0, Math.min(sent.size(), SENT_MAX)));
        int untold = sent.size() - told.size();
        return new Hello(kind, job, rank, incarnation, token, deliveries, failedPolls, told, untold);
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.HELLO, job)
                .i32(Wire.MAGIC)
                .u16(Wire.VERSION)
                .u16(kind)
                .i32(rank)
                .i32(incarnation)
                .i32(0)
                .i64(token.high())
                .i64(token.low())
                .i64(deliveries)
                .i64(failedPolls)
                .i32(untold);
        writeSent(out, sent);
        return out.finish();
    }

    /** Reads a frame whose header was checked. @throws WireException on any other magic, version, kind or length */
    public static Hello decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame, Wire.HEADER_BYTES);
        checkVersion(in);
        int kind = in.u16("kind");
        if (kind != RANK && kind != LAUNCHER) {
            throw new WireException(Reason.MALFORMED_FRAME, "HELLO of kind " + kind + ", expected 1 (rank) or 2 (launcher)");
        }
        int rank = in.i32("rank");
        int incarnation = in.i32("incarnation");
        checkFeatures(FrameType.HELLO, in.i32("features"));
        Token token = new Token(in.i64("token"), in.i64("token"));
        long deliveries = in.i64("deliveries");
        long failedPolls = in.i64("failed polls");
        int untold = in.i32("untold channels");
        List<Sent> sent = readSent(in);
        in.end();
        if (untold < 0 || untold > 0 && sent.size() < SENT_MAX) {
            throw new WireException(
                    Reason.MALFORMED_FRAME, "HELLO with " + sent.size() + " channels that leaves out " + untold);
        }
        long job = new FrameView().wrap(frame, frame.position()).job();
        return new Hello(kind, job, rank, incarnation, token, deliveries, failedPolls, sent, untold);
    }

    static void checkVersion(FrameReader in) throws WireException {
        int magic = in.i32("magic");
        if (magic != Wire.MAGIC) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    "magic 0x" + Integer.toHexString(magic) + ", expected 0x" + Integer.toHexString(Wire.MAGIC));
        }
        int version = in.u16("version");
        if (version != Wire.VERSION) {
            throw new WireException(
                    Reason.WRONG_VERSION, "wire version " + version + ", this end speaks " + Wire.VERSION);
        }
    }

    static void checkFeatures(FrameType type, int features) throws WireException {
        if (features != 0) {
            throw new WireException(
                    Reason.WRONG_VERSION, type + " with features 0x" + Integer.toHexString(features) + ", version 1 has none");
        }
    }

    static void writeSent(FrameWriter out, List<Sent> sent) {
        out.i32(sent.size());
        for (Sent channel : sent) {
            out.i32(channel.context()).i32(channel.destination()).i64(channel.sequence());
        }
    }

    static List<Sent> readSent(FrameReader in) throws WireException {
        int count = in.count(SENT_BYTES, "channels");
        List<Sent> sent = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            sent.add(new Sent(in.i32("context"), in.i32("destination"), in.i64("sequence")));
        }
        return sent;
    }
}
