package org.posthouse.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.posthouse.relay.RelayLoad;

/**
 * What the relays (and the bare forwarder) spend on something. Immutable.
 *
 * @param cpuMicros processor time of their event loops, in microseconds
 * @param frames frames read and written, at every relay on the way
 * @param payloadBytes payload delivered to ranks
 * @param linkBytes bytes on the links between sites, headers included
 */
record Cost(double cpuMicros, double frames, double payloadBytes, double linkBytes) {
    /** The sum over all; threads that several relays share count once. */
    static Cost of(List<RelayLoad> loads) {
        Map<Long, Long> nanosOfThread = new HashMap<>();
        double frames = 0;
        double payloadBytes = 0;
        double linkBytes = 0;
        for (RelayLoad load : loads) {
            load.cpuNanos().forEach((thread, nanos) -> nanosOfThread.merge(thread, nanos, Math::max));
            frames += load.frames();
            payloadBytes += load.payloadBytes();
            linkBytes += load.linkBytes();
        }
        double cpuNanos = nanosOfThread.values().stream().mapToLong(Long::longValue).sum();
        return new Cost(cpuNanos / 1e3, frames, payloadBytes, linkBytes);
    }

    Cost minus(Cost other) {
        return new Cost(
                cpuMicros - other.cpuMicros, frames - other.frames, payloadBytes - other.payloadBytes, linkBytes - other.linkBytes);
    }

    /** This cost of {@code operations}, for one of them. */
    Cost per(double operations) {
        return new Cost(cpuMicros / operations, frames / operations, payloadBytes / operations, linkBytes / operations);
    }

    /** The median of each part. */
    static Cost median(List<Cost> costs) {
        return new Cost(
                median(costs, Cost::cpuMicros), median(costs, Cost::frames), median(costs, Cost::payloadBytes),
                median(costs, Cost::linkBytes));
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> part) {
        return Medians.of(costs.stream().mapToDouble(part).toArray());
    }
}
