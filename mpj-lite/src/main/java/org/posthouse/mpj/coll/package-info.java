/**
 * The collective operations, built from messages with named sources, so that they add no non-deterministic event to a
 * rank's history (docs/collectives.md: algorithms and costs).
 *
 * <p>A {@link org.posthouse.mpj.coll.Peers} belongs to one communicator and holds all state: the count of its
 * operations, and the first failure of the one under way. Only {@link org.posthouse.mpj.coll.Algorithms} chooses
 * algorithms. Package {@code mpi} checks the arguments and calls the static {@code run} methods. Every rank of the
 * communicator calls the same ones in the same order, one at a time.
 */
package org.posthouse.mpj.coll;
