package org.posthouse.launch.place;

import java.util.Arrays;
import java.util.Map;
import org.posthouse.launch.job.Replicas;
import org.posthouse.wire.AgentOffer;

/**
 * What a job wants of the nodes.
 *
 * @param ranks number of ranks, n; at least 1
 * @param copies of each rank, r; at least 1
 * @param strategy how the slots are divided over hosts
 * @param apart what the copies of a rank do not share
 * @param numbering which ranks are neighbours
 * @param sites where ranks may be
 * @param labels that a node must have, by key
 * @param ranksCopied the ranks that have copies, as in {@link Replicas#ranks}; empty: all
 */
public record AllocationRequest(
        int ranks,
        int copies,
        Strategy strategy,
        Apart apart,
        Numbering numbering,
        SiteRestriction sites,
        Map<String, String> labels,
        String ranksCopied) {

    /** How slots are divided over the hosts (P2P-MPI, section 3.2). */
    public enum Strategy {
        /** As few processes on each host as possible; the nearest hosts first. */
        SPREAD,
        /** As many processes as possible on the nearest hosts. */
        CONCENTRATE
    }

    /** What copies of one rank do not share. */
    public enum Apart {
        /** A site, if there are enough sites that hold all ranks; else a host. */
        SITE_IF_POSSIBLE,
        SITE,
        HOST,
        /** A host. All copies are at nodes of one relay, the home of their rank, if all ranks can be placed so ({@code --replicas}). */
        HOST_AT_HOME_FIRST
    }

    /** Which ranks are together ({@code --map-by}). Slots per host are the same for all. */
    public enum Numbering {
        /** The ranks of a host are neighbours. */
        SLOT,
        /** Neighbours are on the next host, as in the P2P-MPI chapter. */
        NODE,
        /** Neighbours are at the next site. */
        SITE
    }

    public AllocationRequest {
        if (ranks < 1 || copies < 1) {
            throw new IllegalArgumentException(ranks + " ranks in " + copies + " copies, expected at least 1 of each");
        }
        labels = Map.copyOf(labels);
    }

    /** A job of {@code ranks} ranks in one copy each, anywhere. */
    public static AllocationRequest of(int ranks, Strategy strategy) {
        return new AllocationRequest(ranks, 1, strategy, Apart.SITE_IF_POSSIBLE, Numbering.SLOT, SiteRestriction.NONE, Map.of(), "");
    }

    /** The same job with {@code number} copies of each rank. */
    public AllocationRequest withCopies(int number, Apart copiesApart) {
        return new AllocationRequest(ranks, number, strategy, copiesApart, numbering, sites, labels, "");
    }

    /** The same job with a process for each copy of a rank, at the rank's home relay first. */
    public AllocationRequest withReplicas(Replicas replicas) {
        return replicas.areWanted()
                ? new AllocationRequest(ranks, replicas.degree(), strategy, Apart.HOST_AT_HOME_FIRST, numbering, sites, labels, replicas.ranks())
                : this;
    }

    /** The same job with its ranks numbered in another order. */
    public AllocationRequest withNumbering(Numbering order) {
        return new AllocationRequest(ranks, copies, strategy, apart, order, sites, labels, ranksCopied);
    }

    /** The same job at these sites, on nodes with these labels. */
    public AllocationRequest where(SiteRestriction allowed, Map<String, String> labelsWanted) {
        return new AllocationRequest(ranks, copies, strategy, apart, numbering, allowed, labelsWanted, ranksCopied);
    }

    /** Number of copies of each rank. */
    int[] degrees() {
        return new Replicas(copies, ranksCopied).degrees(ranks);
    }

    /** Number of processes: n r, if all ranks have copies. */
    public long processes() {
        return ranksCopied.isEmpty() ? (long) ranks * copies : Arrays.stream(degrees()).sum();
    }

    /** For people: {@code 16 x 2}, {@code 16 x 2:0-3} if only these have copies, or {@code 16} for one copy. */
    public String size() {
        return copies == 1 ? "" + ranks : ranks + " x " + copies + (ranksCopied.isEmpty() ? "" : ":" + ranksCopied);
    }

    /** Whether a process may be at a node of another relay than its rank's home, if that has none for it. */
    public boolean mayLeaveHome() {
        return apart == Apart.HOST_AT_HOME_FIRST && !sites.isExact();
    }

    /** A node that has joined a job is for that job alone. */
    boolean allows(NodeSlots node) {
        return sites.allows(node.site()) && node.labels().entrySet().containsAll(labels.entrySet())
                && node.labels().getOrDefault(AgentOffer.JOB_LABEL, "").equals(job());
    }

    /** Name by which agents join the job; empty if none do. */
    public String job() {
        return labels.getOrDefault(AgentOffer.JOB_LABEL, "");
    }
}
