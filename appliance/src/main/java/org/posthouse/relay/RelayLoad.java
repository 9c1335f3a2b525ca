package org.posthouse.relay;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.ops.LinkView;

/**
 * What one relay has done up to one moment; the difference of two is the cost of what happened between them. Immutable.
 *
 * @param thread the id of the event loop's thread; relays may share one
 * @param cpuNanos processor time of that thread, since it started
 * @param frames frames read from and written to connected ranks and launchers, and carried by links either way
 * @param payloadBytes payload delivered to ranks of jobs that are open
 * @param linkBytes bytes written to links to other sites, headers and repeats included
 */
public record RelayLoad(long thread, long cpuNanos, long frames, long payloadBytes, long linkBytes) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Processor time of the calling thread and nothing else: of an event loop that has no relay. */
    public static RelayLoad ofThread() {
        return new RelayLoad(Thread.currentThread().threadId(), THREADS.getCurrentThreadCpuTime(), 0, 0, 0);
    }

    /** Called on the relay's event loop. */
    static RelayLoad of(Relay relay) {
        long frames = 0;
        for (Connection connection : relay.connections()) {
            frames += connection.socket().framesIn() + connection.socket().framesOut();
        }
        long linkBytes = 0;
        for (LinkView link : relay.links().views()) {
            frames += link.messagesIn() + link.messagesOut();
            linkBytes += link.bytesOut();
        }
        long payloadBytes = 0;
        for (Job job : relay.core().jobs()) {
            for (HomedRank rank : job.homedRanks()) {
                payloadBytes += rank.bytesDelivered();
            }
        }
        RelayLoad thread = ofThread();
        return new RelayLoad(thread.thread, thread.cpuNanos, frames, payloadBytes, linkBytes);
    }
}
