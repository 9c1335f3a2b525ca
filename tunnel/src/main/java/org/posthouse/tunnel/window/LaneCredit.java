package org.posthouse.tunnel.window;

/**
 * Counts the bulk that arrives on a lane with a {@link LanePace} at its other end, and decides when to report it.
 * Confined to its connection; uses no clock.
 */
public final class LaneCredit {
    private long whole;
    private long told;
    private long toldAtNanos;

    /**
     * Counts a received frame of bulk, or a frame of packed bulk.
     *
     * @param bytes on the wire
     */
    public void frame(int bytes) {
        whole += bytes;
    }

    /**
     * Whether a report to the other end is due after the current read.
     *
     * @param incompleteBytes received bytes of an incomplete frame
     */
    public boolean isDue(int incompleteBytes, long nowNanos) {
        long news = whole + incompleteBytes - told;
        if (incompleteBytes == 0 || news >= LinkReceiver.BYTES_PER_WORD) {
            return news > 0;
        }
        return news >= LinkReceiver.PART_BYTES_PER_WORD && nowNanos - toldAtNanos >= LinkReceiver.PART_NANOS;
    }

    /** Whether a report is due at once, if more is arriving. */
    public boolean isDueAtOnce() {
        return whole - told >= LinkReceiver.BYTES_PER_WORD_AT_ONCE;
    }

    /** The count for a LINK_CAME that is being written now. */
    public long tell(int incompleteBytes, long nowNanos) {
        told = whole + incompleteBytes;
        toldAtNanos = nowNanos;
        return told;
    }
}
