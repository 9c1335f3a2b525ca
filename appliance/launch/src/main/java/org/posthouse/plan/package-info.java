/**
 * The failure model of the P2P-MPI chapter, extended: how probably a job of n ranks fails whose ranks run in r copies each.
 *
 * <p>{@link org.posthouse.plan.FailurePlan} is the entry, {@link org.posthouse.plan.WeibullFit} fits its parameters. All types are immutable and pure: no
 * clock, no I/O. Probabilities are computed with {@code expm1} and {@code log1p}, so that small ones keep their digits down to 1e-300.
 */
package org.posthouse.plan;
