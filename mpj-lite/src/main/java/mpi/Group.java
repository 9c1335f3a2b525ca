package mpi;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * An ordered set of processes: which world rank each of its ranks is. The calling process need not be a member.
 * Immutable but for {@link #free}; calls on a group that was freed throw.
 */
public class Group implements Freeable {
    /** No process at all; there before Init, and not freed by {@link #free}. */
    static final Group EMPTY = new Group(new int[0], 0, MPI.UNDEFINED);

    private final int[] worldRanks;
    /** Rank of each world rank, or UNDEFINED. */
    private final int[] rankOf;
    /** World rank of the calling process, or UNDEFINED before Init. */
    private final int self;

    private final int rank;

    /** The joint job in which the world ranks count; 0: they are those of COMM_WORLD, or there are none. */
    private final long job;

    /** Written by the program's thread that frees it, read by any. */
    private volatile boolean freed;

    /**
     * @param worldRanks world rank of each rank; kept, not copied
     * @param worldSize number of processes in the job; 0 if there are none in the group
     * @param self world rank of the calling process
     */
    Group(int[] worldRanks, int worldSize, int self) {
        this(worldRanks, worldSize, self, 0);
    }

    private Group(int[] worldRanks, int worldSize, int self, long job) {
        this.job = job;
        this.worldRanks = worldRanks;
        this.self = self;
        rankOf = new int[worldSize];
        Arrays.fill(rankOf, MPI.UNDEFINED);
        for (int each = 0; each < worldRanks.length; each++) {
            rankOf[worldRanks[each]] = each;
        }
        rank = rankOf(self);
    }

    /** All processes of the job, in world order. */
    static Group world(int worldSize, int self) {
        return world(worldSize, worldSize, self);
    }

    /** As above, of a job whose ranks may have several processes, one after the other: the first of each, and in its place the calling one. */
    static Group world(int ranks, int processes, int self) {
        int[] worldRanks = new int[ranks];
        Arrays.setAll(worldRanks, each -> each == self % ranks ? self : each);
        return new Group(worldRanks, processes, self);
    }

    /** The processes of these ranks, of the job whose processes this group has. */
    Group ofSameJob(int[] ranks) {
        return new Group(ranks, rankOf.length, self, job);
    }

    /** All processes of a joint job, in its order. */
    static Group joint(int size, int self, long job) {
        int[] ranks = new int[size];
        Arrays.setAll(ranks, each -> each);
        return new Group(ranks, size, self, job);
    }

    /** A group that was freed before anybody saw it: GROUP_NULL. */
    static Group freed() {
        Group none = new Group(new int[0], 0, MPI.UNDEFINED);
        none.freed = true;
        return none;
    }

    /** The same processes as an object of its own, for a program to free. */
    Group copy() {
        return new Group(worldRanks, rankOf.length, self, job);
    }

    /** World ranks by rank. Not to be changed. */
    int[] worldRanks() {
        return worldRanks;
    }

    int worldRank(int rank) {
        return worldRanks[rank];
    }

    /** The rank of a process, or UNDEFINED if it is no member. */
    int rankOf(int worldRank) {
        return worldRank >= 0 && worldRank < rankOf.length ? rankOf[worldRank] : MPI.UNDEFINED;
    }

    // ---- what a group is

    /** The number of processes. */
    public int Size() throws MPIException {
        return size("Size");
    }

    /** As {@link #Size}. */
    public int getSize() throws MPIException {
        return size("getSize");
    }

    private int size(String call) {
        requireLive(call);
        return worldRanks.length;
    }

    /** The calling process's rank in the group, or {@link MPI#UNDEFINED}. */
    public int Rank() throws MPIException {
        return rank("Rank");
    }

    /** As {@link #Rank}. */
    public int getRank() throws MPIException {
        return rank("getRank");
    }

    private int rank(String call) {
        requireLive(call);
        return rank;
    }

    /**
     * The ranks in {@code group2} of the processes with {@code ranks1} in {@code group1}: {@link MPI#UNDEFINED} for
     * those that are no members. {@link MPI#PROC_NULL} stays what it is.
     */
    public static int[] Translate_ranks(Group group1, int[] ranks1, Group group2) throws MPIException {
        return translate("Translate_ranks", group1, ranks1, group2);
    }

    /** As {@link #Translate_ranks}. */
    public static int[] translateRanks(Group group1, int[] ranks1, Group group2) throws MPIException {
        return translate("translateRanks", group1, ranks1, group2);
    }

    private static int[] translate(String call, Group from, int[] ranks, Group to) {
        requireAllLive(call, from, to);
        from.require(call, ranks, rank -> rank == MPI.PROC_NULL);
        return Arrays.stream(ranks)
                .map(rank -> rank == MPI.PROC_NULL ? rank : to.rankOf(from.worldRank(rank)))
                .toArray();
    }

    /** {@link MPI#IDENT} for the same processes in the same order, {@link MPI#SIMILAR} in another, else UNEQUAL. */
    public static int Compare(Group group1, Group group2) throws MPIException {
        return compare("Compare", group1, group2);
    }

    /** As {@link #Compare}. */
    public static int compare(Group group1, Group group2) throws MPIException {
        return compare("compare", group1, group2);
    }

    private static int compare(String call, Group left, Group right) {
        requireAllLive(call, left, right);
        if (Arrays.equals(left.worldRanks, right.worldRanks)) {
            return MPI.IDENT;
        }
        boolean same = left.worldRanks.length == right.worldRanks.length
                && Arrays.stream(left.worldRanks).allMatch(right::has);
        return same ? MPI.SIMILAR : MPI.UNEQUAL;
    }

    private boolean has(int worldRank) {
        return rankOf(worldRank) != MPI.UNDEFINED;
    }

    // ---- groups of groups

    /** The processes of the first group, then those of the second that are not in the first. */
    public static Group Union(Group group1, Group group2) throws MPIException {
        return union("Union", group1, group2);
    }

    /** As {@link #Union}. */
    public static Group union(Group group1, Group group2) throws MPIException {
        return union("union", group1, group2);
    }

    private static Group union(String call, Group first, Group second) {
        requireAllLive(call, first, second);
        IntStream added = Arrays.stream(second.worldRanks).filter(each -> !first.has(each));
        return first.with(second, IntStream.concat(Arrays.stream(first.worldRanks), added));
    }

    /** The processes of the first group that are in the second too, in the first one's order. */
    public static Group Intersection(Group group1, Group group2) throws MPIException {
        return intersection("Intersection", group1, group2);
    }

    /** As {@link #Intersection}. */
    public static Group intersection(Group group1, Group group2) throws MPIException {
        return intersection("intersection", group1, group2);
    }

    private static Group intersection(String call, Group first, Group second) {
        requireAllLive(call, first, second);
        return first.with(second, Arrays.stream(first.worldRanks).filter(second::has));
    }

    /** The processes of the first group that are not in the second, in the first one's order. */
    public static Group Difference(Group group1, Group group2) throws MPIException {
        return difference("Difference", group1, group2);
    }

    /** As {@link #Difference}. */
    public static Group difference(Group group1, Group group2) throws MPIException {
        return difference("difference", group1, group2);
    }

    private static Group difference(String call, Group first, Group second) {
        requireAllLive(call, first, second);
        return first.with(second, Arrays.stream(first.worldRanks).filter(each -> !second.has(each)));
    }

    /** A group of world ranks that come from this group and another one; either may be of before Init. */
    private Group with(Group other, IntStream members) {
        return new Group(members.toArray(), Math.max(rankOf.length, other.rankOf.length), Math.max(self, other.self), job | other.job);
    }

    /** The processes with these ranks, in this order. */
    public Group Incl(int[] ranks) throws MPIException {
        return incl("Incl", ranks);
    }

    /** As {@link #Incl}. */
    public Group incl(int[] ranks) throws MPIException {
        return incl("incl", ranks);
    }

    private Group incl(String call, int[] ranks) {
        requireDistinct(call, ranks);
        return with(this, Arrays.stream(ranks).map(this::worldRank));
    }

    /** All processes but those with these ranks, in the group's order. */
    public Group Excl(int[] ranks) throws MPIException {
        return excl("Excl", ranks);
    }

    /** As {@link #Excl}. */
    public Group excl(int[] ranks) throws MPIException {
        return excl("excl", ranks);
    }

    private Group excl(String call, int[] ranks) {
        boolean[] out = requireDistinct(call, ranks);
        return with(this, IntStream.range(0, out.length).filter(each -> !out[each]).map(this::worldRank));
    }

    /** As {@link #Incl}, with rows of first rank, last rank and stride. */
    public Group Range_incl(int[][] ranges) throws MPIException {
        return incl("Range_incl", ranks("Range_incl", ranges));
    }

    /** As {@link #Range_incl}. */
    public Group rangeIncl(int[][] ranges) throws MPIException {
        return incl("rangeIncl", ranks("rangeIncl", ranges));
    }

    /** As {@link #Excl}, with rows of first rank, last rank and stride. */
    public Group Range_excl(int[][] ranges) throws MPIException {
        return excl("Range_excl", ranks("Range_excl", ranges));
    }

    /** As {@link #Range_excl}. */
    public Group rangeExcl(int[][] ranges) throws MPIException {
        return excl("rangeExcl", ranks("rangeExcl", ranges));
    }

    private int[] ranks(String call, int[][] ranges) {
        requireLive(call);
        if (ranges == null) {
            throw error(MPI.ERR_ARG, call, "the ranges are null");
        }
        return Arrays.stream(ranges).flatMapToInt(range -> ranks(call, range)).toArray();
    }

    private IntStream ranks(String call, int[] range) {
        if (range == null || range.length != 3 || range[2] == 0) {
            throw error(
                    MPI.ERR_ARG,
                    call,
                    "a range is " + Arrays.toString(range) + ", expected first rank, last rank and a stride but 0");
        }
        long steps = Math.floorDiv((long) range[1] - range[0], range[2]);
        long last = range[0] + Math.max(0, steps) * range[2];
        // The last rank that is named need not be met, and so may be none of the group.
        require(call, new int[] {range[0], Math.toIntExact(last)}, rank -> false);
        return IntStream.rangeClosed(0, (int) steps).map(step -> range[0] + step * range[2]);
    }

    // ---- giving back

    /** Gives the group back. {@link MPI#GROUP_EMPTY} stays. */
    @Override
    public void free() throws MPIException {
        requireLive("free");
        freed = this != EMPTY;
    }

    /** As {@link #free}. */
    public void Free() throws MPIException {
        free();
    }

    /** Whether the group was given back. */
    public boolean isNull() {
        return freed;
    }

    /** Does nothing; for programs that call it. */
    @Override
    @SuppressWarnings({"deprecation", "Finalize"}) // The API has it; a body would make the collector's work harder.
    public void finalize() throws MPIException {}

    // ---- checks

    /** Throws if the group was freed. */
    void requireLive(String call) {
        if (freed) {
            throw new MPIException(MPI.ERR_GROUP, call + ": the group was freed");
        }
    }

    private static void requireAllLive(String call, Group... groups) {
        for (Group group : groups) {
            if (group == null) {
                throw new MPIException(MPI.ERR_GROUP, call + ": a group is null");
            }
            group.requireLive(call);
            group.requireSameJob(call, groups[0]);
        }
    }

    /** The same process has one rank in its own job and another one in each joint job, so their groups cannot be compared. */
    void requireSameJob(String call, Group other) {
        if (job != other.job && rankOf.length > 0 && other.rankOf.length > 0) {
            throw error(
                    MPI.ERR_GROUP, call, "the other group is of another job: groups of a communicator that accept or connect made with another job, and of"
                            + " those made from it, go together only with each other");
        }
    }

    private void require(String call, int[] ranks, IntPredicate other) {
        if (ranks == null) {
            throw error(MPI.ERR_ARG, call, "the ranks are null");
        }
        for (int each : ranks) {
            if ((each < 0 || each >= worldRanks.length) && !other.test(each)) {
                throw error(MPI.ERR_RANK, call, "rank is " + each + ", expected 0 to " + (worldRanks.length - 1));
            }
        }
    }

    /** Which ranks are among these. */
    private boolean[] requireDistinct(String call, int[] ranks) {
        requireLive(call);
        require(call, ranks, rank -> false);
        boolean[] named = new boolean[worldRanks.length];
        for (int each : ranks) {
            if (named[each]) {
                throw error(MPI.ERR_RANK, call, "rank " + each + " is named twice, expected once at most");
            }
            named[each] = true;
        }
        return named;
    }

    private MPIException error(int errorClass, String call, String what) {
        return new MPIException(errorClass, call + " of a group of " + worldRanks.length + ": " + what);
    }
}
