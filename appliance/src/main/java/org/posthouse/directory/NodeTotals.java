package org.posthouse.directory;

/**
 * The nodes of a relay in sum.
 *
 * @param nodes agents that are connected
 * @param slots processes that they run at most
 * @param free slots that no job has reserved, of those that take jobs
 */
public record NodeTotals(int nodes, int slots, int free) {
    public static final NodeTotals NONE = new NodeTotals(0, 0, 0);
}
