/**
 * The relay itself: Vert.x and Netty around the pure core. Here bytes and timers are moved and nothing is decided.
 *
 * <p>What is a rank's is its shard's, and a shard belongs to whoever is inside its strand; what is the whole relay's is
 * confined to the event loop that it is deployed on. From outside, the command and the bench start relays, change their
 * modes and read their views.
 */
package org.posthouse.relay;
