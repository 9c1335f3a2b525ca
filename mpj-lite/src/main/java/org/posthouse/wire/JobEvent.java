package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * An event of one rank, sent by a relay to the job's launcher.
 *
 * @param job the job's id
 * @param kind one of the constants below
 * @param rank world rank
 * @param code {@link #ABORTED}: the status given to Abort, or {@link #STANDS} of the job itself; {@link #LOST} and
 * {@link #REFUSED}: a {@link CloseReason} code
 * @param a meaning depends on the kind
 * @param b meaning depends on the kind
 * @param text a line for people; may be empty
 */
public record JobEvent(long job, int kind, int rank, int code, long a, long b, String text) {
    public static final int CONNECTED = 1;
    public static final int FINALIZED = 2;
    public static final int ABORTED = 3;
    /**
     * Code of a job (rank -1) that cannot continue at this process of its relay. Its log stays as it is; another
     * process or build may continue it.
     */
    public static final int STANDS = ExitStatuses.LEFT;
    /** The rank's connection ended before it called Finalize. */
    public static final int LOST = 4;
    /** A connection that claimed to be this rank was refused. */
    public static final int REFUSED = 5;
    /** The job is closed at this relay; the last event of a job. The rank is -1. */
    public static final int CLOSED = 6;

    /** The rank's connection broke in a logged job. The relay waits for the rank or its next incarnation. */
    public static final int AWAY = 7;
    /** The rank or its next incarnation has reconnected. {@code a}: deliveries to be replayed, {@code b}: events. */
    public static final int REPLAYING = 8;
    /**
     * The rank has finished its replay. {@code a}: deliveries that were replayed, {@code b}: microseconds since it
     * reconnected.
     */
    public static final int CAUGHT_UP = 9;
    /** A restarted rank sent something else than before. {@code a}: sequence number, {@code b}: destination. */
    public static final int DIVERGED = 10;
    /**
     * A checkpoint of the rank was taken. {@code code}: number of its image, 0 for the end of the prologue; {@code a},
     * {@code b}: bytes that it had printed to its two streams by then.
     */
    public static final int CHECKPOINTED = 11;
    /** The rank did something that cannot be replayed. */
    public static final int LIMITED = 12;
    /** Where a process continues; a mark in its output replaces it. */
    private static final int RETIRED = 13;
    /** The log has too little room for the job, or has room again. {@code code}: 1 or 0. */
    public static final int LOG_STATE = 14;
    /** A link to a relay where the job has ranks is down, or up again. {@code code}: 1 or 0. */
    public static final int LINK_STATE = 15;
    /** The rank has finalized, and a send to it waits for a receive. Sent once for each rank. */
    public static final int UNRECEIVED = 16;
    /**
     * The rank saves. Its image counts when the launcher has confirmed the rank's output up to then ({@link JobKept}).
     * {@code code}: the incarnation of its process; {@code a}, {@code b}: bytes that this process had printed to its
     * two streams.
     */
    public static final int SAVES = 17;
    /**
     * The rank has been blocked for long in one call, which the text names, and none of its bytes have moved; or it
     * continues. {@code code}: seconds, or 0.
     */
    public static final int BLOCKED = 18;

    /** An event that needs no numbers. */
    public JobEvent(long job, int kind, int rank, int code, String text) {
        this(job, kind, rank, code, 0, 0, text);
    }

    /**
     * The rank waits in a send for a rank ({@code code}) that waits in a send itself. That rank matches this send at
     * the earliest when its own was matched. {@code a}, {@code b}: numbers of the two calls, as BLOCKED counts them.
     * The text names the call.
     */
    public static final int SENDS_BEHIND = 19;

    /** A process follows the rank. {@code code}: its incarnation. */
    public static final int FOLLOWS = 20;
    /**
     * A follower of the rank is gone, or was dropped for the reason in the text. {@code code}: its incarnation; {@code a}: a {@link
     * CloseReason} code.
     */
    public static final int FOLLOWER_LOST = 21;
    /**
     * A follower leads the rank. {@code code}: its incarnation before; {@code a}: from now on; {@code b}: deliveries and
     * events that it has not observed yet.
     */
    public static final int PROMOTED = 22;
    /**
     * Which process leads a rank that has been followed, for a launcher that has reconnected. {@code code}: its incarnation; {@code
     * a}: the one that it had as a follower, 0 if it never was one or that is not known any more.
     */
    public static final int LEADS = 23;

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

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
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
        if (event.kind < CONNECTED || event.kind > LEADS || event.kind == RETIRED) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "JOB_EVENT of kind " + event.kind + ", expected 1 to 23 without 13");
        }
        return event;
    }
}
