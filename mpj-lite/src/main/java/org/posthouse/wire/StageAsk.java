package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Names a file that a launcher has, or that an agent wants (docs/wire.md, STAGE_ASK).
 *
 * @param hash of its content
 * @param length in bytes, 0 to {@link Wire#MESSAGE_BYTES_MAX}
 * @param has whether the sender has the file; otherwise it wants it
 */
public record StageAsk(ContentHash hash, long length, boolean has) {
    public ByteBuffer encode() {
        return hash.write(new FrameWriter(FrameType.STAGE_ASK, 0, FrameType.STAGE_ASK.bytesMax())).i64(length).flag(has).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static StageAsk decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        StageAsk ask = new StageAsk(ContentHash.read(in), in.i64("length", 0, Wire.MESSAGE_BYTES_MAX), in.flag("has"));
        in.end();
        return ask;
    }
}
