package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * A CHUNK of several pieces. For a slow link it is cut into CHUNKs of a piece each, so that short messages can go
 * between.
 */
final class LongChunk {
    private LongChunk() {}

    static boolean is(ByteBuf frame) {
        return frame.readableBytes() > Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX
                && frame.getByte(frame.readerIndex() + FrameView.TYPE_AT) == FrameType.CHUNK.id();
    }

    /** The pieces in order, each in memory of its own; takes over the frame. */
    static List<ByteBuf> cut(ByteBuf frame) {
        List<ByteBuf> pieces = new ArrayList<>();
        int header = frame.readerIndex();
        long offset = new FrameView().wrap(frame.nioBuffer(), 0).offset();
        frame.skipBytes(Wire.CHUNK_HEADER_BYTES);
        while (frame.isReadable()) {
            int payloadBytes = Math.min(frame.readableBytes(), Wire.PAYLOAD_BYTES_MAX);
            int length = Wire.CHUNK_HEADER_BYTES + payloadBytes;
            ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(length, length).writeBytes(frame, header, Wire.CHUNK_HEADER_BYTES);
            new FrameView().wrap(piece.nioBuffer(), 0).length(length).offset(offset);
            offset += payloadBytes;
            pieces.add(piece.writeBytes(frame, payloadBytes));
        }
        frame.release();
        return pieces;
    }
}
