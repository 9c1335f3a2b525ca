package org.posthouse.relay;

import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.relay.threads.ThreadUsage;
import org.posthouse.status.LinkStatus;

/**
 * The counters of one relay at one moment; the difference of two is the cost of what happened between them. Immutable.
 *
 * @param threads usage of each thread that carries messages; relays may share threads
 * @param frames frames read from and written to connected ranks and launchers, and carried by links in either direction
 * @param payloadBytes payload bytes delivered to ranks of open jobs
 * @param linkBytes bytes written to links to other sites, including headers and retransmissions
 */
public record ResourceUsage(List<ThreadUsage> threads, long frames, long payloadBytes, long linkBytes) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String CARRIER = "ForkJoinPool-";

    /** The load of a thread that carries bytes without a relay. */
    public static ResourceUsage ofThread(Thread thread) {
        return new ResourceUsage(List.of(ThreadUsage.of(thread.threadId())), 0, 0, 0);
    }

    /** Counts, behind all work that waits in the relay's shards. */
    static void of(Relay relay, Consumer<ResourceUsage> counted) {
        relay.control().post(() -> relay.shards().count(() -> relay.control().submit(() -> counted.accept(now(relay)))));
    }

    private static ResourceUsage now(Relay relay) {
        long frames = 0;
        for (Connection connection : relay.connections()) {
            frames += connection.framesIn() + connection.line().framesOut();
        }
        long linkBytes = 0;
        for (LinkStatus link : relay.links().status()) {
            frames += link.framesIn() + link.framesOut();
            linkBytes += link.frameBytesOut();
        }
        long payloadBytes = relay.shards().status().stream()
                .flatMap(shard -> shard.ranks().values().stream())
                .flatMap(List::stream)
                .mapToLong(rank -> rank.status().bytesDelivered())
                .sum();
        return new ResourceUsage(threads(relay.placement()), frames, payloadBytes, linkBytes);
    }

    private static List<ThreadUsage> threads(Placement placement) {
        List<ThreadUsage> threads = new ArrayList<>();
        placement.loops().forEach(loop -> threads.add(ThreadUsage.of(((SingleThreadEventExecutor) loop).threadProperties().id())));
        if (placement.blocks()) {
            for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
                if (thread != null && thread.getThreadName().startsWith(CARRIER)) {
                    threads.add(ThreadUsage.of(thread.getThreadId()));
                }
            }
        }
        return threads;
    }
}
