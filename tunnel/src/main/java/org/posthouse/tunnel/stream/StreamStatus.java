package org.posthouse.tunnel.stream;

/**
 * The streams of one relay, for display and metrics. Immutable. Counts run since the relay started.
 *
 * @param open streams that are open now, those being opened included
 * @param opened streams that were opened, here or by other relays
 * @param refused streams that were refused, here or there
 * @param bytesIn bytes received on streams
 * @param bytesOut bytes sent on streams
 * @param waits how often a stream used its last token
 * @param buffersUsed buffers in use or guaranteed now
 * @param buffers N: total number of buffers
 * @param carried lanes of other relays that pass through this one now
 * @param bytesCarried their bytes, both directions together
 */
public record StreamStatus(
        int open,
        long opened,
        long refused,
        long bytesIn,
        long bytesOut,
        long waits,
        int buffersUsed,
        int buffers,
        int carried,
        long bytesCarried) {}
