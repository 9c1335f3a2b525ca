/**
 * The links between relays: dialling and accepting, the handshake, lanes, routes over other relays, and sending and
 * receiving of frames (docs/links.md). Sockets, windows, streams and forwarded ports are in packages of their own.
 *
 * <p>A connection or link belongs to one event loop and is called only there. The appliance dials and accepts through
 * this package. The package notifies it of frames, links going up and down, and restarted peers. It knows nothing of
 * jobs, ranks or matching.
 *
 * <p>A link, its connections, its lanes and its dialler call each other and {@link org.posthouse.tunnel.Links}, so they
 * stay together.
 */
package org.posthouse.tunnel;
