/**
 * {@code posthouse bench TEST}: MPI operations over embedded relays, in several series that take turns. {@link
 * org.posthouse.bench.BenchPlan} is the entry: an {@link org.posthouse.bench.experiment.Experiment} that returns a
 * {@link org.posthouse.bench.BenchReport}. The other benches have packages of their own; {@code wan} builds on this
 * package, and this package uses none of them. All state belongs to the driver's thread.
 */
package org.posthouse.bench;
