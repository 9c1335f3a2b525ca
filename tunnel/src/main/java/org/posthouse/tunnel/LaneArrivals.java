package org.posthouse.tunnel;

/** Counts the bulk that comes on a lane with a {@link LanePace} at its other end, and says when that one is to hear of it. Confined to its connection; knows no clock. */
final class LaneArrivals {
    private long whole;
    private long told;
    private long toldAtNanos;

    /** A frame of bulk has come, or bulk packed in one. @param bytes as they went */
    void frame(int bytes) {
        whole += bytes;
    }

    /** Whether the other end is to hear now that what was read is done with. @param incompleteBytes what came of a frame whose rest has not */
    boolean isDue(int incompleteBytes, long nowNanos) {
        long news = whole + incompleteBytes - told;
        if (incompleteBytes == 0 || news >= LinkArrivals.BYTES_PER_WORD) {
            return news > 0;
        }
        return news >= LinkArrivals.PART_BYTES_PER_WORD && nowNanos - toldAtNanos >= LinkArrivals.PART_NANOS;
    }

    /** Whether it is to hear so at once, where more is coming. */
    boolean isDueAtOnce() {
        return whole - told >= LinkArrivals.BYTES_PER_WORD_AT_ONCE;
    }

    /** The count to put into a LINK_CAME that is being written now. */
    long tell(int incompleteBytes, long nowNanos) {
        told = whole + incompleteBytes;
        toldAtNanos = nowNanos;
        return told;
    }
}
