package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
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
 * @param onFailure what becomes of the job when a rank dies. With BLANK, SHRINK and REBUILD, only without a log, ranks are told and go on; so they are with
 *     RESTART_BLANK and RESTART_SHRINK, only with a log, when the launcher says that the rank is not started again
 * @param followed of a job without a log, the ranks that processes follow; else none
 * @param processesPerRank most processes of each rank, one after the other, that are ranks of their own for the relays (ADR 112); 1 unless
 * {@code onFailure} is REBUILD. {@code homeOf} has them all: the {@code k}-th process of rank {@code r}, from 0, is at {@code r + k * ranks}
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
        FailureMode onFailure,
        FollowedRanks followed,
        int processesPerRank) {
    /** Most ranks of a job that fit one frame. */
    public static final int RANKS_MAX = 16_384;

    /** Longest that a job is kept without its launcher: 31 days. */
    public static final int KEEP_SECONDS_MAX = 31 * 86_400;

    // Bits of the word that says how the job is opened.
    private static final int AGAIN = 1;
    private static final int KEEPS_OUTPUT = 2;
    private static final int JOINT = 4;
    private static final int TELLS_FAILURES = 8;

    /** SHRINK and not BLANK, or ABORT in a logged job. */
    private static final int SECOND_MODE = 16;

    /** Some ranks are followed, and the histories of these are kept in memory. */
    private static final int FOLLOWED = 32;

    /** REBUILD; the number of processes of each rank follows. */
    private static final int REBUILDS = 64;

    private static final int START_BITS = AGAIN | KEEPS_OUTPUT | JOINT | TELLS_FAILURES | SECOND_MODE | FOLLOWED | REBUILDS;

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
        this(job, token, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, List.of(), FailureMode.usual(durability != Durability.NONE),
                FollowedRanks.NONE, 1);
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
                join.joint(), token, durability, false, name, join.homes(), join.homeOf(), 0, false, List.of(join.accepting(), join.connecting()),
                FailureMode.usual(durability != Durability.NONE), FollowedRanks.NONE, 1);
    }

    /** Whether its ranks are processes of two other jobs. */
    public boolean isJoint() {
        return !parts.isEmpty();
    }

    /** The same job, for a launcher that returns to it. */
    public JobOpen comingBack() {
        return new JobOpen(job, token, durability, true, name, homes, homeOf, keepSeconds, keepsOutput, parts, onFailure, followed, processesPerRank);
    }

    /** The same job, with a launcher that keeps the ranks' output. */
    public JobOpen keepingOutput() {
        return new JobOpen(job, token, durability, again, name, homes, homeOf, keepSeconds, true, parts, onFailure, followed, processesPerRank);
    }

    /** The same job with another mode. */
    public JobOpen with(FailureMode other) {
        return new JobOpen(job, token, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, parts, other, followed, processesPerRank);
    }

    /** The same job without a log, with processes that follow these ranks. */
    public JobOpen with(FollowedRanks others) {
        return new JobOpen(job, token, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, parts, onFailure, others, processesPerRank);
    }

    /** Whether its relays keep the histories of some ranks in memory, for processes that follow these. */
    public boolean remembers() {
        return followed.areAny();
    }

    /** The same job, whose ranks get new processes when they die: so many for each rank with the first. Each has its rank's home. */
    public JobOpen rebuilding(int processes) {
        int[] homeOfAll = new int[Math.multiplyExact(homeOf.length, processes)];
        Arrays.setAll(homeOfAll, process -> homeOf[process % homeOf.length]);
        return new JobOpen(
                job, token, durability, again, name, homes, homeOfAll, keepSeconds, keepsOutput, parts, FailureMode.REBUILD, followed, processes);
    }

    /** Number of ranks that the program sees. */
    public int ranks() {
        return homeOf.length / processesPerRank;
    }

    /** Whether its ranks are told of a rank that has died, and go on. */
    public boolean tellsFailures() {
        return onFailure.isTold();
    }

    private int failureBits() {
        boolean isSecond = onFailure == FailureMode.SHRINK || onFailure == FailureMode.RESTART_SHRINK || logged() && onFailure == FailureMode.ABORT;
        return (onFailure.isTold() ? TELLS_FAILURES : 0) | (isSecond ? SECOND_MODE : 0) | (onFailure == FailureMode.REBUILD ? REBUILDS : 0);
    }

    private static FailureMode failureMode(int start, boolean logged) {
        boolean isSecond = (start & SECOND_MODE) != 0;
        if ((start & REBUILDS) != 0) {
            return FailureMode.REBUILD;
        }
        if ((start & TELLS_FAILURES) != 0) {
            if (logged) {
                return isSecond ? FailureMode.RESTART_SHRINK : FailureMode.RESTART_BLANK;
            }
            return isSecond ? FailureMode.SHRINK : FailureMode.BLANK;
        }
        return FailureMode.usual(logged && !isSecond);
    }

    /** The request for one of its relays, with that relay's own token. */
    public JobOpen at(String relay) {
        return with(token.ofRelay(relay));
    }

    /** The same with another token. */
    public JobOpen with(Token other) {
        return new JobOpen(job, other, durability, again, name, homes, homeOf, keepSeconds, keepsOutput, parts, onFailure, followed, processesPerRank);
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

    /** Number of ranks for the relays, those of later processes included. */
    public int size() {
        return homeOf.length;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.JOB_OPEN, job, BYTES_MAX)
                .i64(token.high())
                .i64(token.low())
                .u16((again ? AGAIN : 0) | (keepsOutput ? KEEPS_OUTPUT : 0) | (isJoint() ? JOINT : 0) | (remembers() ? FOLLOWED : 0) | failureBits())
                .u16(durability.code())
                .name(name);
        HomeRelay.write(out, homes);
        RankMapCodec.write(out, homeOf);
        out.i32(keepSeconds);
        parts.forEach(part -> part.write(out));
        if (remembers()) {
            followed.write(out);
        }
        if (onFailure == FailureMode.REBUILD) {
            out.i32(processesPerRank);
        }
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
        boolean isUnlogged = (start & (FOLLOWED | REBUILDS)) != 0;
        requireAlone(start);
        if ((start & ~START_BITS) != 0 || durability > Durability.HOST.code() || isUnlogged && durability != Durability.NONE.code()) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "JOB_OPEN with start " + start + " and durability " + durability + ", expected bits of " + START_BITS + ", and 0 to 2; with bits of "
                            + (FOLLOWED | REBUILDS) + ", 0");
        }
        String name = in.text("name");
        List<HomeRelay> homes = HomeRelay.read(in);
        int[] homeOf = RankMapCodec.read(in, homes.size());
        int keepSeconds = in.i32("keep");
        List<JobJoin.Part> parts = (start & JOINT) != 0 ? List.of(JobJoin.Part.read(in), JobJoin.Part.read(in)) : List.of();
        FollowedRanks followed = (start & FOLLOWED) != 0 ? FollowedRanks.read(in, homeOf.length) : FollowedRanks.NONE;
        int processesPerRank = (start & REBUILDS) != 0 ? in.i32("processes of a rank") : 1;
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
        checkProcesses(homeOf, processesPerRank);
        return new JobOpen(
                job, token, Durability.of(durability), (start & AGAIN) != 0, name, homes, homeOf, keepSeconds, (start & KEEPS_OUTPUT) != 0, parts,
                failureMode(start, durability != 0), followed, processesPerRank);
    }

    private static void requireAlone(int start) throws WireException {
        if ((start & REBUILDS) != 0 && ((start & TELLS_FAILURES) == 0 || (start & FOLLOWED) != 0)) {
            throw new WireException(CloseReason.MALFORMED_FRAME,
                    "JOB_OPEN with start " + start + " that has " + REBUILDS + " (new processes for the dead), expected with it " + TELLS_FAILURES
                            + ", and not "
                            + FOLLOWED);
        }
    }

    private static void checkProcesses(int[] homeOf, int processesPerRank) throws WireException {
        if (processesPerRank < 1 || homeOf.length % processesPerRank != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME,
                    "JOB_OPEN of " + homeOf.length + " processes, " + processesPerRank + " for each rank, expected as many for each");
        }
        int ranks = homeOf.length / processesPerRank;
        for (int process = ranks; process < homeOf.length; process++) {
            if (homeOf[process] != homeOf[process % ranks]) {
                throw new WireException(CloseReason.MALFORMED_FRAME,
                        "JOB_OPEN with process " + process + " at home " + homeOf[process] + ", expected " + homeOf[process % ranks] + ", that of its rank "
                                + process % ranks);
            }
        }
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
