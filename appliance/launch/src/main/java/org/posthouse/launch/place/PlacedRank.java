package org.posthouse.launch.place;

/**
 * One copy of a rank on a node.
 *
 * @param rank world rank
 * @param copy from 0; copy 0 of all ranks is on the nearest hosts
 * @param node where it runs
 */
public record PlacedRank(int rank, int copy, NodeSlots node) {}
