package mpi;

import org.posthouse.wire.JobJoin;

/** One call of accept or connect: the processes of a communicator meet those of another one at a port. For one use. */
final class PortRendezvous {
    private static final int REFUSED = -1;

    /** The other group is of another job. */
    private static final int JOINT = -2;

    private final String call;
    private final Intracomm local;
    private final int root;
    private final Intracomm ports;
    private final JointRendezvous joint;

    PortRendezvous(String call, Intracomm local, int root) {
        this.call = call;
        this.local = local;
        this.root = root;
        local.requireLive(call);
        local.check.root(call, root);
        ports = Ports.world(local.self);
        joint = new JointRendezvous(call, local, root);
    }

    /** Waits at an own port of the root for somebody to come. */
    Intercomm accept(String name) {
        return meet(() -> {
            Ports.Port port = local.self.ports().own(call, name, Ports.job(local.self), ports.group.Rank());
            JobJoin join = joint.visitor(port, () -> ports.Iprobe(MPI.ANY_SOURCE, port.arrivals()) != null);
            if (join != null) {
                return new Found(JOINT, 0, join);
            }
            Status arrival =
                    ports.messages.receive(call, new int[0], 0, 0, MPI.INT, MPI.ANY_SOURCE, port.arrivals());
            return new Found(arrival.source, port.agreements(), null);
        });
    }

    /** Goes to a port of another process, and waits to be let in. */
    Intercomm connect(String name) {
        return meet(() -> {
            Ports.Port port = Ports.parse(call, name);
            if (port.job() != Ports.job(local.self)) {
                return new Found(JOINT, 0, joint.visit(port));
            }
            if (port.worldRank() >= ports.group.Size()) {
                throw new MPIException(MPI.ERR_PORT, call + ": \"" + name + "\" is no port of this job");
            }
            ports.messages.send(
                    call, Messages.Kind.STANDARD, new int[0], 0, 0, MPI.INT, port.worldRank(), port.arrivals());
            return new Found(port.worldRank(), port.agreements(), null);
        });
    }

    /**
     * What the root has found.
     *
     * @param leader the leader of the other group, REFUSED, or JOINT
     * @param tag the tag that the leaders use
     * @param join of JOINT: the joint job
     */
    private record Found(int leader, int tag, JobJoin join) {}

    /** The root's part. */
    private interface Finding {
        Found find();
    }

    private Intercomm meet(Finding finding) {
        Found found = new Found(REFUSED, 0, null);
        MPIException refusal = null;
        if (local.group.Rank() == root) {
            try {
                found = finding.find();
            } catch (MPIException e) {
                // The others hear of it first: they are here too.
                refusal = e;
            }
        }
        int[] told = {found.leader, found.tag};
        local.collectives.bcast(call, new Elements(told, 0, told.length, MPI.INT), root).run();
        if (told[0] == REFUSED) {
            throw refusal != null
                    ? local.check.error(refusal.getErrorClass(), call, refusal.getMessage(), refusal)
                    : local.check.error(MPI.ERR_PORT, call, "the root, rank " + root + ", gave no port of use");
        }
        return told[0] == JOINT ? joint.meet(found.join) : new CommMaker(call, ports).intercomm(local, root, told[0], told[1]);
    }
}
