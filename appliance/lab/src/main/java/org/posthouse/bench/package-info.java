/**
 * The benches: what {@code posthouse bench} measures. A driver ({@link org.posthouse.bench.BenchRun}) with embedded
 * relays in its own process, one rank program for all tests, and one {@link org.posthouse.bench.Report}. All state belongs to the command's thread
 * or to a rank's. The command line calls {@code BenchPlan}, {@code BenchRun} and {@code BenchReport}; the rest is inside.
 */
package org.posthouse.bench;
