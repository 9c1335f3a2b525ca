package org.posthouse.status;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Counters and latencies of one relay since its start, in more detail than the live view: for {@code /metrics}.
 * Immutable.
 *
 * @param flows what was carried, once for each mode and each link, or the ranks, that carried any
 * @param messagesStored messages that had to wait in a mailbox for a receive
 * @param messagesPushed messages sent to their ranks before they had asked for them
 * @param divergences messages that ranks which were started again would have sent otherwise than before
 * @param messageWaits how long matched messages had waited for a receive
 * @param receiveWaits how long matched receives had waited for a message
 * @param loopLags how late timers of the relay's event loops were
 * @param queuedPeaks for each shard, by its number, the most pieces of work that waited for it in the last seconds
 * @param connections connections of ranks and launchers that are open now
 * @param connectionsSlow those that are not written to before their readers have read, now
 * @param refusals connections of ranks and launchers closed for a fault, by reason; every reason is there
 * @param linkRefusals connections that did not become a link, by kind; every kind is there
 * @param groupRefusals connections and postings of other members of the group that were refused, by kind; every kind is
 *     there
 * @param staging files that jobs take to their nodes
 * @param detectors failure detectors of jobs
 * @param followers processes that followed ranks
 */
public record RelayMetrics(
        List<Flow> flows,
        long messagesStored,
        long messagesPushed,
        long divergences,
        Latency messageWaits,
        Latency receiveWaits,
        Latency loopLags,
        List<Integer> queuedPeaks,
        int connections,
        int connectionsSlow,
        Map<String, Long> refusals,
        Map<String, Long> linkRefusals,
        Map<String, Long> groupRefusals,
        Staging staging,
        DetectorCounts detectors,
        FollowerCounts followers) {

    /** Nothing has happened yet. */
    public static final RelayMetrics NONE = new RelayMetrics(
            List.of(), 0, 0, 0, Latency.NONE, Latency.NONE, Latency.NONE, List.of(), 0, 0, Map.of(), Map.of(), Map.of(),
            new Staging(0, 0, 0), DetectorCounts.NONE, FollowerCounts.NONE);

    /** Copies the lists and refuses nulls. */
    public RelayMetrics {
        flows = List.copyOf(flows);
        queuedPeaks = List.copyOf(queuedPeaks);
        refusals = Map.copyOf(refusals);
        linkRefusals = Map.copyOf(linkRefusals);
        groupRefusals = Map.copyOf(groupRefusals);
        Objects.requireNonNull(messageWaits, "messageWaits");
        Objects.requireNonNull(receiveWaits, "receiveWaits");
        Objects.requireNonNull(loopLags, "loopLags");
    }

    /**
     * Files of jobs.
     *
     * @param bytesIn of them, from launchers, since the start
     * @param bytesOut of them, to agents, since the start
     * @param bytesStored of those that are kept now
     */
    public record Staging(long bytesIn, long bytesOut, long bytesStored) {}

    /**
     * The traffic in one mode with one other relay, or with the ranks. Immutable.
     *
     * @param mode multiplexed, pooled, pipeline or threaded
     * @param link the id of the relay at the link's far end; empty for the ranks that are at home here
     * @param traffic the messages that were carried
     */
    public record Flow(String mode, String link, Traffic traffic) {

        /** Refuses nulls. */
        public Flow {
            Objects.requireNonNull(mode, "mode");
            Objects.requireNonNull(link, "link");
            Objects.requireNonNull(traffic, "traffic");
        }
    }

    /**
     * A histogram of durations. Immutable.
     *
     * @param boundsSeconds upper bounds of the buckets, inclusive, rising
     * @param counts how many fell into each bucket and no lower one, and, last, how many into none
     * @param sumSeconds what they took together
     */
    public record Latency(List<Double> boundsSeconds, List<Long> counts, double sumSeconds) {

        /** Nothing was counted, and there are no buckets. */
        public static final Latency NONE = new Latency(List.of(), List.of(0L), 0);

        /** Refuses buckets without a count. */
        public Latency {
            boundsSeconds = List.copyOf(boundsSeconds);
            counts = List.copyOf(counts);
            if (counts.size() != boundsSeconds.size() + 1) {
                throw new IllegalArgumentException(
                        counts.size() + " counts for " + boundsSeconds.size() + " bounds, expected one more than bounds");
            }
        }
    }
}
