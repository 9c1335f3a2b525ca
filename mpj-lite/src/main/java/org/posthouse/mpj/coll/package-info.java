/**
 * The collective operations, built from messages with named sources, so that they add no non-deterministic event to a
 * rank's history (docs/collectives.md: which algorithm when, and what it costs).
 *
 * <p>A {@link org.posthouse.mpj.coll.Peers} belongs to one communicator and holds all the state there is: the count of
 * its operations, and the first failure of the one under way. {@link org.posthouse.mpj.coll.Algorithms} is the one place
 * where an algorithm is chosen. Package {@code mpi} checks the arguments and calls the static {@code run} methods; every
 * rank of the communicator calls the same ones in the same order, one at a time.
 */
package org.posthouse.mpj.coll;
