package org.posthouse.relay;

import org.posthouse.relay.threads.Strand;

/**
 * The strand that handles frames of a link. A strand that was entered for a frame is left when all frames of the same
 * read have been handled. Frames for one rank are thus written at once and wake it once. Confined to the relay's
 * control loop.
 */
final class InboundBatch {
    /**
     * Bytes that one visit handles at most: enough to pay for waking a rank, few enough that it reads while the next
     * frames are decrypted.
     */
    static final int BYTES_MAX = 128 * 1024;

    /** The strand that this thread has entered, or null. */
    private Strand inside;

    private int bytes;

    /** Prepares for a frame of that many bytes: enters its strand, if no other thread is inside. */
    void enter(Strand strand, int frameBytes) {
        if (inside != strand || bytes >= BYTES_MAX) {
            leave();
            inside = strand.tryEnter() ? strand : null;
        }
        bytes += frameBytes;
    }

    void leave() {
        bytes = 0;
        if (inside != null) {
            Strand left = inside;
            inside = null;
            left.leave();
        }
    }
}
