package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.posthouse.tunnel.socket.FrameDecoder;
import org.posthouse.wire.Wire;

/**
 * Chooses the buffer for each read of one connection. The rest of a long frame is read behind its beginning. Other data
 * go into one of the thread's buffers ({@link ReusedReadBuffers}) in which no frame is held, a longer one where chunks of
 * several pieces arrive. Reading thus allocates nothing and stays in the processor's caches. While frames are held in
 * all of them, new buffers are allocated, and their size adapts to the data.
 */
public final class ReadBuffers implements RecvByteBufAllocator {
    /** Limit of one read: two chunks of a piece, so that the next read begins with a frame. */
    static final int READ_BYTES_MAX = 2 * (Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX);

    /** A frame that begins at the end of a read needs room behind it; otherwise it would have to be copied. */
    public static final int BUFFER_BYTES = 3 * Wire.FRAME_BYTES_MAX;

    /** Limit of one read where chunks of several pieces arrive: one chunk with the header of the next message. */
    private static final int LONG_READ_BYTES_MAX = Wire.CHUNK_FRAME_BYTES_MAX + Wire.MESSAGE_HEADER_BYTES;

    /** The same, and room for one chunk behind it. */
    public static final int LONG_BUFFER_BYTES = LONG_READ_BYTES_MAX + Wire.CHUNK_FRAME_BYTES_MAX;

    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;

    private final AdaptiveRecvByteBufAllocator growing =
            new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, BUFFER_BYTES);
    private final FrameDecoder frames;

    /** Whether the bytes are encrypted, so that their length and content say nothing of frames. */
    private boolean sealed;

    /** @param frames decoder of the connection's bytes */
    public ReadBuffers(FrameDecoder frames) {
        this.frames = frames;
    }

    /** From now on the bytes are encrypted. */
    public void sealed() {
        sealed = true;
    }

    /** Limit of the next read, in bytes. */
    public static int most(FrameDecoder frames) {
        if (frames.toFill() != null) {
            return frames.wanted();
        }
        return comeLong(frames) ? LONG_READ_BYTES_MAX : READ_BYTES_MAX;
    }

    /** Whether the next frames are probably longer than a piece, because a recent one was. */
    public static boolean comeLong(FrameDecoder frames) {
        return frames.longestLately() > Wire.FRAME_BYTES_MAX;
    }

    @Override
    @SuppressWarnings("deprecation") // The interface's own method; its replacement extends the deprecated type.
    public Handle newHandle() {
        return new Reading((ExtendedHandle) growing.newHandle());
    }

    /** Chooses the buffer of each read, by what arrived before. */
    private final class Reading extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle growing;

        /** The rest of a long frame is about to arrive. Reading again at once costs less than another wake-up. */
        private final UncheckedBooleanSupplier worthwhile = () -> !sealed && frames.toFill() != null || lastBytesRead() >= attemptedBytesRead();

        private Reading(ExtendedHandle growing) {
            super(growing);
            this.growing = growing;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            if (sealed) {
                return growing.allocate(allocator);
            }
            ByteBuf incomplete = frames.toFill();
            if (incomplete != null) {
                return incomplete.retain();
            }
            ByteBuf free = ReusedReadBuffers.ofThread().free(comeLong(frames));
            return free == null ? growing.allocate(allocator) : free.clear().retain();
        }

        /** Netty's NIO channels read no more than this; native ones fill the buffer. */
        @Override
        public void attemptedBytesRead(int bytes) {
            super.attemptedBytesRead(sealed ? bytes : Math.min(bytes, most(frames)));
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return growing.continueReading(worthwhile);
        }
    }
}
