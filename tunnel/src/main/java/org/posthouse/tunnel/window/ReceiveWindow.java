package org.posthouse.tunnel.window;

import java.util.BitSet;

/**
 * The receiving direction of a link: how many frames arrived, how many of them were handled, and when to acknowledge
 * those. Confined to its link; uses no clock.
 *
 * <p>Frames are numbered from 0 over all streams, so that a number reveals that its stream was dropped:
 * <pre>
 *   first ...... acknowledged ...... handled ........ received
 *   (a stream)                       [ some handled, the first not )
 * </pre>
 * An acknowledgement counts the frames handled without a gap. Each frame handled behind the gap takes one bit. There
 * are no more bits than the peer's window holds frames: 64 MiB of frames of at least 152 bytes need 55 KB of bits.
 *
 * <p>A LINK_ACK of 24 bytes for at least 64 frames or 256 KiB costs less than 1 % of what it acknowledges. The link's
 * timer acknowledges fewer frames.
 */
final class ReceiveWindow {
    private static final int FRAMES_PER_ACK = 64;
    private static final int BYTES_PER_ACK = 256 * 1024;

    /** Bits in front of the gap after which they are removed: 8 KiB of them, so that the others are moved rarely. */
    private static final int BITS_BEHIND_MAX = 1 << 16;

    private long first;
    private long received;
    private long handled;
    private long acknowledged;
    private long bytesPending;

    /** Handled frames behind {@code handled}, by their distance from {@link #aheadFrom}. */
    private final BitSet ahead = new BitSet();

    private long aheadFrom;

    /** Counts one frame. Returns its number, for {@link #handle}. */
    long receive(int bytes) {
        bytesPending += bytes;
        return received++;
    }

    /** Withdraws the frame that was received last; it will be sent again. */
    void takeBack(int bytes) {
        bytesPending -= bytes;
        received--;
    }

    /**
     * Notes that the frame with this number was handled; has no effect if its stream was reset.
     *
     * @return whether an acknowledgement is due now
     */
    boolean handle(long number) {
        if (number == handled) {
            handled++;
            if (!ahead.isEmpty()) {
                closeGap();
            }
        } else if (number > handled) {
            noteAhead(number);
        }
        return handled - acknowledged >= FRAMES_PER_ACK || pending() && bytesPending >= BYTES_PER_ACK;
    }

    private void noteAhead(long number) {
        if (number >= received) {
            throw new IllegalArgumentException("frame " + number + " was handled, expected one below " + received);
        }
        if (ahead.isEmpty()) {
            aheadFrom = handled;
        }
        ahead.set((int) (number - aheadFrom));
    }

    private void closeGap() {
        int next = ahead.nextClearBit((int) (handled - aheadFrom));
        handled = aheadFrom + next;
        if (next >= ahead.length()) {
            ahead.clear();
        } else if (next >= BITS_BEHIND_MAX) {
            BitSet left = ahead.get(next, ahead.length());
            ahead.clear();
            ahead.or(left);
            aheadFrom = handled;
        }
    }

    /** Whether handled frames were not yet acknowledged to the peer. */
    boolean pending() {
        return handled > acknowledged;
    }

    /** Whether all received frames were handled. */
    boolean isSettled() {
        return handled == received;
    }

    /** The count for a LINK_ACK that is being written now. */
    long acknowledge() {
        acknowledged = handled;
        bytesPending = 0;
        return handled - first;
    }

    /** The count for a LINK_HELLO: frames that the peer need not write again. */
    long received() {
        return received - first;
    }

    /**
     * Begins a new stream with frame 0, because the peer restarted. Frames of the old stream no longer matter, handled
     * or not.
     */
    void forget() {
        first = received;
        handled = received;
        acknowledged = received;
        bytesPending = 0;
        ahead.clear();
    }
}
