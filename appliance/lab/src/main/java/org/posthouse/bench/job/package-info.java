/**
 * {@code posthouse bench job}: the time of a whole job, logged and not. {@link org.posthouse.bench.job.JobPlan} is
 * the entry; {@code bench wan} runs its jobs with it too. All state belongs to the driver's thread.
 */
package org.posthouse.bench.job;
