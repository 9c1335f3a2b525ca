/**
 * The directory: the relays of the grid, and the home relay of each rank of each job.
 *
 * <p>Its state belongs to a {@link org.posthouse.directory.Directory}. That is one shared object for relays embedded in
 * one process ({@link org.posthouse.directory.MemoryDirectory}), or a Hazelcast group of relay processes
 * ({@link org.posthouse.directory.HazelcastDirectory}). The directory is never on a message's path and makes no
 * decisions. It keeps records that merge by the highest epoch or incarnation, so that the parts of a split group can
 * always merge again. Other packages call the public types only. Event loops may call every method of Directory except
 * close and part.
 *
 * <p>The package is large because the guard of the group's connections stays here: its test runs whole members, so a
 * package of its own would have to export the handshake and the user's secret.
 */
package org.posthouse.directory;
