package org.posthouse.directory;

import java.util.Comparator;
import java.util.Objects;

/**
 * A relay as the grid sees it.
 *
 * @param site the relay's site
 * @param relay the relay's id, unique in the grid: SITE or SITE/NAME
 * @param address where ranks and agents connect, as host:port
 * @param links where other relays connect, as host:port, or empty when this relay only dials out
 * @param ops where console, API and metrics are served, as host:port, or empty
 * @param epoch the number of this ownership of the relay's id, 0 or more; a restarted relay takes a higher one
 * @param since when this epoch began, in milliseconds of the Unix epoch
 * @param ranks how many ranks of open jobs are at home there: its load
 */
public record RelayEntry(
        String site, String relay, String address, String links, String ops, long epoch, long since, int ranks) {
    static final Comparator<RelayEntry> ORDER =
            Comparator.comparing(RelayEntry::site).thenComparing(RelayEntry::relay);

    public RelayEntry {
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(links, "links");
        Objects.requireNonNull(ops, "ops");
        if (relay.isBlank() || epoch < 0 || ranks < 0) {
            throw new IllegalArgumentException("relay '" + relay + "' of site '" + site + "' with epoch " + epoch + " and "
                    + ranks + " ranks; expected an id that is not blank, and numbers of 0 or more");
        }
    }

    /** A relay at which nobody is at home yet. */
    public RelayEntry(String site, String relay, String address, String links, String ops, long epoch, long since) {
        this(site, relay, address, links, ops, epoch, since, 0);
    }

    /** The same epoch announced twice began when it was first announced; 0 means not known. */
    RelayEntry withSinceOf(RelayEntry earlier) {
        if (earlier.since == 0 || (since != 0 && since <= earlier.since)) {
            return this;
        }
        return new RelayEntry(site, relay, address, links, ops, epoch, earlier.since, ranks);
    }
}
