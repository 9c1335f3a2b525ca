package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.posthouse.tunnel.window.PackingQueue;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that packs and unpacks for all links of one relay, in the order of the requests. Its methods are called on
 * the relay's context, and answer there. The thread starts with the first call. The requesting links bound its queue.
 * Packing is limited to {@link PackingQueue#BYTES_AHEAD_MAX} of each link, and unpacking to what the other end's window
 * holds.
 */
final class PackingWorker {
    /** Runs a task on the relay's context. */
    interface Loop {
        void soon(Runnable task);
    }

    /**
     * The result of packing frames.
     *
     * @param frame null if it was a sample, or would hardly be shorter
     */
    record Packed(ByteBuf frame, int before, int after, long nanos) {}

    private static final Logger LOG = LoggerFactory.getLogger(PackingWorker.class);

    private final Loop loop;
    private ExecutorService thread;

    /** Confined to the thread. Null before its first use, and while there is no memory for it. */
    private PackingCodec codec;

    PackingWorker(Loop loop) {
        this.loop = loop;
    }

    void pack(long job, List<ByteBuffer> frames, Consumer<Packed> then) {
        int before = frames.stream().mapToInt(ByteBuffer::remaining).sum();
        submit(() -> {
            long begin = System.nanoTime();
            ByteBuf frame = packOrNot(job, frames);
            int after = frame == null ? before : frame.readableBytes();
            Packed packed = new Packed(frame, before, after, System.nanoTime() - begin);
            loop.soon(() -> then.accept(packed));
        });
    }

    /**
     * Packs the frames. Returns null if that fails or the first frame is a CHUNK of several pieces; then they are sent
     * unpacked.
     */
    private ByteBuf packOrNot(long job, List<ByteBuffer> frames) {
        if (frames.getFirst().remaining() > Wire.PACKED_BYTES_MAX) {
            return null;
        }
        try {
            return codec().pack(job, frames);
        } catch (RuntimeException | Error e) {
            LOG.error("{} frames of job {} cannot be packed, and go as they are", frames.size(), Long.toHexString(job), e);
            return null;
        }
    }

    void measure(ByteBuffer frame, Consumer<Packed> then) {
        submit(() -> {
            long begin = System.nanoTime();
            int after = measureOrNot(frame);
            Packed packed = new Packed(null, frame.remaining(), after, System.nanoTime() - begin);
            loop.soon(() -> then.accept(packed));
        });
    }

    private int measureOrNot(ByteBuffer frame) {
        try {
            return codec().measure(frame);
        } catch (RuntimeException | Error e) {
            LOG.error("a sample of {} bytes cannot be packed", frame.remaining(), e);
            return frame.remaining();
        }
    }

    /** @param then receives the reason of a failure, or null */
    void unpack(ByteBuffer in, ByteBuffer out, Consumer<WireException> then) {
        submit(() -> {
            WireException failure = tryUnpack(in, out);
            loop.soon(() -> then.accept(failure));
        });
    }

    private WireException tryUnpack(ByteBuffer in, ByteBuffer out) {
        try {
            codec().unpack(in, out);
            return null;
        } catch (WireException e) {
            return e;
        } catch (RuntimeException | Error e) {
            LOG.error("{} bytes that came packed cannot be unpacked", in.remaining(), e);
            return new WireException(CloseReason.INTERNAL, "LINK_PACKED of " + out.remaining() + " bytes cannot be unpacked: " + e);
        }
    }

    private PackingCodec codec() {
        if (codec == null) {
            codec = new PackingCodec();
        }
        return codec;
    }

    private void submit(Runnable task) {
        if (thread == null) {
            thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("posthouse-packing").factory());
        }
        thread.execute(task);
    }

    /**
     * Ends the thread after all requests are done, and calls {@code then} after its last answer. No request may follow.
     */
    void close(Runnable then) {
        if (thread == null) {
            then.run();
            return;
        }
        thread.execute(() -> {
            try {
                if (codec != null) {
                    codec.close();
                }
            } finally {
                loop.soon(then);
            }
        });
        thread.shutdown();
    }
}
