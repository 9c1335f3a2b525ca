/**
 * The name service at a relay: what launchers, agents and ranks may ask, and the answers to them (docs/names.md).
 *
 * <p>{@link org.posthouse.relay.names.RelayNames} is the entry. Its front end runs on the relay's control strand, and each connection's {@link
 * org.posthouse.relay.names.NameRequests} on the strand of its session.
 */
package org.posthouse.relay.names;
