package mpi;

import org.posthouse.mpj.Endpoint;

/**
 * What the calling process has once, however many communicators it has: its end of the machine, the numbers of its
 * communicators, its attached send buffer, its ports, its random numbers, and how far its
 * communicators are.
 */
record Self(Endpoint endpoint, Contexts contexts, SendBuffer sendBuffer, Ports ports, RankRandom random, Positions positions) {
    Self(Endpoint endpoint) {
        this(endpoint, new Contexts(), new SendBuffer(endpoint), new Ports(), new RankRandom(endpoint), new Positions());
    }
}
