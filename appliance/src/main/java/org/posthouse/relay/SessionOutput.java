package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.posthouse.relay.io.OutboundChannel;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * The output of a launcher's or an agent's session: closes the connection of a peer that does not read. Confined to the
 * relay's control strand.
 */
final class SessionOutput {
    /** Limit of bytes that wait for a peer that does not read: about 70 events for each rank of the largest job. */
    static final int UNREAD_BYTES_MAX = 64 << 20;

    private final Connection connection;
    private final OutboundChannel outboundChannel;

    SessionOutput(Connection connection) {
        this.connection = connection;
        this.outboundChannel = connection.line();
    }

    void write(ByteBuffer frame) {
        write(Unpooled.wrappedBuffer(frame));
    }

    /** Takes over the buffer. */
    void write(ByteBuf frame) {
        outboundChannel.write(frame);
        outboundChannel.flush();
        int unread = outboundChannel.waitingBytes();
        if (unread > UNREAD_BYTES_MAX) {
            connection.close(
                    CloseNotice.closing(0, CloseReason.LIMIT, "it does not read: " + unread + " bytes wait for it, expected " + UNREAD_BYTES_MAX + " at most"));
        }
    }
}
