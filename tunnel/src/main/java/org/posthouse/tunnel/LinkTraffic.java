package org.posthouse.tunnel;

/** Counters of one link since the relay started, over all its connections. Confined to its link. */
final class LinkTraffic {
    long framesIn;
    long bytesIn;
    long framesOut;
    long bytesOut;

    /** How often another first lane replaced one that was up. */
    long moves;

    /** Of the last ping; -1 before the first answer. */
    long roundTripMicros = -1;

    void in(int bytes) {
        framesIn++;
        bytesIn += bytes;
    }

    /** Counts a frame that is being written, and those packed with it, by their unpacked bytes. */
    void out(LinkFrame frame) {
        PackedRun run = frame.run();
        framesOut += run == null ? 1 : run.frames().size();
        bytesOut += run == null ? frame.length() : run.bytes();
    }
}
