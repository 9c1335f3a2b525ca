package mpi;

import org.posthouse.mpj.Endpoint;

/**
 * What the calling process has once, however many communicators it has: its end of the machine, the numbers of its
 * communicators, its attached send buffer, its ports, its random numbers, its communicators and how far they are, and what its
 * program has begun and not seen the end of.
 */
record Self(
        Endpoint endpoint,
        Contexts contexts,
        SendBuffer sendBuffer,
        Ports ports,
        RankRandom random,
        Positions positions,
        UnderWay underWay,
        FreedRequests freedRequests) {
    Self(Endpoint endpoint) {
        this(endpoint, new UnderWay());
    }

    private Self(Endpoint endpoint, UnderWay underWay) {
        this(
                endpoint, new Contexts(), new SendBuffer(endpoint, underWay), new Ports(), new RankRandom(endpoint), new Positions(),
                underWay, new FreedRequests());
    }

    /** The same for a communicator that the library makes for itself: it is none of the program's. */
    Self unlisted() {
        return new Self(endpoint, contexts, sendBuffer, ports, random, new Positions(), underWay, freedRequests);
    }
}
