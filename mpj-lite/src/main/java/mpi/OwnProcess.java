package mpi;

import org.posthouse.mpj.Endpoint;

/**
 * The state that the calling process has once, for all its communicators. It has its end of the machine, the numbers of
 * its communicators, its attached send buffer, its ports and its random numbers. It also has the positions of its
 * communicators, and the operations whose end its program has not seen.
 */
record OwnProcess(
        Endpoint endpoint,
        Contexts contexts,
        SendBuffer sendBuffer,
        Ports ports,
        RankRandom random,
        CollectiveCounters positions,
        OutstandingOperations underWay,
        FreedRequests freedRequests) {
    OwnProcess(Endpoint endpoint) {
        this(endpoint, new OutstandingOperations());
    }

    private OwnProcess(Endpoint endpoint, OutstandingOperations underWay) {
        this(
                endpoint, new Contexts(), new SendBuffer(endpoint, underWay), new Ports(), new RankRandom(endpoint), new CollectiveCounters(),
                underWay, new FreedRequests());
    }

    /** The same for a communicator that the library makes for itself: it is none of the program's. */
    OwnProcess unlisted() {
        return new OwnProcess(endpoint, contexts, sendBuffer, ports, random, new CollectiveCounters(), underWay, freedRequests);
    }
}
