package org.posthouse.tunnel.stream;

import org.posthouse.tunnel.window.FairShare;

/**
 * Allocates a relay's stream buffers. Each open stream is guaranteed its L tokens; streams that need more share the
 * rest. Confined to the relay's context; uses no socket and no clock.
 *
 * <p>Invariant: {@code open <= P} and {@code lent <= N - P * L}, so {@code open * L + lent <= N}. A new stream never
 * waits for buffers of others, and every frame that may arrive has a buffer.
 */
final class StreamBuffers {
    private final StreamConfig config;

    /** The open streams, by the site of the relay at their other end. */
    private final FairShare open;

    /** Tokens beyond L, of all streams together. */
    private int lent;

    StreamBuffers(StreamConfig config) {
        this.config = config;
        this.open = new FairShare(config.streams());
    }

    /**
     * Takes L buffers for one more stream on a link to a relay of {@code site}. Returns false if there are P streams,
     * or the site has its {@link FairShare}.
     */
    boolean tryOpen(String site) {
        return open.tryTake(site);
    }

    /** Returns the {@code tokens}, L or more, of a stream of {@code site} that has ended. */
    void close(String site, int tokens) {
        open.giveBack(site);
        lent -= tokens - config.tokens();
    }

    /** L: the initial tokens of a stream. */
    int first() {
        return config.tokens();
    }

    /** Maximum tokens of each stream, given the number of open ones. */
    int share() {
        return config.tokens() + config.spare() / Math.max(1, open());
    }

    /** Lends at most {@code wanted} more to a stream that has {@code tokens}. Returns the number lent. */
    int lend(int tokens, int wanted) {
        int more = Math.max(0, Math.min(wanted, Math.min(share() - tokens, config.spare() - lent)));
        lent += more;
        return more;
    }

    /** Takes back {@code tokens} lent tokens of a stream. */
    void takeBack(int tokens) {
        lent -= tokens;
    }

    /** Number of open streams. */
    int open() {
        return (int) open.taken();
    }

    /** Number of open streams to and from relays of {@code site}. */
    int open(String site) {
        return (int) open.of(site);
    }

    /** Buffers that are in use or guaranteed. */
    int used() {
        return open() * config.tokens() + lent;
    }

    StreamConfig config() {
        return config;
    }
}
