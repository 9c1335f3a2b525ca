package mpi;

/**
 * A communicator of two groups that have no process in common: ranks in its calls are those of the other group. Its
 * collectives are Open MPI's lower-case ones.
 */
public class Intercomm extends Comm {
    /** Operations of {@link #everybody} count from here, those of the program's collectives from 0. */
    private static final int UNION_TAGS = 1 << 29;

    /** Both groups, in an order that all processes agree on. */
    private final Group union;

    /** Made anew when a copy that was pending gets its number. */
    private Collectives everybody;

    Intercomm(OwnProcess self, Group group, Group remote, int id, String name) {
        super(self, group, remote, id, name);
        union = union(group, remote);
        everybody = listed(ofUnion());
    }

    private Collectives ofUnion() {
        OwnProcess unlisted = self == null ? null : self.unlisted();
        return Collectives.of(new Intracomm(unlisted, union, id, check.name()), UNION_TAGS, collectives);
    }

    @Override
    void opened() {
        super.opened();
        everybody = listed(ofUnion());
    }

    /** The null communicator. */
    static Intercomm ofNobody() {
        return new Intercomm(null, Group.EMPTY, Group.EMPTY, NO_ID, "COMM_NULL");
    }

    /** The communicator of those who started this process from a program: a null one, as nobody can (ADR 9). */
    public static Intercomm getParent() throws MPIException {
        return ofNobody();
    }

    /** Both groups, in an order that does not depend on whose process asks. */
    static Group union(Group group, Group remote) {
        if (group.worldRanks().length == 0) {
            return Group.EMPTY;
        }
        return group.worldRank(0) < remote.worldRank(0) ? Group.Union(group, remote) : Group.Union(remote, group);
    }

    /** The number of processes in the other group. */
    public int Remote_size() throws MPIException {
        requireLive("Remote_size");
        return addressed.Size();
    }

    /** The other group, as an object of its own. */
    public Group Remote_group() throws MPIException {
        requireLive("Remote_group");
        return addressed.copy();
    }

    /**
     * One communicator of both groups.
     *
     * @param high whether this group comes behind the other; the same at all its processes. If both say the same, the one
     *     with the lowest process of COMM_WORLD in front comes first.
     */
    public Intracomm Merge(boolean high) throws MPIException {
        return merge("Merge", high);
    }

    /** As {@link #Remote_size}. */
    public int getRemoteSize() throws MPIException {
        return Remote_size();
    }

    /** As {@link #Remote_group}. */
    public Group getRemoteGroup() throws MPIException {
        return Remote_group();
    }

    /** As {@link #Merge}. */
    public Intracomm merge(boolean high) throws MPIException {
        return merge("merge", high);
    }

    private Intracomm merge(String call, boolean high) {
        CommMaker maker = new CommMaker(call, this);
        boolean[] highs = new boolean[union.Size()];
        everybody.allgather(call, new Elements(new boolean[] {high}, 0, 1, MPI.BOOLEAN), RankBlocks.even(highs, 0, 1, MPI.BOOLEAN)).run();
        boolean otherHigh = highs[union.rankOf(addressed.worldRank(0))];
        Group merged = high == otherHigh ? union : high ? Group.Union(addressed, group) : Group.Union(group, addressed);
        return heir(new Intracomm(self, merged, maker.agree(), ArgumentCheck.made(call, check.name())));
    }

    @Override
    Collectives everybody() {
        return everybody;
    }

    @Override
    Intercomm twin(int id) {
        return new Intercomm(self, group, addressed, id, check.name());
    }

    /** As {@link #Dup}. */
    @Override
    public Intercomm clone() {
        return copied("clone", this::twin);
    }

    @Override
    public Intercomm Dup() throws MPIException {
        return copied("Dup", this::twin);
    }

    @Override
    public Intercomm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    @Override
    public Intercomm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    @Override
    public Intercomm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }
}
