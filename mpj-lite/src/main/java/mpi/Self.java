package mpi;

import org.posthouse.mpj.Endpoint;

/**
 * What the calling process has once, however many communicators it has: its end of the machine, the numbers of its
 * communicators, its attached send buffer, its ports, and its random numbers.
 */
record Self(Endpoint endpoint, Contexts contexts, SendBuffer sendBuffer, Ports ports, RankRandom random) {
    Self(Endpoint endpoint) {
        this(endpoint, new Contexts(), new SendBuffer(endpoint), new Ports(), new RankRandom(endpoint));
    }
}
