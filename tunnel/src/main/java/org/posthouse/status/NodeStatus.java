package org.posthouse.status;

import java.util.List;
import java.util.Objects;

/**
 * An agent of a relay: a node that runs ranks for launchers. Immutable.
 *
 * @param name        of the node, unique at its relay
 * @param agent       the number of the agent's process, 16 hexadecimal digits or fewer
 * @param host        identifies the host; agents with the same text share it
 * @param state       {@link #OPEN} or {@link #DRAINING}
 * @param slots       processes that it runs at most
 * @param free        slots that no job has reserved
 * @param jobs        jobs that it runs at most at once
 * @param jobsNow     jobs that have slots now
 * @param cores       processors of the host
 * @param memoryBytes memory of the host
 * @param rttMicros   usual round trip to its relay, or 0 while it is not known
 * @param version     the product version that it runs
 * @param since       when it has connected, milliseconds since 1970 UTC
 * @param labels      each as key=value, in the order of the keys
 */
public record NodeStatus(
        String name,
        String agent,
        String host,
        String state,
        int slots,
        int free,
        int jobs,
        int jobsNow,
        int cores,
        long memoryBytes,
        long rttMicros,
        String version,
        long since,
        List<String> labels) {
    /** State of an agent that takes jobs. */
    public static final String OPEN = "open";

    /** State of an agent that takes no new job. */
    public static final String DRAINING = "draining";

    /** Copies the labels and refuses nulls. */
    public NodeStatus {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(agent, "agent");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(version, "version");
        labels = List.copyOf(labels);
    }
}
