package org.posthouse.launch.process;

import org.posthouse.wire.Token;

/**
 * A rank's way to its home relay.
 *
 * @param address the relay's address, host:port
 * @param token the rank's own token, which it proves to know
 * @param direct whether nothing stands between; false if that is not known
 */
public record RelayEndpointAddress(String address, Token token, boolean direct) {}
