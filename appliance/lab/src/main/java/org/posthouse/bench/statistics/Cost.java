package org.posthouse.bench.statistics;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.relay.ResourceUsage;
import org.posthouse.relay.threads.ThreadUsage;

/**
 * Resources that the relays (and the bare forwarders) spend on something. Immutable.
 *
 * @param cpuMicros processor time of the threads that carry messages, in microseconds
 * @param heapBytes bytes that these threads allocate on the heap
 * @param frames frames read and written, at every relay on the way
 * @param payloadBytes payload delivered to ranks
 * @param linkBytes bytes on the links between sites, headers included
 */
public record Cost(double cpuMicros, double heapBytes, double frames, double payloadBytes, double linkBytes) {
    /** The sum over all; threads that several relays share count once. */
    public static Cost of(List<ResourceUsage> loads) {
        Set<Long> seen = new HashSet<>();
        double cpuNanos = 0;
        double heapBytes = 0;
        double frames = 0;
        double payloadBytes = 0;
        double linkBytes = 0;
        for (ResourceUsage load : loads) {
            for (ThreadUsage thread : load.threads()) {
                if (seen.add(thread.thread())) {
                    cpuNanos += thread.cpuNanos();
                    heapBytes += thread.allocatedBytes();
                }
            }
            frames += load.frames();
            payloadBytes += load.payloadBytes();
            linkBytes += load.linkBytes();
        }
        return new Cost(cpuNanos / 1e3, heapBytes, frames, payloadBytes, linkBytes);
    }

    /** The difference of each part. */
    public Cost minus(Cost other) {
        return new Cost(
                cpuMicros - other.cpuMicros,
                heapBytes - other.heapBytes,
                frames - other.frames,
                payloadBytes - other.payloadBytes,
                linkBytes - other.linkBytes);
    }

    /** This cost of {@code operations}, for one of them. */
    public Cost per(double operations) {
        return new Cost(
                cpuMicros / operations, heapBytes / operations, frames / operations, payloadBytes / operations, linkBytes / operations);
    }

    /** The median of each part. */
    public static Cost median(List<Cost> costs) {
        return new Cost(
                Medians.of(costs, Cost::cpuMicros),
                Medians.of(costs, Cost::heapBytes),
                Medians.of(costs, Cost::frames),
                Medians.of(costs, Cost::payloadBytes),
                Medians.of(costs, Cost::linkBytes));
    }
}
