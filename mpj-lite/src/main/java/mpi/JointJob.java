package mpi;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.Durability;
import org.posthouse.wire.JobJoin;

/** A joint job that the calling process takes part in, from accept or connect until its last communicator is disconnected, or Finalize. */
final class JointJob {
    private static final String LEAVE = "leaving the joint job";

    private final JobJoin join;
    private final Endpoint endpoint;
    private final Intercomm intercomm;

    /** All processes of both groups. */
    private final Intracomm both;

    /** The processes of the own group, in the own job. */
    private final Intracomm home;

    private final int root;

    /** Whether the relays keep it until both jobs have ended. */
    private final boolean isLogged;

    /** @param both as of {@link #both} */
    JointJob(String call, Intracomm local, int root, JobJoin join, Intracomm both) {
        this.join = join;
        this.root = root;
        this.endpoint = both.endpoint;
        this.both = both;
        isLogged = local.endpoint.joiner().orElseThrow().durability() != Durability.NONE;
        home = new Intracomm(local.self.unlisted(), local.group, new CommMaker(call, local).agree(), local.check.name());
        int accepting = join.accepting().worldRanks().length;
        boolean isFirst = endpoint.rank() < accepting;
        Intracomm half = new CommMaker(call, both).split(isFirst ? 0 : 1, endpoint.rank());
        intercomm = new CommMaker(call, both).intercomm(half, 0, isFirst ? accepting : 0, 0);
        intercomm.Errhandler_set(local.Errhandler_get());
        half.Free();
        local.self.joints().add(this);
    }

    /** All processes of both groups. @param endpoint of the calling process in the joint job */
    static Intracomm both(Intracomm local, JobJoin join, Endpoint endpoint) {
        return new Intracomm(
                local.self.inJoint(endpoint), Group.joint(endpoint.size(), endpoint.rank(), join.joint()), Contexts.WORLD, "both jobs");
    }

    long id() {
        return join.joint();
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Intercomm intercomm() {
        return intercomm;
    }

    /**
     * Whether the program has no communicator of it any more in any process. Asked by all processes together. Once the joint job has ended, each answers
     * for itself.
     *
     * @param isIdleHere whether it has none in this process; that decides if the joint job has ended
     */
    boolean isIdle(boolean isIdleHere) {
        int here = isIdleHere ? 1 : 0;
        int[] idle = {here};
        boolean isKnown = both.collectives
                .allreduce(LEAVE, new Elements(new int[] {here}, 0, 1, MPI.INT), new Elements(idle, 0, 1, MPI.INT), MPI.MIN)
                .runToEnd();
        return home.endpoint.value(() -> isKnown ? idle[0] : here) == 1; // The next process might hear more, or less.
    }

    /**
     * Leaves the joint job, with all others. The relays keep it until both groups have left, so nothing that is under way to a
     * process of the other group is lost. They keep one that is logged until both jobs have ended, so nobody waits for that. Does not wait for a job
     * that has ended.
     */
    void leave() {
        both.collectives.barrier(LEAVE).runToEnd();
        try {
            endpoint.close();
        } catch (FinalizedException e) {
            if (!e.isJointEnded()) {
                throw e;
            }
            // A send waits for the other group, which has gone: the connection stays until this process ends.
        }
        try {
            if (!isLogged) {
                awaitOther();
            }
        } finally {
            home.Free();
        }
    }

    private void awaitOther() {
        home.collectives.barrier(LEAVE).run();
        Object[] failure = {""};
        if (home.group.Rank() == root) {
            try {
                awaitOther(new PortRecords(LEAVE, home.endpoint));
            } catch (MPIException e) {
                failure[0] = String.valueOf(e.getMessage()); // The others hear of it first: they wait here.
            }
        }
        home.collectives.bcast(LEAVE, new Elements(failure, 0, 1, MPI.OBJECT), root).run();
        if (!failure[0].toString().isEmpty()) {
            throw new MPIException(MPI.ERR_OTHER, LEAVE + ": whether the other group has left is not known: " + failure[0]);
        }
    }

    private void awaitOther(PortRecords board) {
        JobJoin.Part own = join.partOf(join.rank());
        JobJoin.Part other = own == join.accepting() ? join.connecting() : join.accepting();
        board.bind(left(own), new TreeMap<>());
        board.await(() -> {
            Optional<Map<String, String>> hasLeft = board.lookup(left(other));
            return hasLeft.isPresent() || board.lookup(join.sideName(other)).isEmpty() ? Optional.of(true) : Optional.empty();
        });
        board.unbind(join.sideName(own));
        board.unbind(left(own));
    }

    private String left(JobJoin.Part part) {
        return join.sideName(part) + "/left";
    }
}
