/**
 * Ports and services that relays forward to each other over streams: doors to local addresses, local ports to doors of
 * other relays, and one loopback address for each relay. Confined to the relay's context.
 * {@link org.posthouse.tunnel.forward.Forwards} is the entry.
 */
package org.posthouse.tunnel.forward;
