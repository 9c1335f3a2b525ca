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

    private final Collectives everybody;

    Intercomm(Self self, Group group, Group remote, int id, String name) {
        super(self, group, remote, id, name);
        union = union(group, remote);
        everybody = Collectives.of(new Intracomm(self, union, id, name), UNION_TAGS);
    }

    /** Both groups, in an order that does not depend on whose process asks. */
    static Group union(Group group, Group remote) {
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
        everybody.allgather(call, new boolean[] {high}, 0, 1, MPI.BOOLEAN, highs, 0, 1, MPI.BOOLEAN).run();
        boolean otherHigh = highs[union.rankOf(addressed.worldRank(0))];
        Group merged = high == otherHigh ? union : high ? Group.Union(addressed, group) : Group.Union(group, addressed);
        return new Intracomm(self, merged, maker.agree(), call + " of " + check.name());
    }

    @Override
    Collectives everybody() {
        return everybody;
    }

    @Override
    Intercomm copy(String call) {
        Intercomm copy = new Intercomm(self, group, addressed, new CommMaker(call, this).agree(), check.name());
        copyAttributesTo(copy);
        return copy;
    }

    /** As {@link #Dup}. */
    @Override
    public Intercomm clone() {
        return copy("clone");
    }

    @Override
    public Intercomm Dup() throws MPIException {
        return copy("Dup");
    }

    @Override
    public Intercomm dup() throws MPIException {
        return copy("dup");
    }
}
