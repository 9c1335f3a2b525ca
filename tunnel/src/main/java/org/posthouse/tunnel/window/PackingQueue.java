package org.posthouse.tunnel.window;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.posthouse.wire.Wire;

/**
 * Bulk that has left its queue for packing and was not written yet, in order: at the worker, or back. A lost connection
 * changes nothing here, because these frames have no numbers yet. Confined to its link's queue; uses no thread.
 */
public final class PackingQueue {
    /** Four full chunks: one is being written, one waits to be written, one is being packed, one waits to be packed. */
    static final int BYTES_AHEAD_MAX = 4 * Wire.PACKED_BYTES_MAX;

    private final ArrayDeque<PackedRun> atWorker = new ArrayDeque<>();

    /** The frames to write next: the first frame of a packed run, or an unpacked frame. */
    private final ArrayDeque<LinkFrame> ready = new ArrayDeque<>();

    private int bytes;

    boolean hasRoom() {
        return bytes < BYTES_AHEAD_MAX;
    }

    /** Notes that a run goes to the worker. */
    void add(PackedRun run) {
        atWorker.add(run);
        bytes += run.bytes();
    }

    /** Notes that a run is back; unpacked if {@code packed} is null. Has no effect if the run was dropped meanwhile. */
    void back(PackedRun run, ByteBuf packed) {
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

    /** Whether no frame is in packing, so that an unpacked frame would overtake nothing. */
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
