/**
 * The common parts of all benches: {@link org.posthouse.bench.experiment.Experiment} runs a plan and returns a
 * {@link org.posthouse.bench.experiment.Report}, which prints tables, draws plots and writes JSON. A
 * {@link org.posthouse.bench.experiment.BackgroundJob} runs beside it on a thread of its own; all other state belongs to
 * the driver's thread. It uses no other package of the bench.
 */
package org.posthouse.bench.experiment;
