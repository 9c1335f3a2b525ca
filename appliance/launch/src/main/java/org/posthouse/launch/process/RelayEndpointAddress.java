package org.posthouse.launch.process;

import org.posthouse.wire.Token;

/**
 * How a rank comes to its home relay.
 *
 * @param address where that listens, host:port
 * @param token the rank's own, which it proves to know
 * @param direct whether nothing stands between; false if that is not known
 */
public record RelayEndpointAddress(String address, Token token, boolean direct) {}
