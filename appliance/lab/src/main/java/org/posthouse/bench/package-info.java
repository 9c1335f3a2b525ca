/**
 * The benches of {@code posthouse bench}. Each is a plan, which is an {@link org.posthouse.bench.Experiment}; a run, with embedded relays in
 * its own process; and a {@link org.posthouse.bench.Report}. The command line builds plans, runs them as experiments and prints their
 * reports; the rest is inside. All state belongs to the command's thread or to a rank's.
 */
package org.posthouse.bench;
