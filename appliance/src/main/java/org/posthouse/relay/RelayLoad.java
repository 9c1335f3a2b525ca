package org.posthouse.relay;

import java.util.List;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.ops.LinkView;

/**
 * What one relay has done up to one moment; the difference of two is the cost of what happened between them. Immutable.
 *
 * @param threads what each thread that carries messages has used; relays may share some
 * @param frames frames read from and written to connected ranks and launchers, and carried by links either way
 * @param payloadBytes payload delivered to ranks of jobs that are open
 * @param linkBytes bytes written to links to other sites, headers and repeats included
 */
public record RelayLoad(List<ThreadLoad> threads, long frames, long payloadBytes, long linkBytes) {
    /** The load of threads that carry bytes and have no relay. */
    public static RelayLoad ofThread(Thread thread) {
        return new RelayLoad(List.of(ThreadLoad.of(thread)), 0, 0, 0);
    }

    /** Called on the relay's event loop. */
    static RelayLoad of(Relay relay) {
        List<ThreadLoad> threads = List.of(ThreadLoad.of(Thread.currentThread()));
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
        return new RelayLoad(threads, frames, payloadBytes, linkBytes);
    }
}
