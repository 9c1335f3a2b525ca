package org.posthouse.tunnel.window;

import io.netty.buffer.ByteBuf;

/** Bounds the memory of frames that are kept for long, because a limit on held bytes must limit memory. Stateless. */
public final class RetainedFrame {
    /** A frame that would pin more than this many times its own bytes is copied. */
    private static final int PINNED_FACTOR_MAX = 4;

    private RetainedFrame() {}

    /** Takes ownership of {@code frame}. Returns it or, if it is a small part of a large buffer, a copy. */
    public static ByteBuf rightSized(ByteBuf frame) {
        ByteBuf root = frame;
        while (root.unwrap() != null) {
            root = root.unwrap();
        }
        int readable = frame.readableBytes();
        if (root.capacity() <= (long) PINNED_FACTOR_MAX * (readable + LinkWindow.FRAME_OVERHEAD_BYTES)) {
            return frame;
        }
        try {
            return frame.alloc().heapBuffer(readable, readable).writeBytes(frame);
        } finally {
            frame.release();
        }
    }
}
