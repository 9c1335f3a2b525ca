package org.posthouse.bench.affinity;

import java.util.Locale;

/**
 * Places of a bench's processes on two processors. On few processors the time of a message depends on which threads
 * happen to share one, as much as on the programs. A bench may therefore fix the places, for all that it compares
 * alike.
 */
public enum ProcessLayout {
    /** Wherever the system likes, which differs from run to run and from series to series. */
    FREE(-1, -1, -1),
    /** All on the first: no wake-up crosses processors, and nothing happens at once. */
    TOGETHER(0, 0, 0),
    /** Relays and forwarders on the first, ranks on the second: each hop wakes the other processor. */
    APART(0, 1, 1),
    /** Relays, forwarders and first partners on the first, second partners on the second. */
    SPLIT(0, 0, 1),
    /**
     * The first half of the sites on the first, relays and ranks, and the second half on the second. Only messages
     * between the halves wake the other processor.
     */
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
