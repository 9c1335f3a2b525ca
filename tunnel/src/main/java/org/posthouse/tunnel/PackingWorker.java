package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread on which the links of one relay pack and unpack, in the order in which they ask. Its methods are called on the relay's context,
 * and answer there. The thread begins with the first call. What waits for it is bounded by who asks: {@link LinkRuns#BYTES_AHEAD_MAX}
 * of each link, and of what came packed as much as the other end keeps.
 */
final class PackingWorker {
    /** Runs something on the relay's context. */
    interface Loop {
        void soon(Runnable task);
    }

    /** What became of frames that were to be packed. @param frame null if it was a sample, or would hardly be shorter */
    record Packed(ByteBuf frame, int before, int after, long nanos) {}

    private static final Logger LOG = LoggerFactory.getLogger(PackingWorker.class);

    private final Loop loop;
    private ExecutorService thread;

    /** Confined to the thread. Null before its first use, and as long as there is no memory for it. */
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

    /** Null if it cannot be, or is a CHUNK of several pieces: then the frames go as they are. */
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

    /** @param then is told why it could not be, or null */
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

    /** Ends the thread when it has done what was asked, and says so behind its last answer. Nothing is asked afterwards. */
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
