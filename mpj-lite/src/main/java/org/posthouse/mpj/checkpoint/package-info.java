/**
 * Checkpoints of a rank: its images at the relay, and the positions in its standard streams from which the next process
 * continues.
 *
 * <p>{@link org.posthouse.mpj.checkpoint.CheckpointClient} is guarded by the endpoint's lock; the streams are
 * thread-safe. The package is internal: programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.checkpoint;
