/**
 * The progress engine below the {@code mpi} package: a rank's one connection to its home relay, and what moves over it.
 *
 * <p>State belongs to the {@link org.posthouse.mpj.Endpoint} and is guarded by its lock. The API layer and the
 * collectives call the endpoint; programs never do. It knows the frames of {@code org.posthouse.wire} and nothing of
 * datatypes, communicators or reductions beyond their numbers.
 */
package org.posthouse.mpj;
