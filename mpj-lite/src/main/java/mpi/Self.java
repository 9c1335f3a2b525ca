package mpi;

import org.posthouse.mpj.Endpoint;

/**
 * What the calling process has once, however many communicators it has: its end of the machine, the numbers of its
 * communicators, and its attached send buffer.
 */
record Self(Endpoint endpoint, Contexts contexts, SendBuffer sendBuffer) {
    Self(Endpoint endpoint) {
        this(endpoint, new Contexts(), new SendBuffer(endpoint));
    }
}
