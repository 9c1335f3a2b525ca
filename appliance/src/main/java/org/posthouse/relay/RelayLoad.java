package org.posthouse.relay;

import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.posthouse.ops.LinkView;

/**
 * What one relay has done up to one moment; the difference of two is the cost of what happened between them. Immutable.
 *
 * @param cpuNanos processor time since their start of the threads that the relay's mode uses, by thread id; relays may
 *     share threads
 * @param frames frames read from and written to connected ranks and launchers, and carried by links either way
 * @param payloadBytes payload delivered to ranks of jobs that are open
 * @param linkBytes bytes written to links to other sites, headers and repeats included
 */
public record RelayLoad(Map<Long, Long> cpuNanos, long frames, long payloadBytes, long linkBytes) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String CARRIER = "ForkJoinPool-";

    /** Processor time of the calling thread and nothing else: of an event loop that has no relay. */
    public static RelayLoad ofThread() {
        Map<Long, Long> cpuNanos = Map.of(Thread.currentThread().threadId(), THREADS.getCurrentThreadCpuTime());
        return new RelayLoad(cpuNanos, 0, 0, 0);
    }

    /** Counts, behind all that waits in the relay's shards. */
    static void of(Relay relay, Consumer<RelayLoad> counted) {
        relay.control().post(() -> relay.shards().count(() -> relay.control().submit(() -> counted.accept(now(relay)))));
    }

    private static RelayLoad now(Relay relay) {
        long frames = 0;
        for (Connection connection : relay.connections()) {
            frames += connection.framesIn() + connection.line().framesOut();
        }
        long linkBytes = 0;
        for (LinkView link : relay.links().views()) {
            frames += link.messagesIn() + link.messagesOut();
            linkBytes += link.bytesOut();
        }
        long payloadBytes = relay.shards().status().stream()
                .flatMap(shard -> shard.ranks().values().stream())
                .flatMap(List::stream)
                .mapToLong(ShardStatus.Rank::bytesDelivered)
                .sum();
        return new RelayLoad(cpuNanos(relay.placement()), frames, payloadBytes, linkBytes);
    }

    private static Map<Long, Long> cpuNanos(Placement placement) {
        Map<Long, Long> nanos = new HashMap<>();
        placement.loops().forEach(loop -> {
            long id = ((SingleThreadEventExecutor) loop).threadProperties().id();
            nanos.put(id, THREADS.getThreadCpuTime(id));
        });
        if (placement.blocks()) {
            for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
                if (thread != null && thread.getThreadName().startsWith(CARRIER)) {
                    nanos.put(thread.getThreadId(), THREADS.getThreadCpuTime(thread.getThreadId()));
                }
            }
        }
        return nanos;
    }
}
