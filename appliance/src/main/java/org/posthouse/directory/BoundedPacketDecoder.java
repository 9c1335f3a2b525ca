package org.posthouse.directory;

import com.hazelcast.internal.networking.HandlerStatus;
import com.hazelcast.internal.nio.Packet;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.internal.server.tcp.PacketDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Hazelcast's packet decoder, with a check of each packet's length. A packet that is too long, or for which there is no
 * room, closes the connection before memory is reserved for it. Confined to the member's input thread, except the end
 * of its connection, which releases the reservation.
 */
final class BoundedPacketDecoder extends PacketDecoder {
    /** Version, flags and partition; the length of the payload follows. */
    private static final int LENGTH_AT = 1 + 2 + 4;

    private static final int HEAD_BYTES = LENGTH_AT + 4;

    private final GroupGuard guard;

    /** Bytes that have not arrived of the packet whose head was read. */
    private int missing;

    /** Bytes reserved by the incomplete packet. */
    private final AtomicInteger reserved = new AtomicInteger();

    BoundedPacketDecoder(ServerConnection connection, Consumer<Packet> packets, GroupGuard guard) {
        super(connection, packets);
        this.guard = guard;
    }

    @Override
    public void handlerAdded() {
        super.handlerAdded();
        channel.addCloseListener(closed -> giveBack());
    }

    /**
     * Checks the bytes that have arrived, and lets Hazelcast decode them. Hazelcast leaves at most the beginning of a
     * head, which is checked again.
     */
    @Override
    public HandlerStatus onRead() throws Exception {
        ByteBuffer come = src.duplicate();
        come.flip();
        while (come.hasRemaining()) {
            if (missing == 0 && !begin(come)) {
                break;
            }
            int part = Math.min(missing, come.remaining());
            come.position(come.position() + part);
            missing -= part;
        }
        HandlerStatus status = super.onRead();
        if (missing == 0) {
            giveBack();
        }
        return status;
    }

    private boolean begin(ByteBuffer come) throws IOException {
        if (come.remaining() < HEAD_BYTES) {
            return false;
        }
        int length = come.getInt(come.position() + LENGTH_AT);
        giveBack(); // The reservation of the packet before, which is complete.
        if (!guard.packets().reserve(length)) {
            String why = "a packet of " + Integer.toUnsignedString(length) + " bytes, expected at most " + guard.packets().packetBytesMax()
                    + ", and " + guard.packets().totalBytesMax() + " of all packets that are not whole";
            guard.refused(GroupRefusal.PACKET, "member at " + connection.getRemoteSocketAddress(), why);
            throw new IOException(why);
        }
        reserved.set(length);
        missing = length;
        come.position(come.position() + HEAD_BYTES);
        return true;
    }

    private void giveBack() {
        guard.packets().release(reserved.getAndSet(0));
    }
}
