/** {@code posthouse plan}: how probably a job fails, and how many copies of its ranks, or which checkpoints, help. */
package org.posthouse.cli.plan;
