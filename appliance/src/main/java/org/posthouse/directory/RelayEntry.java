package org.posthouse.directory;

import java.util.Comparator;
import java.util.Objects;

/**
 * A relay as the directory announces it.
 *
 * @param site the relay's site
 * @param relay the relay's id, unique in the grid: SITE or SITE/NAME
 * @param address address for ranks and agents, as host:port
 * @param links address for links of other relays, as host:port, or empty if this relay only dials out
 * @param ops address of console, API and metrics, as host:port, or empty
 * @param epoch the number of this start of the relay, at least 0; a restarted relay has a higher one
 * @param since when this epoch began, in milliseconds since 1970
 * @param ranks number of ranks of open jobs that are at home there: its load
 * @param nodes its nodes in sum
 */
public record RelayEntry(
        String site, String relay, String address, String links, String ops, long epoch, long since, int ranks, NodeTotals nodes) {
    static final Comparator<RelayEntry> ORDER =
            Comparator.comparing(RelayEntry::site).thenComparing(RelayEntry::relay);

    public RelayEntry {
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(links, "links");
        Objects.requireNonNull(ops, "ops");
        nodes = nodes == null ? NodeTotals.NONE : nodes; // Of a relay of an earlier version.
        if (relay.isBlank() || epoch < 0 || ranks < 0) {
            throw new IllegalArgumentException("relay '" + relay + "' of site '" + site + "' with epoch " + epoch + " and "
                    + ranks + " ranks; expected an id that is not blank, and numbers of 0 or more");
        }
    }

    /** A relay without ranks. */
    public RelayEntry(String site, String relay, String address, String links, String ops, long epoch, long since) {
        this(site, relay, address, links, ops, epoch, since, 0, NodeTotals.NONE);
    }

    /** Keeps the earlier {@code since} if the same epoch is announced again; 0 means unknown. */
    RelayEntry withSinceOf(RelayEntry earlier) {
        if (earlier.since == 0 || (since != 0 && since <= earlier.since)) {
            return this;
        }
        return new RelayEntry(site, relay, address, links, ops, epoch, earlier.since, ranks, nodes);
    }
}
