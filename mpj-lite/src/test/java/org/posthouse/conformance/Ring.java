package org.posthouse.conformance;

import mpi.Comm;

/** The calling rank among all, and its neighbours when they stand in a circle. At one rank it is its own neighbour. */
record Ring(int rank, int size) {
    static Ring of(Comm comm) {
        return new Ring(comm.Rank(), comm.Size());
    }

    int right() {
        return (rank + 1) % size;
    }

    int left() {
        return (rank + size - 1) % size;
    }
}
