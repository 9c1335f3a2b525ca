/**
 * {@code posthouse bench detectors}: failure detectors in simulated time, as in the experiments of the P2P-MPI chapter
 * (figures 12 and 13). {@link org.posthouse.bench.detectors.DetectorPlan} is the entry. All is confined to one thread.
 */
package org.posthouse.bench.detectors;
