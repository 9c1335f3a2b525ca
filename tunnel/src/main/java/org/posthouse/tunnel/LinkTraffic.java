package org.posthouse.tunnel;

/** What one link has carried since the relay started, over all its connections. Confined to its link. */
final class LinkTraffic {
    long framesIn;
    long bytesIn;
    long framesOut;
    long bytesOut;

    /** How often another first lane took over from one that was up. */
    long moves;

    /** Of the last ping; -1 before the first answer. */
    long roundTripMicros = -1;

    void in(int bytes) {
        framesIn++;
        bytesIn += bytes;
    }

    /** One that is being written, and those that go packed with it: as they are. */
    void out(LinkFrame frame) {
        LinkRun run = frame.run();
        framesOut += run == null ? 1 : run.frames().size();
        bytesOut += run == null ? frame.length() : run.bytes();
    }
}
