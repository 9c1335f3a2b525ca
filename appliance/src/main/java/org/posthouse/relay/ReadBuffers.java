package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * What connections are read into: while little comes at a time, one buffer that the thread keeps and uses again as soon as
 * nobody holds a frame in it, so that reading allocates nothing; for more, buffers that grow with what comes.
 */
final class ReadBuffers implements RecvByteBufAllocator {
    private static final int KEPT_BYTES = 16 * 1024;
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_FIRST = 4 * 1024;
    private static final int READ_BYTES_MAX = 256 * 1024;

    /** Its buffers keep a view of their own for system calls, which pooled ones do not. */
    private static final UnpooledByteBufAllocator KEEPING = new UnpooledByteBufAllocator(true);

    private static final FastThreadLocal<ByteBuf> KEPT = new FastThreadLocal<>() {
        @Override
        protected void onRemoval(ByteBuf kept) {
            kept.release();
        }
    };

    private final AdaptiveRecvByteBufAllocator growing =
            new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, READ_BYTES_MAX);

    @Override
    @SuppressWarnings("deprecation") // The interface's own method; what replaces it extends what is deprecated.
    public Handle newHandle() {
        return new Reading((ExtendedHandle) growing.newHandle());
    }

    /** The calling thread's buffer, empty, with a reference for the caller. */
    private static ByteBuf kept() {
        ByteBuf kept = KEPT.getIfExists();
        if (kept != null && kept.refCnt() > 1) {
            kept.release();
            kept = null;
        }
        if (kept == null) {
            kept = KEEPING.directBuffer(KEPT_BYTES, KEPT_BYTES);
            KEPT.set(kept);
        }
        return kept.clear().retain();
    }

    /** One connection's reading. */
    private static final class Reading extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle growing;

        private Reading(ExtendedHandle growing) {
            super(growing);
            this.growing = growing;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return guess() <= KEPT_BYTES ? kept() : growing.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return growing.continueReading(mayBeMore);
        }
    }
}
