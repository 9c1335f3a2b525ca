package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The buffers that one thread reads all its connections into, again and again: memory that is new costs the zeroing of it and is in none of the
 * processor's caches. Confined to its thread; frames in them may be held and released anywhere.
 *
 * <p>One is enough as long as nothing waits. Where frames wait for a link there are as many as hold them: {@link #SURE} for each thread, and what all
 * threads of the process share beyond that, which is let go when it was not wanted for {@link #LOOK_AFTER} reads. Those for long frames are others, as a short
 * frame that is held would hold all of one.
 */
final class KeptBuffers {
    /** Of each thread: 3 MiB, */
    static final int SURE = 16;

    /** and as much of long ones. */
    private static final int LONG_SURE = SURE * ReadBuffers.BUFFER_BYTES / ReadBuffers.LONG_BUFFER_BYTES;

    /** Reads after which it is looked whether what is beyond {@link #SURE} was wanted: 1 GiB of a stream. */
    static final int LOOK_AFTER = 8 * 1024;

    /** As much as a link's window, or an eighth of the direct memory that the process may have. */
    static final long SHARED_BYTES = Math.min(64L << 20, PlatformDependent.estimateMaxDirectMemory() / 8);

    /** Its buffers keep a view of their own for system calls, which pooled ones do not. */
    private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true);

    /** Bytes of all threads together, beyond what is sure. */
    private static final AtomicLong SHARED_USED = new AtomicLong();

    private static final FastThreadLocal<KeptBuffers> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected KeptBuffers initialValue() {
            return new KeptBuffers();
        }

        @Override
        protected void onRemoval(KeptBuffers kept) {
            kept.ordinary.release();
            kept.longOnes.release();
        }
    };

    private final Pool ordinary = new Pool(ReadBuffers.BUFFER_BYTES, SURE);
    private final Pool longOnes = new Pool(ReadBuffers.LONG_BUFFER_BYTES, LONG_SURE);
    private int reads;

    private KeptBuffers() {}

    static KeptBuffers ofThread() {
        return OF_THREAD.get();
    }

    /** One in which nobody holds a frame, which stays owned here; null if there can be none. @param isLong whether it is for chunks of several pieces */
    ByteBuf free(boolean isLong) {
        if (++reads >= LOOK_AFTER) {
            ordinary.look();
            longOnes.look();
            reads = 0;
        }
        return (isLong ? longOnes : ordinary).free();
    }

    /** Those of one length. */
    private static final class Pool {
        private final int bufferBytes;
        private final int sure;
        private final List<ByteBuf> buffers = new ArrayList<>();

        /** Among those beyond the sure ones, where to look first: they are held and released in turn. */
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

        /** Lets go of what was not wanted since it was looked last. */
        private void look() {
            for (int i = buffers.size() - 1; i >= sure && !wantedMore; i--) {
                if (isFree(i)) {
                    buffers.remove(i).release();
                    SHARED_USED.addAndGet(-bufferBytes);
                }
            }
            wantedMore = false;
        }

        /** Frames that are held keep their buffers' memory until they are released. */
        private void release() {
            SHARED_USED.addAndGet(-(long) bufferBytes * Math.max(0, buffers.size() - sure));
            buffers.forEach(ByteBuf::release);
        }
    }
}
