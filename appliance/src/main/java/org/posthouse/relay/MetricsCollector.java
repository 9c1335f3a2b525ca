package org.posthouse.relay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.posthouse.core.Latencies;
import org.posthouse.directory.GroupRefusal;
import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.relay.shard.TrafficCounters;
import org.posthouse.relay.threads.RecentPeak;
import org.posthouse.status.DetectorCounts;
import org.posthouse.status.FollowerCounts;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayMetrics.Latency;
import org.posthouse.status.Traffic;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.wire.CloseReason;

/**
 * Collects the metrics of one relay since its start, a few times a second, from the counters of its parts. Confined to
 * the relay's control strand; the records that it returns are immutable.
 */
final class MetricsCollector {
    private static final double NANOS_PER_SECOND = 1e9;

    private final TrafficCounters flows = new TrafficCounters();
    private final EventLoopLag eventLoopLag = new EventLoopLag();
    private final List<RecentPeak> queued = new ArrayList<>();

    /** The state of the connections' output at one moment. */
    record Lines(int open, int slow, long waitingBytes) {
        static Lines of(Collection<Connection> connections) {
            int slow = 0;
            long waitingBytes = 0;
            for (Connection connection : connections) {
                waitingBytes += connection.line().waitingBytes();
                slow += connection.line().writable() ? 0 : 1;
            }
            return new Lines(connections.size(), slow, waitingBytes);
        }
    }

    EventLoopLag loopLag() {
        return eventLoopLag;
    }

    /** Adds what ranks and links have carried since the last call to the totals of this mode. */
    void carried(String mode, Traffic ranks, Map<String, Traffic> links) {
        flows.note(mode, "", ranks);
        links.forEach((other, counts) -> flows.note(mode, other, counts));
        flows.keepOnly(links.keySet());
    }

    /** Stores the number of pieces of work that waited for each shard since the last call. */
    void queued(List<ShardStatus> shards, long nanos) {
        for (int number = 0; number < shards.size(); number++) {
            if (number == queued.size()) {
                queued.add(new RecentPeak());
            }
            queued.get(number).note(shards.get(number).queuedDeepest(), nanos);
        }
    }

    /** The most pieces that recently waited for one shard. */
    int queuedPeak(long nanos) {
        return queuedPeaks(nanos).stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    private List<Integer> queuedPeaks(long nanos) {
        return queued.stream().map(peak -> Math.toIntExact(peak.at(nanos))).toList();
    }

    RelayMetrics metrics(
            List<ShardStatus> shards, long divergences, Lines lines, Map<CloseReason, Long> refusals, Map<LinkRefusal, Long> linkRefusals,
            Map<GroupRefusal, Long> groupRefusals, RelayMetrics.Staging staging, DetectorCounts detectors, FollowerCounts followers, long nanos) {
        return new RelayMetrics(
                flows.flows(),
                shards.stream().mapToLong(ShardStatus::messagesStored).sum(),
                shards.stream().mapToLong(ShardStatus::messagesPushed).sum(),
                divergences,
                sum(shards, ShardStatus::messageWaits),
                sum(shards, ShardStatus::receiveWaits),
                latency(eventLoopLag.counted()),
                queuedPeaks(nanos),
                lines.open(),
                lines.slow(),
                named(CloseReason.values(), refusals, Connection::isFault),
                named(LinkRefusal.values(), linkRefusals, kind -> true),
                named(GroupRefusal.values(), groupRefusals, kind -> true),
                staging,
                detectors,
                followers);
    }

    /** All constants of an enum with their counts, in small letters. */
    private static <E extends Enum<E>> Map<String, Long> named(
            E[] all, Map<E, Long> counts, Predicate<E> shown) {
        Map<String, Long> named = new TreeMap<>();
        for (E one : all) {
            if (shown.test(one)) {
                named.put(one.name().toLowerCase(Locale.ROOT), counts.getOrDefault(one, 0L));
            }
        }
        return named;
    }

    private static Latency sum(List<ShardStatus> shards, Function<ShardStatus, Latencies> waits) {
        Latencies all = new Latencies();
        shards.forEach(shard -> all.add(waits.apply(shard)));
        return latency(all);
    }

    private static Latency latency(Latencies latencies) {
        List<Double> bounds = new ArrayList<>();
        List<Long> counts = new ArrayList<>();
        for (int bucket = 0; bucket < Latencies.buckets(); bucket++) {
            counts.add(latencies.count(bucket));
            if (bucket < Latencies.buckets() - 1) {
                bounds.add(Latencies.boundNanos(bucket) / NANOS_PER_SECOND);
            }
        }
        return new Latency(bounds, counts, latencies.sumNanos() / NANOS_PER_SECOND);
    }
}
