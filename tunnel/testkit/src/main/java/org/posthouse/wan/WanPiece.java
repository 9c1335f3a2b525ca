package org.posthouse.wan;

import java.nio.ByteBuffer;

/**
 * Some bytes on their way, or the end of the stream. Confined to the emulator's thread.
 *
 * @param content the bytes, ready to be written; null for the end
 * @param bytes how many they were
 * @param readAtNanos when they were read
 */
record WanPiece(ByteBuffer content, int bytes, long readAtNanos) {
    static WanPiece end(long nowNanos) {
        return new WanPiece(null, 0, nowNanos);
    }

    /** The same, not read before then. */
    WanPiece notBefore(long nanos) {
        return readAtNanos - nanos >= 0 ? this : new WanPiece(content, bytes, nanos);
    }

    boolean isEnd() {
        return content == null;
    }
}
