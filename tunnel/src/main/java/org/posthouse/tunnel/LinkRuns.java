package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.posthouse.wire.Wire;

/**
 * Bulk that has left its queue to be packed and was not written yet, in its order: at the worker, or back from there. A cut changes nothing in it: its frames have
 * no numbers yet. Confined to its link's queue; knows no thread.
 */
final class LinkRuns {
    /** Four full chunks: one is being written, one waits for it, one is packed, one waits for that. */
    static final int BYTES_AHEAD_MAX = 4 * Wire.PACKED_BYTES_MAX;

    private final ArrayDeque<LinkRun> atWorker = new ArrayDeque<>();

    /** What goes next: the first frame of a run that is packed, or a frame that goes as it is. */
    private final ArrayDeque<LinkFrame> ready = new ArrayDeque<>();

    private int bytes;

    boolean hasRoom() {
        return bytes < BYTES_AHEAD_MAX;
    }

    /** It goes to the worker. */
    void add(LinkRun run) {
        atWorker.add(run);
        bytes += run.bytes();
    }

    /** It is back, packed, or as it was if {@code packed} is null. If it was forgotten meanwhile nothing happens. */
    void back(LinkRun run, ByteBuf packed) {
        if (atWorker.peek() != run) {
            if (packed != null) {
                packed.release();
            }
            return;
        }
        atWorker.remove();
        if (packed == null) {
            ready.addAll(run.frames());
        } else {
            run.packed(packed);
            run.first().goWith(run);
            ready.add(run.first());
        }
    }

    /** Whether a frame can be taken. */
    boolean isReady() {
        return !ready.isEmpty();
    }

    /** Whether nothing is on its way through here, so that nothing is overtaken by what does not come this way. */
    boolean isEmpty() {
        return ready.isEmpty() && atWorker.isEmpty();
    }

    LinkFrame take() {
        LinkFrame frame = ready.remove();
        bytes -= frame.run() == null ? frame.length() : frame.run().bytes();
        return frame;
    }

    void clear() {
        atWorker.clear();
        ready.forEach(frame -> {
            if (frame.run() != null) {
                frame.run().release();
            }
        });
        ready.clear();
        bytes = 0;
    }
}
