package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.function.Supplier;

/**
 * What one connection is read into: the rest of a long frame goes where its beginning is; anything else into one buffer
 * that the thread keeps for all its connections and uses again as soon as nobody holds a frame in it, so that reading
 * allocates nothing and stays in the processor's caches. While somebody does, buffers grow with what comes.
 */
final class ReadBuffers implements RecvByteBufAllocator {
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;
    private static final int READ_BYTES_MAX = 256 * 1024;

    /** Its buffers keep a view of their own for system calls, which pooled ones do not. */
    private static final UnpooledByteBufAllocator KEEPING = new UnpooledByteBufAllocator(true);

    private static final FastThreadLocal<ByteBuf> KEPT = new FastThreadLocal<>() {
        @Override
        protected ByteBuf initialValue() {
            return KEEPING.directBuffer(READ_BYTES_MAX, READ_BYTES_MAX);
        }

        @Override
        protected void onRemoval(ByteBuf kept) {
            kept.release();
        }
    };

    private final AdaptiveRecvByteBufAllocator growing =
            new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, READ_BYTES_MAX);
    private final Supplier<ByteBuf> toFill;

    /** @param toFill where the connection's next bytes belong, or null if that may be anywhere */
    ReadBuffers(Supplier<ByteBuf> toFill) {
        this.toFill = toFill;
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
        private final UncheckedBooleanSupplier worthwhile = () -> toFill.get() != null || attemptedBytesRead() == lastBytesRead();

        private Reading(ExtendedHandle growing) {
            super(growing);
            this.growing = growing;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf incomplete = toFill.get();
            if (incomplete != null) {
                return incomplete.retain();
            }
            ByteBuf kept = KEPT.get();
            return kept.refCnt() == 1 ? kept.clear().retain() : growing.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return growing.continueReading(worthwhile);
        }
    }
}
