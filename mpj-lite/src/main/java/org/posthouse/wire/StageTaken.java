package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Reports bytes of a file as stored (docs/wire.md, STAGE_TAKEN).
 *
 * @param hash of the file's content
 * @param offset up to which all bytes are stored
 */
public record StageTaken(ContentHash hash, long offset) {
    public ByteBuffer encode() {
        return hash.write(new FrameWriter(FrameType.STAGE_TAKEN, 0, FrameType.STAGE_TAKEN.bytesMax())).i64(offset).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static StageTaken decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        StageTaken taken = new StageTaken(ContentHash.read(in), in.i64("offset", 0, Wire.MESSAGE_BYTES_MAX));
        in.end();
        return taken;
    }
}
