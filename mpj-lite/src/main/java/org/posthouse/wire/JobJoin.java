package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A rank's request to take part in a joint job: one whose ranks are processes of two other jobs. Each of its ranks asks its own
 * relay, and the first of them opens the joint job there.
 *
 * @param job the job of the rank that asks
 * @param joint the joint job's id
 * @param rank the number that the asking rank has in the joint job
 * @param accepting the part of the job that has accepted, whose ranks come first
 * @param connecting the part of the job that has connected
 * @param homes the relays at which the ranks are homed
 * @param homeOf for every rank of the joint job, an index in {@code homes}
 */
@SuppressWarnings("ArrayRecordComponent") // compared by sameJoint; a list would box every rank's index
public record JobJoin(long job, long joint, int rank, Part accepting, Part connecting, List<HomeRelay> homes, int[] homeOf) {
    /** The field of a job's record ({@link #sideName}) that is there when all of its group have joined. */
    public static final String JOINED_FIELD = "join";

    /** The field of a job's record that says why its group has not joined. */
    public static final String REFUSED_FIELD = "refused";

    /** Longest frame: its JOB_OPEN, which has a name too, and the WELCOME of its ranks then fit as well. */
    private static final int BYTES_MAX = Wire.FRAME_BYTES_MAX - 512;

    /**
     * The processes of one job that take part.
     *
     * @param job the job's id
     * @param worldRanks their ranks there, in the order in which they are ranks of the joint job
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by isSame
    public record Part(long job, int[] worldRanks) {
        boolean isSame(Part other) {
            return job == other.job && Arrays.equals(worldRanks, other.worldRanks);
        }

        void write(FrameWriter out) {
            out.i64(job).i32(worldRanks.length);
            for (int worldRank : worldRanks) {
                out.i32(worldRank);
            }
        }

        static Part read(FrameReader in) throws WireException {
            long job = in.i64("job of a part");
            int[] worldRanks = new int[in.count(Integer.BYTES, "ranks of a part")];
            for (int i = 0; i < worldRanks.length; i++) {
                worldRanks[i] = in.i32("world rank", 0, JobOpen.RANKS_MAX - 1);
            }
            if (job == 0 || worldRanks.length == 0) {
                throw new WireException(
                        CloseReason.MALFORMED_FRAME, "part of a joint job with " + worldRanks.length + " ranks of job " + job + ", expected ranks of a job");
            }
            return new Part(job, worldRanks);
        }
    }

    /** The name that a job binds while it takes part; no program's publishName gives one like it. */
    public String sideName(Part part) {
        return sideName(joint, part.job());
    }

    /** The name that a job binds before any of its ranks asks to take part, and until its side's is bound. */
    public String comingName(Part part) {
        return comingName(joint, part.job());
    }

    /** As above, by ids. */
    public static String comingName(long joint, long job) {
        return sideName(joint, job) + "/coming";
    }

    /** As above, by ids. */
    public static String sideName(long joint, long job) {
        return String.format("mpi/_joint/%016x/%016x", joint, job);
    }

    /** The request by which a relay has opened a joint job. */
    public static JobJoin of(JobOpen opening) {
        JobJoin.Part accepting = opening.parts().get(0);
        return new JobJoin(accepting.job(), opening.job(), 0, accepting, opening.parts().get(1), opening.homes(), opening.homeOf());
    }

    /** Number of the joint job's ranks. */
    public int size() {
        return homeOf.length;
    }

    /** The part of a rank of the joint job. */
    public Part partOf(int jointRank) {
        return jointRank < accepting.worldRanks.length ? accepting : connecting;
    }

    /** The rank that a rank of the joint job has in its own job. */
    public int worldRankOf(int jointRank) {
        int before = accepting.worldRanks.length;
        return jointRank < before ? accepting.worldRanks[jointRank] : connecting.worldRanks[jointRank - before];
    }

    /** The same joint job, as another of its ranks asks for it. */
    public JobJoin by(int jointRank) {
        return new JobJoin(partOf(jointRank).job(), joint, jointRank, accepting, connecting, homes, homeOf);
    }

    /** Whether another rank asks for the same joint job. */
    public boolean isSameJoint(JobJoin other) {
        return joint == other.joint && accepting.isSame(other.accepting) && connecting.isSame(other.connecting) && homes.equals(other.homes)
                && Arrays.equals(homeOf, other.homeOf);
    }

    /** @throws IllegalArgumentException if there are too many ranks for one frame */
    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.JOB_JOIN, job, BYTES_MAX).i64(joint).i32(rank);
        accepting.write(out);
        connecting.write(out);
        HomeRelay.write(out, homes);
        RankMapCodec.write(out, homeOf);
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static JobJoin decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        long joint = in.i64("joint job");
        int rank = in.i32("rank", 0, JobOpen.RANKS_MAX - 1);
        Part accepting = Part.read(in);
        Part connecting = Part.read(in);
        List<HomeRelay> homes = HomeRelay.read(in);
        int[] homeOf = RankMapCodec.read(in, homes.size());
        in.end();
        int ranks = accepting.worldRanks.length + connecting.worldRanks.length;
        if (joint == 0 || homeOf.length != ranks || rank >= ranks || accepting.job == connecting.job) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "JOB_JOIN of rank " + rank + " of joint job " + joint + " with " + homeOf.length
                    + " homes of ranks, of jobs " + accepting.job + " and " + connecting.job + " with " + ranks
                    + " ranks, expected ranks of two jobs with a home each");
        }
        JobOpen.checkHomes(homes);
        return new JobJoin(new FrameView().wrap(frame, frame.position()).job(), joint, rank, accepting, connecting, homes, homeOf);
    }
}
