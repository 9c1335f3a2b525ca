package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.posthouse.core.Parcel;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/** A frame in a Netty buffer. Owns one reference of the buffer until the frame is handed over or released. */
public final class BufferParcel implements Parcel {
    /** A waiting frame is copied if it is smaller than the buffer that it was read into, divided by this. */
    private static final int SHARE = 2;

    private final int bytes;
    private final int headerBytes;
    private ByteBuf buffer;
    private int index;

    /** A frame of {@code bytes} bytes at {@code index} of the buffer; takes over a reference. */
    public BufferParcel(ByteBuf buffer, int index, int bytes, int headerBytes) {
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

    /**
     * A buffer for a frame that must wait: a copy if the frame is a small part of a large buffer, otherwise a
     * reference. The caller keeps the given buffer.
     */
    public static ByteBuf keep(ByteBuf buffer, int index, int bytes) {
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
    public ByteBuf buffer() {
        return buffer;
    }

    /** Index of the frame in its buffer. */
    public int index() {
        return index;
    }

    /** Bytes of the whole frame. */
    public int bytes() {
        return bytes;
    }

    /** Index of the frame's payload in {@link #buffer}. */
    public int payloadIndex() {
        return index + headerBytes;
    }

    /** Changes the first frame of a message into the frame that delivers it, in place. */
    public void toDelivered(int flags, int request) {
        buffer.setByte(index + FrameView.TYPE_AT, FrameType.DELIVERED.id())
                .setByte(index + FrameView.FLAGS_AT, flags)
                .setInt(index + FrameView.REQUEST_AT, request)
                .setInt(index + FrameView.FAILED_POLLS_AT, 0);
    }

    /** Hands the frame over to a connection. */
    public void writeTo(OutboundChannel outboundChannel) {
        if (bytes <= WaitingFrames.SMALL_BYTES) {
            outboundChannel.copy(buffer, index, bytes);
            release();
        } else {
            outboundChannel.write(take());
        }
    }

    /** Hands over the frame with its reference. */
    public ByteBuf take() {
        return takeBuffer().slice(index, bytes);
    }

    /** Hands over the whole buffer, of which the frame is a part, with its reference. */
    public ByteBuf takeBuffer() {
        ByteBuf taken = buffer;
        buffer = null;
        return taken;
    }
}
