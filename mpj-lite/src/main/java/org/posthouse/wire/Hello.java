package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * The first frame of an authenticated rank, launcher, agent or follower ({@link Identify}). A rank's HELLO tells what the rank
 * remembers, and so does a follower's (docs/wire.md, HELLO). Pages of {@link StatePage} may follow with the rest. The relay compares all of it
 * with what it knows.
 *
 * @param kind {@link #RANK}, {@link #LAUNCHER}, {@link #AGENT} or {@link #FOLLOWER}
 * @param job the job's id; 0 for a launcher and an agent
 * @param rank world rank; 0 for a launcher and an agent
 * @param incarnation number of this process among all of the rank, from 1
 * @param start {@link #FRESH}, {@link #MOVED} or {@link #AGAIN}
 * @param deliveries messages delivered to the rank so far
 * @param failedPolls failed polls so far
 * @param events events of the rank's history so far, recorded or replayed
 * @param kept number of the first kept frame that the rank still has, from 1
 * @param pages number of STATE frames that follow
 * @param origin where the process continues behind its prologue: number of an image, {@link #NO_IMAGE}, or 0 while it
 * does not know
 */
public record Hello(
        int kind,
        long job,
        int rank,
        int incarnation,
        int start,
        long deliveries,
        long failedPolls,
        long events,
        long kept,
        int pages,
        int origin) {
    public static final int RANK = 1;
    public static final int LAUNCHER = 2;
    public static final int AGENT = 3;

    /** A process of a rank that observes the history of its leader and has no effects, until it is promoted. */
    public static final int FOLLOWER = 4;

    /** A process that has just started and remembers nothing. */
    public static final int FRESH = 0;

    /** The process continues after the relay asked it to reconnect: no frame is on its way. */
    public static final int MOVED = 1;

    /** The process continues after its connection broke: frames on their way may be lost. */
    public static final int AGAIN = 2;

    /** The origin of a process that knows that it continues behind its prologue without an image. */
    public static final int NO_IMAGE = -1;

    /** Most pages that may follow: half a million entries, 16 MiB. */
    public static final int PAGES_MAX = 256;

    /** The HELLO of a rank's process at the start of its given incarnation. */
    public static Hello start(long job, int rank, int incarnation) {
        return new Hello(RANK, job, rank, incarnation, FRESH, 0, 0, 0, 1, 0, 0);
    }

    /** The HELLO of a rank that starts for the first time. */
    public static Hello firstStart(long job, int rank) {
        return start(job, rank, 1);
    }

    /** The HELLO of a process that has just started and follows the rank. */
    public static Hello follower(long job, int rank, int incarnation) {
        return new Hello(FOLLOWER, job, rank, incarnation, FRESH, 0, 0, 0, 1, 0, 0);
    }

    /** The HELLO of a launcher. */
    public static Hello launcher() {
        return new Hello(LAUNCHER, 0, 0, 0, FRESH, 0, 0, 0, 0, 0, 0);
    }

    /** The HELLO of an agent. */
    public static Hello agent() {
        return new Hello(AGENT, 0, 0, 0, FRESH, 0, 0, 0, 0, 0, 0);
    }

    /** The HELLO of the same incarnation on a further connection, with what the rank remembers by then. */
    public Hello again(int start, long deliveries, long failedPolls, long events, long kept, int pages) {
        return new Hello(kind, job, rank, incarnation, start, deliveries, failedPolls, events, kept, pages, origin);
    }

    /** The same HELLO with the given origin. */
    public Hello from(int origin) {
        return new Hello(kind, job, rank, incarnation, start, deliveries, failedPolls, events, kept, pages, origin);
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.HELLO, job, FrameType.HELLO.bytesMax())
                .i32(Wire.MAGIC)
                .u16(Wire.VERSION)
                .u16(kind)
                .i32(rank)
                .i32(incarnation)
                .i32(start)
                .i64(deliveries)
                .i64(failedPolls)
                .i32(origin)
                .i32(pages)
                .i64(events)
                .i64(kept)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException on any other magic or version, or if a field is out of range
     */
    public static Hello decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        checkVersion(in);
        int kind = readKind(in);
        int rank = in.i32("rank");
        int incarnation = in.i32("incarnation");
        int start = in.i32("start");
        long deliveries = in.i64("deliveries");
        long failedPolls = in.i64("failed polls");
        int origin = in.i32("origin");
        int pages = in.i32("pages");
        long events = in.i64("events");
        long kept = in.i64("kept frames");
        in.end();
        checkStart(start, pages);
        checkOrigin(origin, start);
        long job = new FrameView().wrap(frame, frame.position()).job();
        Hello hello = new Hello(kind, job, rank, incarnation, start, deliveries, failedPolls, events, kept, pages, origin);
        hello.checkNumbers();
        return hello;
    }

    private void checkNumbers() throws WireException {
        boolean isProcess = kind == RANK || kind == FOLLOWER;
        if (isProcess && ((rank | deliveries | failedPolls | events) < 0 || incarnation < 1 || kept < 1)) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, this + ", expected incarnation and kept from 1 on, and no number below zero");
        }
        if (kind == FOLLOWER && (start == MOVED || kept != 1)) {
            throw new WireException(CloseReason.MALFORMED_FRAME, this + ", expected start 0 (fresh) or 2 (again) and no kept frames of a follower");
        }
    }

    static int readKind(FrameReader in) throws WireException {
        int kind = in.u16("kind");
        if (kind < RANK || kind > FOLLOWER) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "kind " + kind + ", expected 1 (rank), 2 (launcher), 3 (agent) or 4 (follower)");
        }
        return kind;
    }

    private static void checkOrigin(int origin, int start) throws WireException {
        if (origin < NO_IMAGE || origin != 0 && start == FRESH) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "HELLO with origin " + origin + " and start " + start + ", expected an image's number, -1 (none) or 0 (not known)");
        }
    }

    private static void checkStart(int start, int pages) throws WireException {
        if (start < FRESH || start > AGAIN) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "HELLO with start " + start + ", expected 0 (fresh), 1 (moved) or 2 (again)");
        }
        if (pages < 0 || pages > PAGES_MAX) {
            throw new WireException(CloseReason.LIMIT, "HELLO with " + pages + " pages of state, expected 0 to " + PAGES_MAX);
        }
    }

    static void checkVersion(FrameReader in) throws WireException {
        int magic = in.i32("magic");
        if (magic != Wire.MAGIC) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "magic 0x" + Integer.toHexString(magic) + ", expected 0x" + Integer.toHexString(Wire.MAGIC));
        }
        int version = in.u16("version");
        if (version != Wire.VERSION) {
            throw new WireException(
                    CloseReason.WRONG_VERSION, "wire version " + version + ", this end speaks " + Wire.VERSION);
        }
    }
}
