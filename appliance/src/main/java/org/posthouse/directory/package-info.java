/**
 * The directory: which relays there are, and where each rank of each job is homed.
 *
 * <p>State is owned by a {@link org.posthouse.directory.Directory}: one shared object for relays embedded in one
 * process ({@link org.posthouse.directory.MemoryDirectory}), or a Hazelcast group of relay processes
 * ({@link org.posthouse.directory.HazelcastDirectory}). It is never on a message's path and decides nothing by itself:
 * it keeps records that merge by the highest epoch or incarnation, so that a split group can always be put together
 * again. From outside call the public types only; every method of Directory but close may be called on an event loop.
 */
package org.posthouse.directory;
