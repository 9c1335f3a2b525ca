/**
 * The relay itself: Vert.x and Netty around the pure core. It moves bytes and sets timers; the core makes the
 * decisions.
 *
 * <p>The state of a rank belongs to its shard, and a shard to the thread inside its strand. The state of the whole
 * relay is confined to the event loop on which it is deployed. Other packages (the command and the bench) start
 * relays, change their modes and read their views.
 */
package org.posthouse.relay;
