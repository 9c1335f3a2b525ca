package org.posthouse.tunnel.window;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.FrameView;

/**
 * Consecutive bulk frames of one job or one stream that are packed in one LINK_PACKED. Confined to its link's window.
 * It owns the packed frame until {@link #take} or {@link #release}.
 */
public final class PackedRun {
    private final List<LinkFrame> frames;
    private final int bytes;
    private ByteBuf packed;

    PackedRun(List<LinkFrame> frames, int bytes) {
        this.frames = frames;
        this.bytes = bytes;
    }

    public List<LinkFrame> frames() {
        return frames;
    }

    LinkFrame first() {
        return frames.getFirst();
    }

    /** Bytes of its frames, unpacked. */
    public int bytes() {
        return bytes;
    }

    void packed(ByteBuf frame) {
        packed = frame;
    }

    /** Bytes on the wire. */
    public int packedBytes() {
        return packed.readableBytes();
    }

    /** Returns the LINK_PACKED with the numbers of its frames, and gives up ownership. */
    public ByteBuf take() {
        ByteBuf frame = packed;
        packed = null;
        first().goWith(null);
        ByteBuffer header = frame.nioBuffer();
        new FrameView().wrap(header, 0).linkWord(0, first().number()).linkWord(1, first().after());
        return frame;
    }

    /** Releases the packed frame, which will not be written. */
    void release() {
        if (packed != null) {
            packed.release();
            packed = null;
        }
    }
}
