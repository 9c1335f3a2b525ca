/**
 * The progress engine below the {@code mpi} package: a rank's one connection to its home relay, and the traffic on it.
 *
 * <p>State belongs to the {@link org.posthouse.mpj.Endpoint} and is guarded by its lock. The API layer and the
 * collectives call the endpoint; programs never do. The package knows the frames of {@code org.posthouse.wire}. It
 * knows only the numbers of datatypes, communicators and reductions.
 */
package org.posthouse.mpj;
