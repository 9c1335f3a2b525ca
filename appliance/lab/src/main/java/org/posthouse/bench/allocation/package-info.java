/**
 * {@code posthouse bench allocation}: jobs on nodes of two sites, spread and concentrated, as in the experiment of the
 * P2P-MPI chapter (figure 6). {@link org.posthouse.bench.allocation.AllocationPlan} is the entry.
 */
package org.posthouse.bench.allocation;
