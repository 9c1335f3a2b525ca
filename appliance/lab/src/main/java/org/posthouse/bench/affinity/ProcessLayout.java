package org.posthouse.bench.affinity;

import java.util.Locale;

/**
 * Where the processes of a bench run, of two processors. On few processors the time of a message says as much about which threads
 * happen to share one as about the programs; so a bench may decide it, for all that it compares alike.
 */
public enum ProcessLayout {
    /** Wherever the system likes, which differs from run to run and from series to series. */
    FREE(-1, -1, -1),
    /** All on the first: nobody is woken from afar, and nothing happens at once. */
    TOGETHER(0, 0, 0),
    /** Relays and forwarders on the first, ranks on the second: each hop wakes the other processor. */
    APART(0, 1, 1),
    /** Relays, forwarders and first partners on the first, second partners on the second. */
    SPLIT(0, 0, 1),
    /** The first half of the sites on the first, relays and ranks, and the second half on the second: only what goes between them wakes the other. */
    SITES(0, 0, 1);

    private final int relays;
    private final int firstPartners;
    private final int secondPartners;

    ProcessLayout(int relays, int firstPartners, int secondPartners) {
        this.relays = relays;
        this.firstPartners = firstPartners;
        this.secondPartners = secondPartners;
    }

    /** Which of the two processors relays and forwarders have that are of no site in particular, 0 or 1. */
    int relays() {
        return relays;
    }

    /** Which of the two the relays of a site have, and what carries bytes there in their stead. */
    public int site(int site, int sites) {
        return this == SITES ? half(site, sites) : relays;
    }

    /** Which of the two a rank has; the first half of the ranks are first partners. */
    public int rank(int rank, int ranks) {
        return half(rank, ranks);
    }

    private int half(int one, int of) {
        return one < (of + 1) / 2 ? firstPartners : secondPartners;
    }

    /** The word on the command line and in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
