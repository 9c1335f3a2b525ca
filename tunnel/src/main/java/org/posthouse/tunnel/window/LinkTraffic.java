package org.posthouse.tunnel.window;

/** Counters of one link since the relay started, over all its connections. Confined to its link. */
public final class LinkTraffic {
    public long framesIn;
    public long bytesIn;
    public long framesOut;
    public long bytesOut;

    /** Number of times that another first lane replaced one that was up. */
    public long moves;

    /** Of the last ping; 0 before the first answer. */
    public long roundTripMicros;

    public void in(int bytes) {
        framesIn++;
        bytesIn += bytes;
    }

    /** Counts a frame that is being written, and those packed with it, by their unpacked bytes. */
    public void out(LinkFrame frame) {
        PackedRun run = frame.run();
        framesOut += run == null ? 1 : run.frames().size();
        bytesOut += run == null ? frame.length() : run.bytes();
    }
}
