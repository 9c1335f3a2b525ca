package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A launcher's request to open a job at a relay, sent before any of its ranks is started.
 *
 * @param job the job's id, drawn by the launcher
 * @param token the secret from which each rank's own is derived ({@link Token#ofRank}); of the launcher's, which is for
 * all relays, each relay has its own
 * @param durability the failure that a sent message survives
 * @param again whether the job is open already, and its launcher returns to it
 * @param name the job's name for people
 * @param homes the relays at which the job's ranks are homed
 * @param homeOf for every rank, an index in {@code homes}
 * @param keepSeconds seconds that a logged job is kept without its launcher, at most {@link #KEEP_SECONDS_MAX}; 0: as
 * its relays are set
 * @param keepsOutput whether its launcher keeps the ranks' output for a later launcher; an image then counts when the
 * launcher has that output ({@link JobKept})
 * @param parts of a joint job, which has no launcher: the processes of the two jobs that it joins, as in {@link JobJoin}; else empty
 * @param tellsFailures whether the ranks are told of a rank that has died, and go on; only without a log
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a list would box every rank's index
public record JobOpen(
        long job,
        Token token,
        Durability durability,
        boolean again,
        String name,
        List<HomeRelay> homes,
        int[] homeOf,
        int keepSeconds,
        boolean keepsOutput,
        List<JobJoin.Part> parts,
        boolean tellsFailures) {
    /** Most ranks of a job that fit one frame. */
    public static final int RANKS_MAX = 16_384;

    /** Longest that a job is kept without its launcher: 31 days. */
    public static final int KEEP_SECONDS_MAX = 31 * 86_400;

    // Bits of the word that says how the job is opened.
    private static final int AGAIN = 1;
    private static final int KEEPS_OUTPUT = 2;
    private static final int JOINT = 4;
    private static final int TELLS_FAILURES = 8;

    /**
     * Longest JOB_OPEN. It is shorter than a frame by more than the other content of a rank's WELCOME, so that the
     * WELCOME can repeat it.
     */
    private static final int BYTES_MAX = Wire.FRAME_BYTES_MAX - 64;

    public JobOpen {
        parts = List.copyOf(parts);
    }

    /** A job of a launcher. */
    public JobOpen(
            long job, Token token, Durability durability, boolean again, String name, List<HomeRelay> homes, int[] homeOf, int keepSeconds,
            boolean keepsOutput) {
        this(job, token, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, List.of(), false);
    }

    /** A job that is kept without its launcher for as long as its relays are set to. */
    public JobOpen(long job, Token token, Durability durability, boolean again, String name, List<HomeRelay> homes, int[] homeOf) {
        this(job, token, durability, again, name, homes, homeOf, 0, false);
    }

    /** A new job. Its log, if any, is for crashes of processes. */
    public JobOpen(long job, Token token, boolean logged, String name, List<HomeRelay> homes, int[] homeOf) {
        this(job, token, logged ? Durability.PROCESS : Durability.NONE, false, name, homes, homeOf);
    }

    /** A joint job, as one of its ranks asks for it. */
    public static JobOpen joint(JobJoin join, Token token, Durability durability, String name) {
        return new JobOpen(
                join.joint(), token, durability, false, name, join.homes(), join.homeOf(), 0, false, List.of(join.accepting(), join.connecting()), false);
    }

    /** Whether its ranks are processes of two other jobs. */
    public boolean isJoint() {
        return !parts.isEmpty();
    }

    /** The same job, for a launcher that returns to it. */
    public JobOpen comingBack() {
        return new JobOpen(job, token, durability, true, name, homes, homeOf, keepSeconds, keepsOutput, parts, tellsFailures);
    }

    /** The same job, with a launcher that keeps the ranks' output. */
    public JobOpen keepingOutput() {
        return new JobOpen(job, token, durability, again, name, homes, homeOf, keepSeconds, true, parts, tellsFailures);
    }

    /** The same job, whose ranks are told of failures and go on. */
    public JobOpen tellingFailures() {
        return new JobOpen(job, token, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, parts, true);
    }

    /** The request for one of its relays, with that relay's own token. */
    public JobOpen at(String relay) {
        return with(token.ofRelay(relay));
    }

    /** The same with another token. */
    public JobOpen with(Token other) {
        return new JobOpen(job, other, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, parts, tellsFailures);
    }

    /**
     * The token of a rank, given to it by the launcher. The rank proves itself with it to its own relay, and to no
     * other.
     */
    public Token tokenOf(int rank) {
        return token.ofRelay(homes.get(homeOf[rank]).relay()).ofRank(rank);
    }

    /** Whether messages and deliveries are logged. */
    public boolean logged() {
        return durability != Durability.NONE;
    }

    /** Whether outgoing frames of a relay wait for the disk. */
    public boolean survivesHost() {
        return durability == Durability.HOST;
    }

    public int size() {
        return homeOf.length;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.JOB_OPEN, job, BYTES_MAX)
                .i64(token.high())
                .i64(token.low())
                .u16((again ? AGAIN : 0) | (keepsOutput ? KEEPS_OUTPUT : 0) | (isJoint() ? JOINT : 0) | (tellsFailures ? TELLS_FAILURES : 0))
                .u16(durability.code())
                .name(name);
        HomeRelay.write(out, homes);
        RankMapCodec.write(out, homeOf);
        out.i32(keepSeconds);
        parts.forEach(part -> part.write(out));
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static JobOpen decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        Token token = new Token(in.i64("token"), in.i64("token"));
        int start = in.u16("start");
        int durability = in.u16("durability");
        if (start > (AGAIN | KEEPS_OUTPUT | JOINT | TELLS_FAILURES) || durability > Durability.HOST.code()) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "JOB_OPEN with start " + start + " and durability " + durability + ", expected 0 to 15, and 0 to 2");
        }
        String name = in.text("name");
        List<HomeRelay> homes = HomeRelay.read(in);
        int[] homeOf = RankMapCodec.read(in, homes.size());
        int keepSeconds = in.i32("keep");
        List<JobJoin.Part> parts = (start & JOINT) != 0 ? List.of(JobJoin.Part.read(in), JobJoin.Part.read(in)) : List.of();
        in.end();
        if (homeOf.length == 0 || homeOf.length > RANKS_MAX) {
            throw tooManyRanks(homeOf.length);
        }
        if (keepSeconds < 0 || keepSeconds > KEEP_SECONDS_MAX) {
            throw new WireException(CloseReason.LIMIT, "job to be kept for " + keepSeconds + " s, expected 0 to " + KEEP_SECONDS_MAX);
        }
        long job = new FrameView().wrap(frame, frame.position()).job();
        if (job == 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "JOB_OPEN of job 0, which is none");
        }
        checkHomes(homes);
        checkParts(parts, homeOf.length);
        return new JobOpen(
                job, token, Durability.of(durability), (start & AGAIN) != 0, name, homes, homeOf, keepSeconds, (start & KEEPS_OUTPUT) != 0, parts,
                (start & TELLS_FAILURES) != 0);
    }

    private static void checkParts(List<JobJoin.Part> parts, int ranks) throws WireException {
        int joined = 0;
        for (JobJoin.Part part : parts) {
            joined += part.worldRanks().length;
        }
        if (!parts.isEmpty() && (joined != ranks || parts.get(0).job() == parts.get(1).job())) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "JOB_OPEN of a joint job of " + ranks + " ranks, with " + joined + " processes of jobs "
                    + parts.get(0).job() + " and " + parts.get(1).job() + ", expected as many, of two jobs");
        }
    }

    static WireException tooManyRanks(long ranks) {
        return new WireException(CloseReason.LIMIT, "job of " + ranks + " ranks, expected 1 to " + RANKS_MAX);
    }

    static void checkHomes(List<HomeRelay> homes) throws WireException {
        Set<String> relays = new HashSet<>();
        for (HomeRelay homeRelay : homes) {
            if (!relays.add(homeRelay.relay())) {
                throw new WireException(CloseReason.MALFORMED_FRAME, "a job with relay " + homeRelay.relay() + " twice among its homes");
            }
        }
    }
}
