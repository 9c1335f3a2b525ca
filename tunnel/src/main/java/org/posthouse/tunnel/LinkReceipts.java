package org.posthouse.tunnel;

import java.util.BitSet;

/**
 * The receiving direction of a link: how many frames came, how many of them were handled, and when those are to be
 * acknowledged. Confined to its link; knows no clock.
 *
 * <p>Frames are numbered from 0 over all streams, so that a number of a stream that was forgotten says so:
 * <pre>
 *   first ...... acknowledged ...... handled ........ received
 *   (a stream)                       [ some handled, the first not )
 * </pre>
 * An acknowledgement counts what was handled without a gap. What was handled behind the gap is one bit each, and there are
 * no more of them than the peer's window holds frames: 64 MiB of frames of 152 bytes and more are 55 KB of bits.
 *
 * <p>A LINK_ACK of 24 bytes for at least 64 frames or 256 KiB costs less than 1 % of what it acknowledges; a
 * shorter stretch is acknowledged by the link's timer.
 */
final class LinkReceipts {
    private static final int FRAMES_PER_ACK = 64;
    private static final int BYTES_PER_ACK = 256 * 1024;

    /** Bits in front of the gap after which they are thrown away: 8 KiB of them, and moving the others is rare. */
    private static final int BITS_BEHIND_MAX = 1 << 16;

    private long first;
    private long received;
    private long handled;
    private long acknowledged;
    private long bytesPending;

    /** Frames behind {@code handled} that were handled, by their distance from {@link #aheadFrom}. */
    private final BitSet ahead = new BitSet();

    private long aheadFrom;

    /** Counts one frame. Returns its number, by which {@link #handle} knows it. */
    long receive(int bytes) {
        bytesPending += bytes;
        return received++;
    }

    /** The frame that was received last did not come after all: it will come again. */
    void takeBack(int bytes) {
        bytesPending -= bytes;
        received--;
    }

    /**
     * The frame with this number was handled; nothing happens if its stream was forgotten.
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

    /** Whether something was handled that the peer has not been told of. */
    boolean pending() {
        return handled > acknowledged;
    }

    /** Whether all that came was handled. */
    boolean isSettled() {
        return handled == received;
    }

    /** The count to put into a LINK_ACK that is being written now. */
    long acknowledge() {
        acknowledged = handled;
        bytesPending = 0;
        return handled - first;
    }

    /** The count to put into a LINK_HELLO: what the peer need not write again. */
    long received() {
        return received - first;
    }

    /** The peer restarted: its stream begins with frame 0 again. What is not handled yet, and was, is nobody's concern. */
    void forget() {
        first = received;
        handled = received;
        acknowledged = received;
        bytesPending = 0;
        ahead.clear();
    }
}
