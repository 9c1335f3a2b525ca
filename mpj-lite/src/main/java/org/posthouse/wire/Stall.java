package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A rank that has been inside one collective for long: BLOCKED says so, MISMATCH that it will be for ever.
 *
 * @param job the job's id
 * @param context the collectives' context of the communicator
 * @param group a fingerprint of the communicator's members: groups apart may use one context
 * @param number of the collective on its communicator, from 1
 * @param rank world rank of the rank that is blocked
 * @param peer world rank that it waits for, or -1; in MISMATCH only one that sends it nothing more
 * @param text BLOCKED: the call and its root, or empty: it goes on; MISMATCH: what is wrong
 */
public record Stall(long job, int context, long group, int number, int rank, int peer, String text) {
    private static final int TEXT_BYTES_MAX = 1024;

    /** Encodes as {@code type}: BLOCKED or MISMATCH. */
    public ByteBuffer encode(FrameType type) {
        return new FrameWriter(type, job, type.bytesMax())
                .i32(context)
                .i32(rank)
                .i64(group)
                .i32(number)
                .i32(peer)
                .text(text, TEXT_BYTES_MAX)
                .u16(0)
                .finish();
    }

    /** Reads a frame whose header was checked. @throws WireException if a field is missing */
    public static Stall decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame, Wire.HEADER_BYTES);
        long job = new FrameView().wrap(frame, frame.position()).job();
        int context = in.i32("context");
        int rank = in.i32("rank");
        long group = in.i64("group");
        int number = in.i32("number");
        int peer = in.i32("peer");
        String text = in.text("text");
        in.zero16();
        in.end();
        return new Stall(job, context, group, number, rank, peer, text);
    }
}
