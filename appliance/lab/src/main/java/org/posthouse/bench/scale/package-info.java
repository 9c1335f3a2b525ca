/**
 * {@code posthouse bench scale}: throughput of many pairs over several relays. {@link
 * org.posthouse.bench.scale.ScalePlan} is the entry. Many ranks share a process ({@link
 * org.posthouse.bench.scale.ScaleHost}); each of them belongs to a thread, the rest to the driver's.
 */
package org.posthouse.bench.scale;
