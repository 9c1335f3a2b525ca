package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** Builds and checks the frames that the tests send: a number, random payload, and its checksum. */
public final class Frames {
    private Frames() {}

    /** A SEND frame number {@code sequence} with {@code payloadBytes} of noise, whose checksum is its tag. */
    public static ByteBuf send(long sequence, int payloadBytes, RandomGenerator random) {
        byte[] payload = new byte[payloadBytes];
        random.nextBytes(payload);
        return send(sequence, payload);
    }

    public static ByteBuf send(long sequence, byte[] payload) {
        int bytes = Wire.MESSAGE_HEADER_BYTES + payload.length;
        ByteBuffer frame = ByteBuffer.allocate(bytes);
        FrameView view = new FrameView().wrap(frame, 0);
        view.begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7)
                .length(bytes)
                .address(0, 1, 2, checksum(payload))
                .sequence(sequence);
        frame.put(Wire.MESSAGE_HEADER_BYTES, payload);
        // Pooled and direct: the leak detector tracks each one.
        return PooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).writeBytes(frame);
    }

    /** The frame's number; fails if the payload is not the one that was sent. */
    public static long verify(ByteBuf buffer, int index, int length, FrameView view) {
        byte[] payload = new byte[length - Wire.MESSAGE_HEADER_BYTES];
        buffer.getBytes(index + Wire.MESSAGE_HEADER_BYTES, payload);
        if (checksum(payload) != view.tag()) {
            throw new AssertionError("frame " + view.sequence() + " arrived damaged");
        }
        return view.sequence();
    }

    private static int checksum(byte[] payload) {
        CRC32C crc = new CRC32C();
        crc.update(payload);
        return (int) crc.getValue();
    }
}
