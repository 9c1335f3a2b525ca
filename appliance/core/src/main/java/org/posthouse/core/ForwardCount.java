package org.posthouse.core;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Counts the kept frames that went from this core to another: those passed on, and those known to be handled there,
 * which are always the first. Covers all jobs whose frames leave in the order in which they are passed on ({@link
 * ForwardCounts}). Confined to the relay core.
 */
final class ForwardCount {
    private final Peer peer;
    private final int index;
    private final Set<HomedRank> waiting = new LinkedHashSet<>();
    private long passed;
    private long handled;

    /** @param index its place among the core's crossings, from 0: no other has it */
    ForwardCount(Peer peer, int index) {
        this.peer = peer;
        this.index = index;
    }

    Peer peer() {
        return peer;
    }

    int index() {
        return index;
    }

    /** Passes a kept frame on. @return false if there is no way */
    boolean pass(Parcel frame) {
        passed++;
        return peer.forward(frame, true);
    }

    /** The number of the kept frame that was passed on last. */
    long passed() {
        return passed;
    }

    /** Whether the first {@code count} kept frames were handled. */
    boolean hasHandled(long count) {
        return handled >= count;
    }

    /** The rank has sent what was not handled yet. */
    void await(HomedRank rank) {
        waiting.add(rank);
    }

    /** The first {@code count} were handled: calls {@code each} for every rank that waits. */
    void handled(long count, Consumer<HomedRank> each) {
        handled = count;
        waiting.forEach(rank -> rank.safety().settle());
        for (HomedRank rank : List.copyOf(waiting)) {
            if (!rank.safety().waitsFor(this)) {
                waiting.remove(rank);
            }
            each.accept(rank);
        }
    }

    /** Uncounts the frames that were passed on and not handled: they are lost and will be passed on anew. */
    void forgetUnhandled() {
        passed = handled;
    }

    /** The job has ended. */
    void forget(Job job) {
        waiting.removeIf(rank -> rank.job() == job);
    }
}
