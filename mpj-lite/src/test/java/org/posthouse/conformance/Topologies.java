package org.posthouse.conformance;

/** Grids and graphs of processes, in both spellings. */
final class Topologies {
    private Topologies() {}
}
