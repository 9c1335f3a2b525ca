package org.posthouse.directory;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.posthouse.names.NameService;

/**
 * The known relays by their id, and ranks by their job (docs/directory.md). Thread-safe.
 *
 * <p>Reads are answered from the local view, which is the last one known and may lag behind. The view outlives a group
 * that is partitioned or gone. Writes show in the local view at once and reach the others soon. A write that fails is
 * kept, logged and retried.
 *
 * <p>An older epoch or incarnation never replaces a newer one; it is dropped with a log line. Between equal numbers the
 * later write wins. Only {@link #close} and {@link #part} block; event loops may call all other methods.
 */
public interface Directory extends AutoCloseable {
    /** Announces a relay or updates its entry. Repeating it keeps the first {@code since}. */
    void announce(RelayEntry entry);

    /**
     * Takes a relay off the list, unless it was announced with an epoch above the given one.
     *
     * @param relay the relay's id. An unknown id is remembered, so that a late announcement of an older epoch does not
     *         list it.
     * @param epoch the epoch that ends
     */
    void withdraw(String relay, long epoch);

    /** The listed relays, ordered by site and id; an immutable snapshot. */
    List<RelayEntry> relays();

    /** The highest known epoch of a relay, listed or not; 0 if there is none. */
    long epoch(String relay);

    /** Announces ranks or updates their entries; ranks of a removed job are dropped. */
    void putRanks(Collection<RankEntry> ranks);

    /** Removes the ranks of a job that has ended, for good: job ids are not reused. */
    void removeJob(long job);

    /** The known ranks of all jobs, ordered by job and rank; a snapshot. */
    List<RankEntry> ranks();

    /** The known ranks of a job, ordered by rank; a snapshot, empty if none are known. */
    List<RankEntry> ranks(long job);

    /**
     * Tells the directory that another member of the group can be reached at this address now. The default does
     * nothing.
     */
    default void meet(String member) {}

    /** Revokes what {@link #meet} has told of this address. */
    default void miss(String member) {}

    /**
     * Tells the directory who leads the grid. While somebody is known to, only the leader's directory takes relays off the list that have left without a word,
     * and deletes what has expired; else each does. The default does nothing.
     *
     * @param leader the id of the relay that leads; any thread asks it
     */
    default void ledBy(Supplier<Optional<String>> leader) {}

    /** Leaves the group if it is reached over links, because these are about to close. Blocks for a bounded time. */
    default void part() {}

    /**
     * The names that the relays of this directory share; the same object at each call, closed with the directory. It answers UNAVAILABLE while there is no
     * group.
     */
    NameService names();

    /** Number of refusals of other members since the start, by kind. */
    default Map<GroupRefusal, Long> refusals() {
        return Map.of();
    }

    /** Closes the directory. Blocks for a bounded time; later writes are dropped with a log line. */
    @Override
    void close();
}
