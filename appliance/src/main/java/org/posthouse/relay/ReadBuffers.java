package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import org.posthouse.tunnel.FrameDecoder;
import org.posthouse.wire.Wire;

/**
 * What one connection is read into: the rest of a long frame goes where its beginning is; anything else into one of the buffers, longer ones where chunks of
 * several pieces come, that the thread keeps ({@link KeptBuffers}) in which nobody holds a frame, so that reading allocates nothing and stays in the processor's caches. While frames
 * are held in all of them, buffers grow with what comes.
 */
final class ReadBuffers implements RecvByteBufAllocator {
    /** What is read at once: two chunks of a piece, so that the next read begins with a frame. */
    static final int READ_BYTES_MAX = 2 * (Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX);

    /** A frame that begins at the end of a read has room behind it, or would have to be copied. */
    static final int BUFFER_BYTES = 3 * Wire.FRAME_BYTES_MAX;

    /** Where chunks of several pieces come, one at once, with the head of the next message, */
    private static final int LONG_READ_BYTES_MAX = Wire.CHUNK_FRAME_BYTES_MAX + Wire.MESSAGE_HEADER_BYTES;

    /** and room for one behind it. */
    static final int LONG_BUFFER_BYTES = LONG_READ_BYTES_MAX + Wire.CHUNK_FRAME_BYTES_MAX;

    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;

    private final AdaptiveRecvByteBufAllocator growing =
            new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, BUFFER_BYTES);
    private final FrameDecoder frames;

    /** @param frames what the connection's bytes are fed to */
    ReadBuffers(FrameDecoder frames) {
        this.frames = frames;
    }

    /** How many bytes may be read at once now. */
    static int most(FrameDecoder frames) {
        if (frames.toFill() != null) {
            return frames.wanted();
        }
        return comeLong(frames) ? LONG_READ_BYTES_MAX : READ_BYTES_MAX;
    }

    /** Whether the next frames are probably longer than a piece, as one of the last was. */
    static boolean comeLong(FrameDecoder frames) {
        return frames.longestLately() > Wire.FRAME_BYTES_MAX;
    }

    @Override
    @SuppressWarnings("deprecation") // The interface's own method; what replaces it extends what is deprecated.
    public Handle newHandle() {
        return new Reading((ExtendedHandle) growing.newHandle());
    }

    /** Chooses the buffer of each read; how much to expect is told by what came before. */
    private final class Reading extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle growing;

        /** The rest of a long frame is nearly there: asking for it at once is cheaper than to be woken for it. */
        private final UncheckedBooleanSupplier worthwhile = () -> frames.toFill() != null || lastBytesRead() >= attemptedBytesRead();

        private Reading(ExtendedHandle growing) {
            super(growing);
            this.growing = growing;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf incomplete = frames.toFill();
            if (incomplete != null) {
                return incomplete.retain();
            }
            ByteBuf free = KeptBuffers.ofThread().free(comeLong(frames));
            return free == null ? growing.allocate(allocator) : free.clear().retain();
        }

        /** Netty's NIO channels read no more than this; native ones fill the buffer. */
        @Override
        public void attemptedBytesRead(int bytes) {
            super.attemptedBytesRead(Math.min(bytes, most(frames)));
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return growing.continueReading(worthwhile);
        }
    }
}
