package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.posthouse.core.Parcel;

/** A frame in a Netty buffer. Owns one reference of it until it is taken or released. */
final class BufferParcel implements Parcel {
    /** A waiting frame that is smaller than this share of the buffer it was read into gets memory of its own. */
    private static final int SHARE = 2;

    private final int headerBytes;
    private ByteBuf frame;

    BufferParcel(ByteBuf frame, int headerBytes) {
        this.frame = frame;
        this.headerBytes = headerBytes;
    }

    @Override
    public int payloadBytes() {
        return frame.readableBytes() - headerBytes;
    }

    @Override
    public void settle() {
        ByteBuf whole = frame.unwrap();
        if (whole != null && frame.readableBytes() * SHARE < whole.capacity()) {
            ByteBuf own = ByteBufAllocator.DEFAULT.directBuffer(frame.readableBytes(), frame.readableBytes());
            own.writeBytes(frame, frame.readerIndex(), frame.readableBytes());
            frame.release();
            frame = own;
        }
    }

    @Override
    public void release() {
        take().release();
    }

    /** The frame, from its reader index on; still owned by the parcel. */
    ByteBuf frame() {
        return frame;
    }

    /** Hands the frame and its reference over. */
    ByteBuf take() {
        ByteBuf taken = frame;
        frame = null;
        return taken;
    }
}
