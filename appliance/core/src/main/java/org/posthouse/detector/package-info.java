/**
 * Failure detectors between the hosts of a job (docs/detectors.md): who sends beats to whom, after which silence a host is
 * suspected, how a suspicion is checked, and how the relay decides.
 *
 * <p>Pure: time comes in as numbers of nanoseconds on the host's own monotonic clock, chance as a generator, effects go out
 * through {@link org.posthouse.detector.DetectorPort} and {@link org.posthouse.detector.VerdictPort}. Each object is
 * confined to its owner: an agent's thread, a relay's control strand, or a simulator.
 */
package org.posthouse.detector;
