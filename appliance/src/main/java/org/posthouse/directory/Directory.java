package org.posthouse.directory;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Who is there: relays by their id, ranks by their job (docs/directory.md).
 *
 * <p>Thread-safe. Reads answer from the local view, which is the last one known and may lag behind; it outlives a group
 * that is cut or gone. Writes show in the local view at once and reach the others soon; a write that fails is kept,
 * logged and tried again. An older epoch or incarnation never replaces a newer one: it is dropped with a log line.
 * Between equal numbers the later write wins. Nothing but {@link #close} blocks, so all of it may be called on an event
 * loop.
 */
public interface Directory extends AutoCloseable {
    /** Makes a relay known, or says something new of one that is. Repeating it keeps the first {@code since}. */
    void announce(RelayEntry entry);

    /**
     * Takes a relay off the list, unless it was announced with an epoch above the given one.
     *
     * @param relay the relay's id; one that is not known is remembered, so that a late announcement of an older epoch
     *     does not bring it up
     * @param epoch the epoch that ends
     */
    void withdraw(String relay, long epoch);

    /** Relays that are there, by site and id; a snapshot that does not change. */
    List<RelayEntry> relays();

    /** The highest epoch that is known of a relay, whether it is there or not; 0 if none is. */
    long epoch(String relay);

    /** Makes ranks known, or says something new of them; ranks of a job that was removed are dropped. */
    void putRanks(Collection<RankEntry> ranks);

    /** Forgets the ranks of a job that has ended, for good: its number is not used again. */
    void removeJob(long job);

    /** Known ranks of a job, by rank; a snapshot, empty when nothing is known. */
    List<RankEntry> ranks(long job);

    /** The relay can reach another member of the group now, at this address. What a group that needs no such word makes of it: nothing. */
    default void meet(String member) {}

    /** What {@link #meet} said of this address holds no more. */
    default void miss(String member) {}

    /** The ways to other members are about to go: whoever leaves over them leaves now. Blocks for a bounded time. */
    default void part() {}

    /** What was refused of other members since the start, by kind. */
    default Map<GroupRefusal, Long> refusals() {
        return Map.of();
    }

    /** Ends the use of this directory. Blocks for a bounded time; later writes are dropped with a log line. */
    @Override
    void close();
}
