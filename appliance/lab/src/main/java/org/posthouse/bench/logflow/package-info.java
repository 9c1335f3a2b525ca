/**
 * {@code posthouse bench logflow}: how the log's files grow and shrink while checkpoints cut it. {@link
 * org.posthouse.bench.logflow.FlowPlan} is the entry. All state belongs to the driver's thread or to a rank's.
 */
package org.posthouse.bench.logflow;
