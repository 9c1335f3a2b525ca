package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A report about a rank that has been inside one call for long (BLOCKED), or that will stay in a collective for ever
 * (MISMATCH).
 *
 * @param job the job's id
 * @param context of the collectives of the communicator, or of its messages; of a point-to-point call that of its
 * message with {@link #SENDS}, else 0
 * @param group a fingerprint of the communicator's members, because separate groups may use one context; of a
 * point-to-point call the number of its message with {@link #SENDS}, else 0
 * @param number of the collective on its communicator, from 1; in a point-to-point call, the number of this call among
 * the reported ones
 * @param rank world rank of the blocked rank
 * @param peer world rank that it waits for, or -1; in MISMATCH only one that sends it nothing more
 * @param text BLOCKED: the call and its root, or what it waits for; empty if it continues; MISMATCH: what is wrong
 * @param bits BLOCKED: {@link #POINT_TO_POINT}, {@link #AT_WORK}, {@link #LEFT} and {@link #SENDS}; MISMATCH: 0
 */
public record BlockedReport(long job, int context, long group, int number, int rank, int peer, String text, int bits) {
    /** The rank is in a point-to-point call: no other rank has to be in the same one. */
    public static final int POINT_TO_POINT = 1;

    /**
     * The rank may be at work all the same: its bytes move, the collective is in the background, or it has several
     * threads.
     */
    public static final int AT_WORK = 2;

    /** The rank has left the collective with an error: the report tells where it was, not where it is. */
    public static final int LEFT = 4;

    /**
     * In a point-to-point call: the rank waits until its message to {@code peer}, the {@code group}-th in the channel
     * of {@code context}, is matched, and requests nothing until then.
     */
    public static final int SENDS = 8;

    private static final int TEXT_BYTES_MAX = 1024;

    /** A report about a collective. */
    public BlockedReport(long job, int context, long group, int number, int rank, int peer, String text) {
        this(job, context, group, number, rank, peer, text, 0);
    }

    public boolean isPointToPoint() {
        return (bits & POINT_TO_POINT) != 0;
    }

    /** Whether the rank is inside the call, does nothing else, and none of its bytes move. */
    public boolean standsStill() {
        return !text.isEmpty() && (bits & (AT_WORK | LEFT)) == 0;
    }

    /** Whether the rank continues when its message is matched, and does nothing before. */
    public boolean waitsForMatch() {
        return standsStill() && (bits & SENDS) != 0;
    }

    /** Whether the rank is inside the call. */
    public boolean isIn() {
        return !text.isEmpty() && (bits & LEFT) == 0;
    }

    /** The same report with this bit set. */
    public BlockedReport with(int bit) {
        return new BlockedReport(job, context, group, number, rank, peer, text, bits | bit);
    }

    /** Encodes as {@code type}: BLOCKED or MISMATCH. */
    public ByteBuffer encode(FrameType type) {
        return new FrameWriter(type, job, type.bytesMax())
                .i32(context)
                .i32(rank)
                .i64(group)
                .i32(number)
                .i32(peer)
                .text(text, TEXT_BYTES_MAX)
                .u16(type == FrameType.BLOCKED ? bits : 0)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static BlockedReport decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        FrameView view = new FrameView().wrap(frame, frame.position());
        int known = view.type() == FrameType.BLOCKED ? POINT_TO_POINT | AT_WORK | LEFT | SENDS : 0;
        long job = view.job();
        int context = in.i32("context");
        int rank = in.i32("rank");
        long group = in.i64("group");
        int number = in.i32("number");
        int peer = in.i32("peer");
        String text = in.text("text");
        int bits = in.u16("bits");
        in.end();
        if ((bits & ~known) != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, view.type() + " with bits 0x" + Integer.toHexString(bits) + ", known are 0x" + known);
        }
        return new BlockedReport(job, context, group, number, rank, peer, text, bits);
    }
}
