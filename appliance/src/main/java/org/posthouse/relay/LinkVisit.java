package org.posthouse.relay;

/**
 * The strand in which frames that come over links are handled: one that is entered for a frame is left when all that was read with it
 * has been handled, so that what goes to one rank is written at once and wakes it once. Confined to the relay's control loop.
 */
final class LinkVisit {
    /** What is handled in one visit at most: enough to pay for a rank's waking, little enough that it reads on while the next is opened. */
    static final int BYTES_MAX = 128 * 1024;

    /** Where this thread is inside; null if that is nowhere. */
    private Strand inside;

    private int bytes;

    /** A frame of so many bytes is to be handled there next. Goes inside if nobody else is. */
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
