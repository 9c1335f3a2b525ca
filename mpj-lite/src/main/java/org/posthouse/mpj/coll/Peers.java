package org.posthouse.mpj.coll;

import java.util.Arrays;
import org.posthouse.mpj.Content;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.Sink;

/**
 * The ranks of one communicator as its collectives see them: numbered from 0, in a context of their own. Confined to
 * the thread that is inside a collective of the communicator; MPI allows one at a time.
 */
public final class Peers {
    private final Endpoint endpoint;
    private final int context;
    private final int rank;
    private final int[] worldRanks;
    private final int[] sites;
    private final boolean spanSites;
    private int operations;

    /**
     * @param context the communicator's collective context
     * @param rank the calling process's rank in the communicator
     * @param worldRanks the world rank of each rank; kept, not copied
     */
    public Peers(Endpoint endpoint, int context, int rank, int[] worldRanks) {
        this.endpoint = endpoint;
        this.context = context;
        this.rank = rank;
        this.worldRanks = worldRanks;
        sites = Arrays.stream(worldRanks).map(endpoint::siteOf).toArray();
        spanSites = Arrays.stream(sites).anyMatch(site -> site != sites[0]);
    }

    /** Counts operations from here on: for a part of a communicator's ranks that uses its context. */
    public Peers countingFrom(int operation) {
        operations = operation;
        return this;
    }

    int rank() {
        return rank;
    }

    int size() {
        return worldRanks.length;
    }

    int site(int peer) {
        return sites[peer];
    }

    /** Whether there are ranks of more than one site. The same answer at every rank. */
    boolean spanSites() {
        return spanSites;
    }

    /** A tag for the next collective: their number, so that two of them never mix. The same at every rank. */
    int nextTag() {
        operations = operations + 1 & Integer.MAX_VALUE;
        return operations;
    }

    Operation send(int destination, int tag, Content content) {
        return endpoint.send(context, worldRanks[destination], tag, content);
    }

    Operation receive(int source, int tag, Sink sink) {
        return endpoint.receive(context, worldRanks[source], tag, sink);
    }

    /** A receive and a send at once; the receive comes first in the result. */
    Operation[] exchange(int source, Sink sink, int destination, Content content, int tag) {
        return endpoint.exchange(context, worldRanks[source], tag, sink, worldRanks[destination], tag, content);
    }

    /** Blocks until the operation is done; null is done. */
    void await(Operation operation) throws ReceiveException {
        if (operation == null) {
            return;
        }
        endpoint.await(operation);
        if (operation.failure() != null) {
            throw operation.failure();
        }
    }

    void awaitAll(Operation... operations) throws ReceiveException {
        for (Operation operation : operations) {
            await(operation);
        }
    }

    /**
     * All ranks in an order that every rank agrees on: {@code first} in front, sites one after another, the site of
     * {@code first} before the others. Data that is passed along this order enters each site once.
     */
    int[] inSiteOrder(int first) {
        int[] order = new int[size()];
        boolean[] taken = new boolean[size()];
        int filled = 0;
        for (int head = 0; filled < size(); head++) {
            int leader = (first + head) % size();
            for (int next = 0; next < size(); next++) {
                int peer = (leader + next) % size();
                if (!taken[peer] && sites[peer] == sites[leader]) {
                    taken[peer] = true;
                    order[filled++] = peer;
                }
            }
        }
        return order;
    }
}
