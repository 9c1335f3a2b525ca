package org.posthouse.launch.place;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.launch.job.Replicas;

/**
 * How a job's ranks are placed on nodes.
 *
 * @param use whether nodes are used
 * @param strategy how ranks are divided over hosts
 * @param numbering which ranks are neighbours
 * @param sites the sites that may be used
 * @param labels that a node must have
 * @param workFolder where ranks run on their nodes; empty: each in a folder of its own
 * @param spares slots that the job keeps free at each of its relays
 * @param environment variables of the ranks, besides those of their agents
 * @param nodeTimeoutMs how long a node may be away before its ranks count as lost
 * @param files that ranks find in their folders, on nodes and on this host
 * @param display shows how far files have come to the relays; empty: lines for people do
 * @param detector how its hosts watch each other
 */
public record NodeRequest(
        Use use,
        AllocationRequest.Strategy strategy,
        AllocationRequest.Numbering numbering,
        SiteRestriction sites,
        Map<String, String> labels,
        String workFolder,
        int spares,
        Map<String, String> environment,
        long nodeTimeoutMs,
        List<Path> files,
        Optional<StageDisplay> display,
        DetectorRequest detector) {
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
            Use.NEVER, AllocationRequest.Strategy.SPREAD, AllocationRequest.Numbering.SLOT, SiteRestriction.NONE, Map.of(), "", 0, Map.of(), NODE_TIMEOUT_MS,
            List.of(), Optional.empty());

    public NodeRequest {
        labels = Map.copyOf(labels);
        environment = Map.copyOf(environment);
        files = List.copyOf(files);
    }

    /** Ranks whose hosts do not watch each other. */
    public NodeRequest(
            Use use, AllocationRequest.Strategy strategy, AllocationRequest.Numbering numbering, SiteRestriction sites, Map<String, String> labels,
            String workFolder, int spares, Map<String, String> environment, long nodeTimeoutMs, List<Path> files, Optional<StageDisplay> display) {
        this(use, strategy, numbering, sites, labels, workFolder, spares, environment, nodeTimeoutMs, files, display, DetectorRequest.NONE);
    }

    /** With this failure detector. */
    public NodeRequest watchedBy(DetectorRequest next) {
        return new NodeRequest(use, strategy, numbering, sites, labels, workFolder, spares, environment, nodeTimeoutMs, files, display, next);
    }

    /** Ranks spread over the nodes of the relays. @param environment variables of the ranks */
    public static NodeRequest always(Map<String, String> environment, long nodeTimeoutMs) {
        return new NodeRequest(
                Use.ALWAYS, AllocationRequest.Strategy.SPREAD, AllocationRequest.Numbering.SLOT, SiteRestriction.NONE, Map.of(), "", 0, environment,
                nodeTimeoutMs, List.of(), Optional.empty());
    }

    /** The same without a label of this name. */
    public NodeRequest withoutLabel(String name) {
        Map<String, String> others = new HashMap<>(labels);
        others.remove(name);
        return new NodeRequest(use, strategy, numbering, sites, others, workFolder, spares, environment, nodeTimeoutMs, files, display, detector);
    }

    /** With this folder as that of ranks. */
    public NodeRequest in(String folder) {
        return new NodeRequest(use, strategy, numbering, sites, labels, folder, spares, environment, nodeTimeoutMs, files, display, detector);
    }

    /** With these files in the folders of ranks. */
    public NodeRequest withFiles(List<Path> named, Optional<StageDisplay> shown) {
        return new NodeRequest(use, strategy, numbering, sites, labels, workFolder, spares, environment, nodeTimeoutMs, named, shown, detector);
    }

    /** What a job of so many ranks wants of the nodes. */
    public AllocationRequest allocation(int ranks, Replicas replicas) {
        return AllocationRequest.of(ranks, strategy).withNumbering(numbering).where(sites, labels).withReplicas(replicas);
    }
}
