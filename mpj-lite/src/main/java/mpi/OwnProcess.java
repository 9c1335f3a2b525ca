package mpi;

import org.posthouse.mpj.Endpoint;

/**
 * The state that the calling process has once, for all its communicators. It has its end of the machine, the numbers of
 * its communicators, its attached send buffer, its ports and its random numbers. It also has the positions of its
 * communicators, the operations whose end its program has not seen, and the joint jobs that it takes part in. In each of those it is another rank, with an end, numbers,
 * positions and operations of its own.
 */
record OwnProcess(
        Endpoint endpoint,
        Contexts contexts,
        SendBuffer sendBuffer,
        Ports ports,
        RankRandom random,
        CollectiveCounters positions,
        OutstandingOperations underWay,
        FreedRequests freedRequests,
        JointJobs joints) {
    OwnProcess(Endpoint endpoint) {
        this(endpoint, new OutstandingOperations());
    }

    private OwnProcess(Endpoint endpoint, OutstandingOperations underWay) {
        this(
                endpoint, new Contexts(), new SendBuffer(endpoint, underWay), new Ports(), new RankRandom(endpoint), new CollectiveCounters(),
                underWay, new FreedRequests(), new JointJobs(endpoint));
    }

    /** This process as a rank of a joint job, over the endpoint that it has there. */
    OwnProcess inJoint(Endpoint joint) {
        OwnProcess there = new OwnProcess(joint);
        return new OwnProcess(
                joint, there.contexts, there.sendBuffer, ports, random, there.positions, there.underWay, there.freedRequests, joints);
    }

    /** The same for a communicator that the library makes for itself: it is none of the program's. */
    OwnProcess unlisted() {
        return new OwnProcess(endpoint, contexts, sendBuffer, ports, random, new CollectiveCounters(), underWay, freedRequests, joints);
    }
}
