package org.posthouse.core;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The ways to all other cores, each with its counts of frames. A relay behind a link has two. Frames of jobs that
 * survive the host leave once the records that they depend on are synced; those of other jobs leave meanwhile. Confined
 * to the relay core.
 */
final class ForwardCounts {
    private final Map<Peer, ForwardCount> byPeer = new HashMap<>();
    private final Map<Peer, ForwardCount> behindTheDisk = new HashMap<>();

    /** @param survivesHost whether it is the way of jobs that survive the host */
    ForwardCount of(Peer peer, boolean survivesHost) {
        Map<Peer, ForwardCount> kind = survivesHost && peer.isFar() ? behindTheDisk : byPeer;
        return kind.computeIfAbsent(peer, unseen -> new ForwardCount(unseen, freeIndex()));
    }

    /** Ranks have an array by it: it stays small, however many relays come and go. */
    private int freeIndex() {
        BitSet taken = new BitSet();
        all().forEach(crossing -> taken.set(crossing.index()));
        return taken.nextClearBit(0);
    }

    /** No open job has ranks at that core, and none waits for its counts of handled frames. */
    void forget(Peer peer) {
        byPeer.remove(peer);
        behindTheDisk.remove(peer);
    }

    /**
     * Uncounts the frames that were passed on to that core and not handled: they are lost and will be passed on anew.
     */
    void forgetUnhandled(Peer peer) {
        all().filter(crossing -> crossing.peer() == peer).forEach(ForwardCount::forgetUnhandled);
    }

    /** The job has ended. */
    void forget(Job job) {
        all().forEach(crossing -> crossing.forget(job));
    }

    private Stream<ForwardCount> all() {
        return Stream.of(byPeer, behindTheDisk).flatMap(kind -> kind.values().stream());
    }
}
