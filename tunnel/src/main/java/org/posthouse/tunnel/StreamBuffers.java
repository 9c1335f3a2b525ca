package org.posthouse.tunnel;

/**
 * Who has a relay's stream buffers: each open stream its L tokens for certain, and those that need more a share of what is left. Confined
 * to the relay's context; knows no socket and no clock.
 *
 * <p>Invariant: {@code open <= P} and {@code lent <= N - P * L}, so {@code open * L + lent <= N}: a new stream never waits for what
 * others hold, and all that may come has room.
 */
final class StreamBuffers {
    private final StreamConfig config;

    /** The open streams, by the site of the relay that they go to or come from. */
    private final FairShare open;

    /** Tokens beyond L, of all streams together. */
    private int lent;

    StreamBuffers(StreamConfig config) {
        this.config = config;
        this.open = new FairShare(config.streams());
    }

    /** Takes L buffers for one more stream on a link to a relay of {@code site}. Returns false if there are P streams, or the site has its {@link FairShare}. */
    boolean tryOpen(String site) {
        return open.tryTake(site);
    }

    /** A stream of {@code site} that had {@code tokens}, L or more, is over. */
    void close(String site, int tokens) {
        open.giveBack(site);
        lent -= tokens - config.tokens();
    }

    /** L: what a stream begins with. */
    int first() {
        return config.tokens();
    }

    /** How many tokens each stream may have, as many as there are now. */
    int share() {
        return config.tokens() + config.spare() / Math.max(1, open());
    }

    /** Lends at most {@code wanted} more to a stream that has {@code tokens}. Returns how many. */
    int lend(int tokens, int wanted) {
        int more = Math.max(0, Math.min(wanted, Math.min(share() - tokens, config.spare() - lent)));
        lent += more;
        return more;
    }

    /** A stream has so many fewer of those that it was lent. */
    void takeBack(int tokens) {
        lent -= tokens;
    }

    /** Streams that are open. */
    int open() {
        return (int) open.taken();
    }

    /** Those of them that go to or come from relays of {@code site}. */
    int open(String site) {
        return (int) open.of(site);
    }

    /** Buffers that are taken or promised. */
    int used() {
        return open() * config.tokens() + lent;
    }

    StreamConfig config() {
        return config;
    }
}
