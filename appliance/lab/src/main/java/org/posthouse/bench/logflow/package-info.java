/**
 * {@code posthouse bench logflow}: growth of the log's files while checkpoints cut the log. {@link
 * org.posthouse.bench.logflow.FlowPlan} is the entry. All state belongs to the driver's thread or to a rank's.
 */
package org.posthouse.bench.logflow;
