package mpi;

/** One call of accept or connect: the processes of a communicator meet those of another one at a port. For one use. */
final class PortRendezvous {
    private static final int REFUSED = -1;

    private final String call;
    private final Intracomm local;
    private final int root;
    private final Intracomm ports;

    PortRendezvous(String call, Intracomm local, int root) {
        this.call = call;
        this.local = local;
        this.root = root;
        local.requireLive(call);
        local.check.root(call, root);
        ports = Ports.world(local.self);
    }

    /** Waits at an own port of the root for somebody to come. */
    Intercomm accept(String name) {
        return meet(() -> {
            Ports.Port port = local.self.ports().own(call, name, ports.group.Rank());
            Status arrival =
                    ports.messages.receive(call, new int[0], 0, 0, MPI.INT, MPI.ANY_SOURCE, port.arrivals());
            return new int[] {arrival.source, port.agreements()};
        });
    }

    /** Goes to a port of another process, and waits to be let in. */
    Intercomm connect(String name) {
        return meet(() -> {
            Ports.Port port = Ports.parse(call, name);
            if (port.worldRank() >= ports.group.Size()) {
                throw new MPIException(MPI.ERR_PORT, call + ": \"" + name + "\" is no port of this job");
            }
            ports.messages.send(
                    call, Messages.Kind.STANDARD, new int[0], 0, 0, MPI.INT, port.worldRank(), port.arrivals());
            return new int[] {port.worldRank(), port.agreements()};
        });
    }

    /** The root's part: finds the leader of the other group, and the tag that it uses. */
    private interface Finding {
        int[] find();
    }

    private Intercomm meet(Finding finding) {
        int[] found = {REFUSED, 0};
        MPIException refusal = null;
        if (local.group.Rank() == root) {
            try {
                found = finding.find();
            } catch (MPIException e) {
                // The others hear of it first: they are here too.
                refusal = e;
            }
        }
        local.collectives.bcast(call, new Elements(found, 0, found.length, MPI.INT), root).run();
        if (found[0] == REFUSED) {
            throw refusal != null
                    ? local.check.error(refusal.getErrorClass(), call, refusal.getMessage(), refusal)
                    : local.check.error(MPI.ERR_PORT, call, "the root, rank " + root + ", gave no port of use");
        }
        return new CommMaker(call, ports).intercomm(local, root, found[0], found[1]);
    }
}
