package org.posthouse.status;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One relay at one instant. Immutable; two snapshots of an idle relay are equal.
 *
 * @param site          the site's name
 * @param relay         the relay's id, unique in the group
 * @param mode          how its work is placed on threads: multiplexed, pooled, pipeline or threaded
 * @param version       the product version it runs
 * @param startedAt     start of the relay, milliseconds since 1970 UTC
 * @param listenAddress host:port where ranks and agents connect
 * @param links         its links to other relays
 * @param jobs          the jobs it has ranks of, in no particular order
 * @param directory     every relay it knows of, itself included, and those that were there in the last hours
 * @param counters      its totals since {@code startedAt}
 * @param log           the message log, or empty when the relay runs with durability none
 * @param keys          the keys of its links, or empty when it has none
 * @param streams       what flows through its links beside messages, or empty when it has none
 * @param nodes         the agents that are connected to it, by name
 */
public record RelayStatus(
        String site,
        String relay,
        String mode,
        String version,
        long startedAt,
        String listenAddress,
        List<LinkStatus> links,
        List<JobStatus> jobs,
        List<KnownRelay> directory,
        Counters counters,
        Optional<Log> log,
        Optional<KeysStatus> keys,
        Optional<StreamStatus> streams,
        List<NodeStatus> nodes) {

    /** Copies the lists and refuses nulls. */
    public RelayStatus {
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(listenAddress, "listenAddress");
        links = List.copyOf(links);
        jobs = List.copyOf(jobs);
        directory = List.copyOf(directory);
        Objects.requireNonNull(counters, "counters");
        Objects.requireNonNull(log, "log");
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(streams, "streams");
        nodes = List.copyOf(nodes);
    }

    /**
     * Totals of one relay since its start, over ranks and links together. Immutable.
     *
     * @param traffic           messages accepted from ranks and links, delivered to ranks and sent over links; in the
     *         API its components stand beside the others
     * @param linkMessagesIn    of the accepted messages, those received over links, released links included
     * @param linkBytesIn       of the accepted payload bytes, those received over links
     * @param matched           receives matched with a message, since start
     * @param unexpected        messages that wait in mailboxes for a receive, now
     * @param posted            receives that wait in mailboxes for a message, now
     * @param creditOutstanding bytes of credit handed out and not used yet, now
     * @param creditMessages    messages of credit handed out and not used yet, now
     * @param waitingBytes      bytes that wait to be written to ranks and launchers, now
     * @param queuedPeak        most pieces of work that waited for one shard, in the last seconds
     * @param lagMillis         how late a timer of an event loop was at most, in the last seconds, whole milliseconds
     * @param detectors         what it has done for the failure detectors of jobs
     */
    public record Counters(
            Traffic traffic,
            long linkMessagesIn,
            long linkBytesIn,
            long matched,
            long unexpected,
            long posted,
            long creditOutstanding,
            long creditMessages,
            long waitingBytes,
            long queuedPeak,
            long lagMillis,
            DetectorCounts detectors) {

        /** The counters of a relay that has just started. */
        public static final Counters ZERO = new Counters(Traffic.NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, DetectorCounts.NONE);
    }

    /**
     * The extent and the state of the message log. Immutable.
     *
     * @param position records appended since the log was made; only grows
     * @param bytes    bytes the log holds on disk now; shrinks when it is cut
     * @param limitBytes bytes that it may hold
     * @param pinnedBytes of its bytes, those of files that cannot be cut: ranks of open jobs need records in them
     * @param state open; broken: the same, but a job stands still, as the log takes nothing more of it, or does not let
     *     it go on; unsaved: the same, but the last checkpoint of a rank could not be kept; held: senders get no
     *     more credit; stalled: the same, and nothing moves; full: its disk is full, and nothing is taken in
     * @param text     how it stands in one line: why, where, how much is missing, what to do
     */
    public record Log(long position, long bytes, long limitBytes, long pinnedBytes, String state, String text) {}

    /**
     * One relay as the directory knows it. Immutable.
     *
     * @param site    its site
     * @param relay   its id
     * @param address host:port it announced
     * @param epoch   the number of its ownership; the highest one wins
     * @param alive   whether the group hears from it
     * @param since when its epoch began or, if it is not alive, since when it has not been heard; milliseconds since
     *         1970 UTC
     * @param ranks   ranks of open jobs that are at home there: its load, as it was last told
     * @param nodes   its nodes
     * @param slots   processes that they run at most
     * @param free    slots that no job has reserved, of the nodes that take jobs
     */
    public record KnownRelay(
            String site, String relay, String address, long epoch, boolean alive, long since, int ranks, int nodes, int slots, int free) {

        /** Refuses nulls. */
        public KnownRelay {
            Objects.requireNonNull(site, "site");
            Objects.requireNonNull(relay, "relay");
            Objects.requireNonNull(address, "address");
        }
    }
}
