package org.posthouse.tunnel.stream;

/**
 * The streams over one link, for display and metrics. Immutable.
 *
 * @param open streams that are open now, or being opened
 * @param bytesIn bytes received on streams
 * @param bytesOut bytes sent on streams
 * @param tokensIn frames that the peer may still send; a buffer is reserved for each
 * @param tokensOut frames that may still be sent to the peer
 */
public record LinkStreamStatus(int open, long bytesIn, long bytesOut, long tokensIn, long tokensOut) {
    /** The value for a link without any stream so far. */
    public static final LinkStreamStatus NONE = new LinkStreamStatus(0, 0, 0, 0, 0);
}
