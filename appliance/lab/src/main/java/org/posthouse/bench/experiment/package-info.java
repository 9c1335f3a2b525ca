/**
 * The common parts of all benches: {@link org.posthouse.bench.experiment.Experiment} runs a plan and returns a
 * {@link org.posthouse.bench.experiment.Report}, which prints tables, draws plots and writes JSON. It uses no other
 * package of the bench. All state belongs to the driver's thread.
 */
package org.posthouse.bench.experiment;
