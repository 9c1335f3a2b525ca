package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.posthouse.core.Parcel;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/** A frame in a Netty buffer. Owns one reference of the buffer until the frame is handed over or released. */
final class BufferParcel implements Parcel {
    /** A waiting frame that is smaller than this share of the buffer it was read into gets memory of its own. */
    private static final int SHARE = 2;

    private final int bytes;
    private final int headerBytes;
    private ByteBuf buffer;
    private int index;

    /** The {@code bytes} of the buffer from {@code index} on; takes over a reference. */
    BufferParcel(ByteBuf buffer, int index, int bytes, int headerBytes) {
        this.buffer = buffer;
        this.index = index;
        this.bytes = bytes;
        this.headerBytes = headerBytes;
    }

    @Override
    public int payloadBytes() {
        return bytes - headerBytes;
    }

    @Override
    public void settle() {
        ByteBuf waits = keep(buffer, index, bytes);
        buffer.release();
        buffer = waits;
        index = 0;
    }

    /** A frame that has to wait, without a large buffer that it has little of; the buffer stays the caller's. */
    static ByteBuf keep(ByteBuf buffer, int index, int bytes) {
        return bytes * SHARE < buffer.capacity()
                ? ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).writeBytes(buffer, index, bytes)
                : buffer.retainedSlice(index, bytes);
    }

    @Override
    public void release() {
        buffer.release();
        buffer = null;
    }

    /** The buffer that holds the frame; still owned by the parcel. */
    ByteBuf buffer() {
        return buffer;
    }

    /** Where the frame begins in its buffer. */
    int index() {
        return index;
    }

    /** Bytes of the whole frame. */
    int bytes() {
        return bytes;
    }

    /** Where the frame's payload begins in {@link #buffer}. */
    int payloadIndex() {
        return index + headerBytes;
    }

    /** Turns the frame that began a message into the frame that delivers it, in place. */
    void toDelivered(int flags, int request) {
        buffer.setByte(index + FrameView.TYPE_AT, FrameType.DELIVERED.id())
                .setByte(index + FrameView.FLAGS_AT, flags)
                .setInt(index + FrameView.REQUEST_AT, request)
                .setInt(index + FrameView.FAILED_POLLS_AT, 0);
    }

    /** Hands the frame over to a connection. */
    void writeTo(Line line) {
        if (bytes <= WaitingFrames.SMALL_BYTES) {
            line.copy(buffer, index, bytes);
            release();
        } else {
            line.write(take());
        }
    }

    /** Hands the frame and its reference over. */
    ByteBuf take() {
        return takeBuffer().slice(index, bytes);
    }

    /** Hands over the whole buffer, of which the frame is a part, and the reference. */
    ByteBuf takeBuffer() {
        ByteBuf taken = buffer;
        buffer = null;
        return taken;
    }
}
