package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.FrameView;

/**
 * Frames of bulk, one behind the other, that go packed in one LINK_PACKED: of one job or of one stream. Confined to its link's window. It owns the
 * packed frame until {@link #take} or {@link #release}.
 */
final class LinkRun {
    private final List<LinkFrame> frames;
    private final int bytes;
    private ByteBuf packed;

    LinkRun(List<LinkFrame> frames, int bytes) {
        this.frames = frames;
        this.bytes = bytes;
    }

    List<LinkFrame> frames() {
        return frames;
    }

    LinkFrame first() {
        return frames.getFirst();
    }

    /** Of its frames, as they are. */
    int bytes() {
        return bytes;
    }

    void packed(ByteBuf frame) {
        packed = frame;
    }

    /** Bytes on the wire. */
    int packedBytes() {
        return packed.readableBytes();
    }

    /** Hands over the LINK_PACKED, with the numbers that its frames have got. */
    ByteBuf take() {
        ByteBuf frame = packed;
        packed = null;
        first().goWith(null);
        ByteBuffer header = frame.nioBuffer();
        new FrameView().wrap(header, 0).linkWord(0, first().number()).linkWord(1, first().after());
        return frame;
    }

    /** It will not be written. */
    void release() {
        if (packed != null) {
            packed.release();
            packed = null;
        }
    }
}
