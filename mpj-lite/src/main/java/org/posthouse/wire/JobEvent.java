package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * What a relay tells a job's launcher about one rank.
 *
 * @param job the job's id
 * @param kind one of the constants below
 * @param rank world rank
 * @param code {@link #ABORTED}: the status given to Abort, or {@link #STANDS} of the job itself; {@link #LOST} and {@link #REFUSED}: a {@link CloseReason} code
 * @param a what the kind says
 * @param b what the kind says
 * @param text a line for people; may be empty
 */
public record JobEvent(long job, int kind, int rank, int code, long a, long b, String text) {
    public static final int CONNECTED = 1;
    public static final int FINALIZED = 2;
    public static final int ABORTED = 3;
    /** Code of a job (rank -1) that cannot go on at this process of its relay and stands in the log as it is: another process, or build, might. */
    public static final int STANDS = ExitStatuses.LEFT;
    /** The rank's connection ended before it called Finalize. */
    public static final int LOST = 4;
    /** Somebody who claimed to be this rank was turned away. */
    public static final int REFUSED = 5;
    /** The job is closed at this relay; the last event of a job. The rank is -1. */
    public static final int CLOSED = 6;

    /** The rank's connection broke in a job that is logged: it is awaited, or its next incarnation. */
    public static final int AWAY = 7;
    /** The rank, or its next incarnation, is back. {@code a}: deliveries to be replayed, {@code b}: events. */
    public static final int REPLAYING = 8;
    /** The rank is where it was. {@code a}: deliveries that were replayed, {@code b}: microseconds since it came. */
    public static final int CAUGHT_UP = 9;
    /** A restarted rank sent something else than before. {@code a}: sequence number, {@code b}: destination. */
    public static final int DIVERGED = 10;
    /**
     * A checkpoint of the rank was taken. {@code code}: number of its image, 0 for the end of the prologue; {@code a}, {@code b}: bytes
     * that it had printed to its two streams by then.
     */
    public static final int CHECKPOINTED = 11;
    /** The rank did what cannot be replayed. */
    public static final int LIMITED = 12;
    /** Where a process goes on, which a mark in its output says now. */
    private static final int RETIRED = 13;
    /** The log has too little room for the job, or has room again. {@code code}: 1 or 0. */
    public static final int LOG_STATE = 14;
    /** A link to a relay where the job has ranks is down, or up again. {@code code}: 1 or 0. */
    public static final int LINK_STATE = 15;
    /** The rank has finalized, and a send to it waits for a receive: said once for each rank. */
    public static final int UNRECEIVED = 16;
    /**
     * The rank saves, and its image counts when the launcher has said that it has what the rank had printed by then ({@link JobKept}).
     * {@code code}: the incarnation of its process; {@code a}, {@code b}: bytes that this process had printed to its two streams.
     */
    public static final int SAVES = 17;
    /**
     * The rank has been blocked in one call for long, which the text names, and nothing of it has moved; or it goes on. {@code code}: seconds,
     * or 0.
     */
    public static final int BLOCKED = 18;

    /** An event that needs no numbers. */
    public JobEvent(long job, int kind, int rank, int code, String text) {
        this(job, kind, rank, code, 0, 0, text);
    }

    /**
     * The rank waits in a send for a rank (code) that waits in a send itself, and matches this one's when its own was matched at the earliest (a, b: numbers of the two calls, as BLOCKED
     * counts them); the text names the call.
     */
    public static final int SENDS_BEHIND = 19;

    private static final int TEXT_BYTES_MAX = 4096;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOB_EVENT, job)
                .i32(kind)
                .i32(rank)
                .i32(code)
                .i64(a)
                .i64(b)
                .text(text, TEXT_BYTES_MAX)
                .u16(0)
                .finish();
    }

    /** Reads a frame whose header was checked. @throws WireException if a field is missing */
    public static JobEvent decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        JobEvent event = new JobEvent(
                new FrameView().wrap(frame, frame.position()).job(),
                in.i32("kind"),
                in.i32("rank"),
                in.i32("code"),
                in.i64("first number"),
                in.i64("second number"),
                in.text("text"));
        in.zero16();
        in.end();
        if (event.kind < CONNECTED || event.kind > SENDS_BEHIND || event.kind == RETIRED) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "JOB_EVENT of kind " + event.kind + ", expected 1 to 19 without 13");
        }
        return event;
    }
}
