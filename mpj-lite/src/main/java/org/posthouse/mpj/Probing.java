package org.posthouse.mpj;

/** A probe on its way to the relay and back. Guarded by its endpoint's lock. */
final class Probing extends Operation {
    /** The relay's answer; {@code found} is null if no message matches. */
    void answer(Envelope found) {
        complete(found, null);
    }
}
