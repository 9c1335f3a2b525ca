package org.posthouse.bench.carrier;

import org.posthouse.relay.ResourceUsage;

/**
 * The baseline: carries bytes between pairs of connections, as many as come, and knows nothing of what they mean. The
 * first four bytes of a connection name the loopback port that it is connected to. Each has one thread, as a relay in
 * mode multiplexed has.
 */
public interface Forwarder extends AutoCloseable {
    /** The loopback port that it listens at. */
    int port();

    /** Resources that its thread has used so far. */
    ResourceUsage load();

    /** Ends every connection, and its thread. */
    @Override
    void close();
}
