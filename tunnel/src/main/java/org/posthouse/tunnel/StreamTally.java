package org.posthouse.tunnel;

/** What the streams of one relay have done since its start. Confined to the relay's context. */
final class StreamTally {
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

    /** @param last whether the stream has none left */
    void usedToken(boolean last) {
        waits += last ? 1 : 0;
    }

    /** So many streams more, or fewer, go on from this relay to another. */
    void pipe(int more) {
        pipes += more;
    }

    /** Bytes that came on one link and left on another. */
    void carried(int bytes) {
        bytesCarried += bytes;
    }

    StreamStatus status(StreamBuffers buffers) {
        return new StreamStatus(
                buffers.open(), opened, refused, bytesIn, bytesOut, waits, buffers.used(), buffers.config().buffers(), pipes, bytesCarried);
    }
}
