package org.posthouse.status;

import java.util.Objects;

/**
 * A process that follows a rank's leader ({@code posthouse run --replicas}). Immutable.
 *
 * @param process     the number with which it was started, among all processes of the rank
 * @param node        name of the node that runs it, with its site if that is not its rank's; empty if it runs beside its launcher, or that is not known
 * @param behind      deliveries and events of the rank that it was not sent yet
 * @param bytesBehind bytes of the log from what it was sent last to the log's end
 */
public record FollowerStatus(int process, String node, long behind, long bytesBehind) {
    /** Refuses nulls. */
    public FollowerStatus {
        Objects.requireNonNull(node, "node");
    }

    /** The same with its node. */
    public FollowerStatus on(String newNode) {
        return new FollowerStatus(process, newNode, behind, bytesBehind);
    }
}
