/**
 * Relays in a process: one that serves a site, and a grid of embedded ones for a single job. Owns Vert.x and the order
 * in which parts start and stop.
 */
package org.posthouse.relay.host;
