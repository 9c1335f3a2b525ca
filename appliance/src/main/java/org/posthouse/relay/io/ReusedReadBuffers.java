package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The buffers into which one thread reads all its connections, reused because new memory must be zeroed and is in no
 * cache of the processor. Confined to its thread; any thread may hold and release frames in them.
 *
 * <p>One buffer is enough as long as no frame waits. While frames wait for a link, more are needed to hold them. Each
 * thread has {@link #SURE} buffers; beyond these all threads of the process share a limit. Such a buffer is released
 * when it was not needed for {@link #LOOK_AFTER} reads. Long frames have buffers of their own, because a short frame
 * that is held would block a long buffer.
 */
final class ReusedReadBuffers {
    /** Guaranteed buffers of each thread: 3 MiB. */
    static final int SURE = 16;

    /** Guaranteed long buffers of each thread: the same number of bytes. */
    private static final int LONG_SURE = SURE * ReadBuffers.BUFFER_BYTES / ReadBuffers.LONG_BUFFER_BYTES;

    /** Reads between checks whether buffers beyond {@link #SURE} were needed: 1 GiB of a stream. */
    static final int LOOK_AFTER = 8 * 1024;

    /** Limit of shared bytes: a link's window, or an eighth of the process's direct memory if that is less. */
    static final long SHARED_BYTES = Math.min(64L << 20, PlatformDependent.estimateMaxDirectMemory() / 8);

    /** Unpooled buffers keep a view of their own for system calls; pooled ones do not. */
    private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true);

    /** Bytes of all threads together, beyond the guaranteed ones. */
    private static final AtomicLong SHARED_USED = new AtomicLong();

    private static final FastThreadLocal<ReusedReadBuffers> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected ReusedReadBuffers initialValue() {
            return new ReusedReadBuffers();
        }

        @Override
        protected void onRemoval(ReusedReadBuffers kept) {
            kept.ordinary.release();
            kept.longOnes.release();
        }
    };

    private final Pool ordinary = new Pool(ReadBuffers.BUFFER_BYTES, SURE);
    private final Pool longOnes = new Pool(ReadBuffers.LONG_BUFFER_BYTES, LONG_SURE);
    private int reads;

    private ReusedReadBuffers() {}

    static ReusedReadBuffers ofThread() {
        return OF_THREAD.get();
    }

    /**
     * A buffer in which no frame is held, still owned by this object; null if the limit is reached.
     *
     * @param isLong whether it is for chunks of several pieces
     */
    ByteBuf free(boolean isLong) {
        if (++reads >= LOOK_AFTER) {
            ordinary.look();
            longOnes.look();
            reads = 0;
        }
        return (isLong ? longOnes : ordinary).free();
    }

    /** The buffers of one length. */
    private static final class Pool {
        private final int bufferBytes;
        private final int sure;
        private final List<ByteBuf> buffers = new ArrayList<>();

        /** Where to search first among the buffers beyond the guaranteed ones, which are held and released in turn. */
        private int next;

        private boolean wantedMore;

        private Pool(int bufferBytes, int sure) {
            this.bufferBytes = bufferBytes;
            this.sure = sure;
            this.next = sure;
        }

        private ByteBuf free() {
            for (int i = 0; i < Math.min(sure, buffers.size()); i++) {
                if (isFree(i)) {
                    return buffers.get(i);
                }
            }
            return buffers.size() < sure ? add() : freeBeyond();
        }

        private ByteBuf freeBeyond() {
            wantedMore = true;
            for (int tried = sure; tried < buffers.size(); tried++, next++) {
                next = next < buffers.size() ? next : sure;
                if (isFree(next)) {
                    return buffers.get(next++);
                }
            }
            if (SHARED_USED.addAndGet(bufferBytes) > SHARED_BYTES) {
                SHARED_USED.addAndGet(-bufferBytes);
                return null;
            }
            return add();
        }

        private boolean isFree(int index) {
            return buffers.get(index).refCnt() == 1;
        }

        private ByteBuf add() {
            buffers.add(ALLOCATOR.directBuffer(bufferBytes, bufferBytes));
            return buffers.getLast();
        }

        /** Releases buffers that were not needed since the last check. */
        private void look() {
            for (int i = buffers.size() - 1; i >= sure && !wantedMore; i--) {
                if (isFree(i)) {
                    buffers.remove(i).release();
                    SHARED_USED.addAndGet(-bufferBytes);
                }
            }
            wantedMore = false;
        }

        /** Releases all buffers. Frames that are held keep their buffers' memory until they are released. */
        private void release() {
            SHARED_USED.addAndGet(-(long) bufferBytes * Math.max(0, buffers.size() - sure));
            buffers.forEach(ByteBuf::release);
        }
    }
}
