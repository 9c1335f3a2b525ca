package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.posthouse.core.Frame;
import org.posthouse.core.Parcel;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** The core's view of the frame that a connection is handling. Reused; confined to its connection. */
public final class ArrivedFrame implements Frame {
    private ByteBuf buffer;
    private int index;
    private int length;
    private FrameView view;

    public ArrivedFrame set(ByteBuf buffer, int index, int length, FrameView view) {
        this.buffer = buffer;
        this.index = index;
        this.length = length;
        this.view = view;
        return this;
    }

    @Override
    public FrameView view() {
        return view;
    }

    @Override
    public ByteBuffer payload() {
        int header = headerBytes(view.type());
        return buffer.nioBuffer(index + header, length - header);
    }

    @Override
    public ByteBuffer copy() {
        return copy(buffer, index, length);
    }

    /** Copies a control frame into memory of its own, as the decoders require. */
    public static ByteBuffer copy(ByteBuf buffer, int index, int length) {
        ByteBuffer copy = ByteBuffer.allocate(length);
        buffer.getBytes(index, copy);
        return copy.flip();
    }

    @Override
    public Parcel hold() {
        return new BufferParcel(buffer.retain(), index, length, headerBytes(view.type()));
    }

    private static int headerBytes(FrameType type) {
        return switch (type) {
            case CHUNK -> Wire.CHUNK_HEADER_BYTES;
            case EVENTS -> Wire.EVENTS_HEADER_BYTES;
            case IMAGE -> Wire.IMAGE_HEADER_BYTES;
            default -> Wire.MESSAGE_HEADER_BYTES;
        };
    }
}
