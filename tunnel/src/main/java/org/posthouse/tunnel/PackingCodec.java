package org.posthouse.tunnel;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs and unpacks frames with Zstandard, level 1 (ADR 33). Confined to one thread; owns native memory and buffers.
 */
final class PackingCodec implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PackingCodec.class);

    private static final int LEVEL = 1;

    /** Minimum saving: packed data must be shorter by an eighth, or unpacking at the other end is not worthwhile. */
    private static final int SAVED_LEAST = 8;

    private final ByteBuffer plain = ByteBuffer.allocateDirect(Wire.PACKED_BYTES_MAX);
    private final ByteBuffer packed = ByteBuffer.allocateDirect((int) Zstd.compressBound(Wire.PACKED_BYTES_MAX));
    private final ZstdCompressCtx compressor = new ZstdCompressCtx().setLevel(LEVEL);
    private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();

    /** Tests whether the library's native code runs here. */
    private static final class Library {
        private static final boolean THERE = load();

        private static boolean load() {
            try {
                Native.load();
                return true;
            } catch (LinkageError e) {
                LOG.warn("links pack nothing: Zstandard's native code does not run here: {}", e.toString());
                return false;
            }
        }
    }

    /** Whether a codec is available on this machine. The first call reads and writes files. */
    static boolean isThere() {
        return Library.THERE;
    }

    /**
     * Packs whole frames, {@link Wire#PACKED_BYTES_MAX} bytes of them at most.
     *
     * @return a LINK_PACKED without numbers; null if that is hardly shorter
     */
    ByteBuf pack(long job, List<ByteBuffer> frames) {
        int before = gather(frames);
        int after = compressor.compressDirectByteBuffer(packed, 0, packed.capacity(), plain, 0, before);
        if (after > before - before / SAVED_LEAST - Wire.PACKED_HEADER_BYTES) {
            return null;
        }
        int length = Wire.PACKED_HEADER_BYTES + after;
        ByteBuf frame = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        ByteBuffer bytes = frame.nioBuffer(0, length);
        new FrameView().wrap(bytes, 0).begin(FrameType.LINK_PACKED, Wire.PACKED_HEADER_BYTES, job).length(length).packed(before, frames.size());
        bytes.put(Wire.PACKED_HEADER_BYTES, packed, 0, after);
        return frame.writerIndex(length);
    }

    /** Returns the packed length of a frame, without a result. */
    int measure(ByteBuffer frame) {
        return compressor.compressDirectByteBuffer(packed, 0, packed.capacity(), plain, 0, gather(List.of(frame)));
    }

    private int gather(List<ByteBuffer> frames) {
        plain.clear();
        frames.forEach(frame -> plain.put(frame.duplicate()));
        return plain.position();
    }

    /**
     * Unpacks into {@code out}, which the data must fill exactly.
     *
     * @throws WireException if it does not
     */
    void unpack(ByteBuffer in, ByteBuffer out) throws WireException {
        packed.clear().put(in.duplicate());
        int bytes = out.remaining();
        int unpacked;
        try {
            unpacked = decompressor.decompressDirectByteBuffer(plain, 0, bytes, packed, 0, in.remaining());
        } catch (ZstdException e) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "LINK_PACKED of " + bytes + " bytes cannot be unpacked: " + e.getMessage());
        }
        if (unpacked != bytes) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "LINK_PACKED has " + unpacked + " bytes, it says " + bytes);
        }
        out.put(out.position(), plain, 0, bytes);
    }

    @Override
    public void close() {
        compressor.close();
        decompressor.close();
    }
}
