/**
 * Placement of a job: finds relays that answer, asks them for their load, and assigns a home relay to each rank.
 *
 * <p>{@link org.posthouse.launch.place.RelaySearch} is the entry. No type keeps state beyond one search.
 */
package org.posthouse.launch.place;
