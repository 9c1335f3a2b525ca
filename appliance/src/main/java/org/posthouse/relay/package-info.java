/**
 * The relay itself: Vert.x and Netty around the pure core. Here bytes and timers are moved and nothing is decided.
 *
 * <p>A relay and everything in it is confined to the event loop that it is deployed on; only its view for the console
 * may be read from elsewhere. The command deploys relays; nobody else calls this room.
 */
package org.posthouse.relay;
