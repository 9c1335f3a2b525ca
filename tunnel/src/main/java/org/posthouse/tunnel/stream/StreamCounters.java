package org.posthouse.tunnel.stream;

import java.util.List;
import org.posthouse.status.StreamStatus;

/** Counters of a relay's streams since its start. Confined to the relay's context. */
final class StreamCounters {
    private long opened;
    private long refused;
    private long bytesIn;
    private long bytesOut;
    private long waits;
    private int pipes;
    private long bytesCarried;

    void opened() {
        opened++;
    }

    void refused() {
        refused++;
    }

    void in(int bytes) {
        bytesIn += bytes;
    }

    void out(int bytes) {
        bytesOut += bytes;
    }

    /** @param last whether it was the stream's last token */
    void usedToken(boolean last) {
        waits += last ? 1 : 0;
    }

    /** Adds {@code more}, which may be negative, to the number of streams forwarded to another relay. */
    void pipe(int more) {
        pipes += more;
    }

    /** Counts bytes that arrived on one link and were sent on another. */
    void carried(int bytes) {
        bytesCarried += bytes;
    }

    StreamStatus status(StreamBuffers buffers, boolean drained, List<StreamStatus.Forward> forwards) {
        return new StreamStatus(
                buffers.open(), opened, refused, bytesIn, bytesOut, waits, buffers.used(), buffers.config().buffers(), pipes, bytesCarried, drained,
                forwards);
    }
}
