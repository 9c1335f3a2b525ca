/**
 * A rank's endpoint below the {@code mpi} package, and the main class of a rank's process. The endpoint connects its
 * parts: channel, progress engine, sends, receives, determinants, checkpoints, and reports about blocked calls.
 *
 * <p>State belongs to the {@link org.posthouse.mpj.Endpoint} and is guarded by its lock. The API layer and the
 * collectives call the endpoint; programs never do. The package knows the frames of {@code org.posthouse.wire}. It
 * knows only the numbers of datatypes, communicators and reductions.
 */
package org.posthouse.mpj;
