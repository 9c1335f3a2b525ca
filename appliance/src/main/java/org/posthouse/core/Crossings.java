package org.posthouse.core;

import java.util.HashMap;
import java.util.Map;

/** The ways to all other cores, with what each has handled. Confined to the relay core. */
final class Crossings {
    private final Map<Peer, Crossing> byPeer = new HashMap<>();

    Crossing of(Peer peer) {
        return byPeer.computeIfAbsent(peer, unseen -> new Crossing(unseen, byPeer.size()));
    }

    /** The job has ended. */
    void forget(Job job) {
        byPeer.values().forEach(crossing -> crossing.forget(job));
    }
}
