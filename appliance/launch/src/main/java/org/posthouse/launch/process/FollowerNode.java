package org.posthouse.launch.process;

/**
 * Where a process runs that follows a rank.
 *
 * @param process its number among those of its rank
 * @param node the node's name; empty: this host, or no node yet
 */
public record FollowerNode(int rank, int process, String node) {}
