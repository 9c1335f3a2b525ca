package org.posthouse.status;

import java.util.List;

/**
 * The name service as a relay sees it. Immutable.
 *
 * @param relay the relay that was asked
 * @param leader the elected relay of the grid; empty if none is known to lead
 * @param election the number of the election that it has won; 0 without a leader
 * @param since when it was elected, milliseconds since 1970 UTC by its own clock; 0 without a leader
 * @param unavailable why names cannot be had; empty if they can
 * @param names what is bound at and below the prefix that was asked for, in order
 * @param more whether there are more names behind the last one
 * @param changes the last changes that this relay was told of since its start, the newest first
 */
public record NamesStatus(
        String relay, String leader, long election, long since, String unavailable, List<BoundName> names, boolean more, List<NameChange> changes) {
    public NamesStatus {
        names = List.copyOf(names);
        changes = List.copyOf(changes);
    }

    /**
     * A bound name.
     *
     * @param version 1 or more
     * @param epoch the number of the election whose winner wrote it; 0 if none
     * @param fields the record as {@code name=value, …}, cut to some hundred characters
     */
    public record BoundName(String name, long version, long epoch, String fields) {}

    /**
     * A change.
     *
     * @param at when the relay was told, milliseconds since 1970 UTC
     * @param bound whether the name was bound, and not taken away
     */
    public record NameChange(long at, String name, long version, long epoch, boolean bound, String fields) {}
}
