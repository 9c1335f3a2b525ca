/**
 * Carriers of bytes beside the relay, to compare it with: a raw connection, bare forwarders (selector and Vert.x),
 * and the tunnels of ssh and stunnel. {@link org.posthouse.bench.carrier.Tunnels} starts the programs that are
 * installed, and ends them. Forwarders have threads of their own; the rest belongs to the driver's thread.
 */
package org.posthouse.bench.carrier;
