package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A piece of a file (docs/wire.md, STAGE_DATA).
 *
 * @param hash of the file's content
 * @param offset of these bytes in the file
 * @param bytes 1 to 65,536
 */
public record StageData(ContentHash hash, long offset, ByteBuffer bytes) {
    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.STAGE_DATA, 0, Wire.STAGE_HEADER_BYTES + bytes.remaining());
        return hash.write(out).i64(offset).bytes(bytes).finish();
    }

    /**
     * Reads a frame whose header was checked. The bytes are a view of the frame.
     *
     * @throws WireException if a field is out of range
     */
    public static StageData decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        return new StageData(ContentHash.read(in), in.i64("offset", 0, Wire.MESSAGE_BYTES_MAX), in.rest(1, "bytes"));
    }
}
