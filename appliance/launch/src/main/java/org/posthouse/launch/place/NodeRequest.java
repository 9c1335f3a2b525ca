package org.posthouse.launch.place;

import java.util.Map;

/**
 * How a job's ranks are placed on nodes.
 *
 * @param use whether nodes are used
 * @param strategy how ranks are divided over hosts
 * @param numbering which ranks are neighbours
 * @param sites the sites that may be used
 * @param labels that a node must have
 * @param workFolder where ranks run on their nodes; empty: each in a folder of its own
 * @param nodeTimeoutMs how long a node may be away before its ranks count as lost
 */
public record NodeRequest(
        Use use,
        AllocationRequest.Strategy strategy,
        AllocationRequest.Numbering numbering,
        SiteRestriction sites,
        Map<String, String> labels,
        String workFolder,
        long nodeTimeoutMs) {
    /** Whether nodes are used. */
    public enum Use {
        /** Ranks run on this host. */
        NEVER,
        /** Ranks run on nodes if the relays have any, else on this host. */
        IF_THERE,
        /** Ranks run on nodes. */
        ALWAYS
    }

    /** How long a node may be away, unless the user says otherwise. */
    public static final long NODE_TIMEOUT_MS = 15_000;

    /** Ranks on this host. */
    public static final NodeRequest LOCAL = new NodeRequest(
            Use.NEVER, AllocationRequest.Strategy.SPREAD, AllocationRequest.Numbering.SLOT, SiteRestriction.NONE, Map.of(), "", NODE_TIMEOUT_MS);

    public NodeRequest {
        labels = Map.copyOf(labels);
    }

    /** What a job of so many ranks wants of the nodes. */
    public AllocationRequest allocation(int ranks) {
        return AllocationRequest.of(ranks, strategy).withNumbering(numbering).where(sites, labels);
    }
}
