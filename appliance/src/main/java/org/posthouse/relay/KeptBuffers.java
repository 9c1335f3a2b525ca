package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The buffers that one thread reads all its connections into, again and again: memory that is new costs the zeroing of it and is in none of the
 * processor's caches. Confined to its thread; frames in them may be held and released anywhere.
 *
 * <p>One is enough as long as nothing waits. Where frames wait for a link there are as many as hold them: {@link #SURE} for each thread, and what all
 * threads of the process share beyond that, which is let go when it was not wanted for {@link #LOOK_AFTER} reads.
 */
final class KeptBuffers {
    /** Of each thread: 3 MiB. */
    static final int SURE = 16;

    /** Reads after which it is looked whether what is beyond {@link #SURE} was wanted: 1 GiB of a stream. */
    static final int LOOK_AFTER = 8 * 1024;

    /** As much as a link's window, or an eighth of the direct memory that the process may have. */
    private static final long SHARED_BYTES = Math.min(64L << 20, PlatformDependent.estimateMaxDirectMemory() / 8);

    /** Of all threads together, beyond {@link #SURE}. */
    static final int SHARED = (int) (SHARED_BYTES / ReadBuffers.BUFFER_BYTES);

    /** Its buffers keep a view of their own for system calls, which pooled ones do not. */
    private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true);

    private static final AtomicInteger SHARED_USED = new AtomicInteger();

    private static final FastThreadLocal<KeptBuffers> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected KeptBuffers initialValue() {
            return new KeptBuffers();
        }

        @Override
        protected void onRemoval(KeptBuffers kept) {
            kept.release();
        }
    };

    private final List<ByteBuf> buffers = new ArrayList<>();

    /** Among those beyond {@link #SURE}, where to look first: they are held and released in turn. */
    private int next = SURE;

    private int reads;
    private boolean wantedMore;

    private KeptBuffers() {}

    static KeptBuffers ofThread() {
        return OF_THREAD.get();
    }

    /** One in which nobody holds a frame, which stays owned here; null if there can be none. */
    ByteBuf free() {
        if (++reads >= LOOK_AFTER) {
            look();
        }
        for (int i = 0; i < Math.min(SURE, buffers.size()); i++) {
            if (isFree(i)) {
                return buffers.get(i);
            }
        }
        return buffers.size() < SURE ? add() : freeBeyond();
    }

    private ByteBuf freeBeyond() {
        wantedMore = true;
        for (int tried = SURE; tried < buffers.size(); tried++, next++) {
            next = next < buffers.size() ? next : SURE;
            if (isFree(next)) {
                return buffers.get(next++);
            }
        }
        if (SHARED_USED.getAndIncrement() >= SHARED) {
            SHARED_USED.getAndDecrement();
            return null;
        }
        return add();
    }

    private boolean isFree(int index) {
        return buffers.get(index).refCnt() == 1;
    }

    private ByteBuf add() {
        buffers.add(ALLOCATOR.directBuffer(ReadBuffers.BUFFER_BYTES, ReadBuffers.BUFFER_BYTES));
        return buffers.getLast();
    }

    private void look() {
        for (int i = buffers.size() - 1; i >= SURE && !wantedMore; i--) {
            if (isFree(i)) {
                buffers.remove(i).release();
                SHARED_USED.getAndDecrement();
            }
        }
        reads = 0;
        wantedMore = false;
    }

    /** Frames that are held keep their buffers' memory until they are released. */
    private void release() {
        SHARED_USED.addAndGet(-Math.max(0, buffers.size() - SURE));
        buffers.forEach(ByteBuf::release);
    }
}
