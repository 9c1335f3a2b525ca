package org.posthouse.ops;

/**
 * The streams over one link: connections of forwarded ports, and lanes of links that go over others. Immutable.
 *
 * @param open      streams that are open now
 * @param bytesIn   bytes that came on streams since the relay started
 * @param bytesOut  bytes that went
 * @param tokensIn  frames that the peer may still send on them, now: so many buffers are kept for it
 * @param tokensOut frames that may still be sent to the peer, now
 */
public record LinkStreamsView(int open, long bytesIn, long bytesOut, long tokensIn, long tokensOut) {}
