package org.posthouse.tunnel;

/**
 * The streams of one relay, for people and metrics. Immutable. Counts run since the relay started.
 *
 * @param open streams that are open now, those that are being opened included
 * @param opened streams that were opened, here or by other relays
 * @param refused streams that were refused, here or there
 * @param bytesIn bytes that came on streams
 * @param bytesOut bytes that went
 * @param waits how often a stream used its last token
 * @param buffersUsed buffers that are taken or promised, now
 * @param buffers N: buffers that there are
 * @param carried lanes of other relays that go through this one now
 * @param bytesCarried their bytes, both ways together
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
