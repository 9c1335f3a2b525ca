/**
 * Placement of a job: finds relays that answer, asks them for their load, and assigns a home relay to each rank.
 *
 * <p>{@link org.posthouse.launch.place.RelaySearch} is the entry. No type keeps state beyond one search.
 *
 * <p>On agents, {@link org.posthouse.launch.place.NodeAllocation} gives each copy of each rank a node. It and its
 * arguments are immutable and do no I/O.
 */
package org.posthouse.launch.place;
