package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import org.posthouse.status.Traffic;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/**
 * Traffic the messages that one link has carried, each once, however often its frames were written. Confined to the
 * control strand.
 */
public final class LinkFlow {
    private long messagesIn;
    private long messagesOut;
    private long bytesIn;
    private long bytesOut;

    public void in(FrameType type, int frameBytes) {
        messagesIn += begins(type) ? 1 : 0;
        bytesIn += payloadBytes(type, frameBytes);
    }

    /** @param frame one whole frame */
    void out(ByteBuf frame) {
        FrameType type = FrameType.of(frame.getByte(frame.readerIndex() + Integer.BYTES));
        messagesOut += begins(type) ? 1 : 0;
        bytesOut += payloadBytes(type, frame.readableBytes());
    }

    static boolean begins(FrameType type) {
        return type == FrameType.SEND || type == FrameType.EAGER || type == FrameType.OFFER;
    }

    static int payloadBytes(FrameType type, int frameBytes) {
        if (type == FrameType.CHUNK) {
            return frameBytes - Wire.CHUNK_HEADER_BYTES;
        }
        return begins(type) ? frameBytes - Wire.MESSAGE_HEADER_BYTES : 0;
    }

    public Traffic counts() {
        return new Traffic(messagesIn, messagesOut, bytesIn, bytesOut);
    }
}
