package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A relay's answer to STAGE_ASK (docs/wire.md, STAGE_ANSWER).
 *
 * @param hash of the file's content
 * @param offset from which on the relay lacks bytes: the file's length if it has all; {@link #REFUSED}
 * @param why the file is refused; otherwise empty
 */
public record StageAnswer(ContentHash hash, long offset, String why) {
    /** The offset of a refusal. */
    public static final long REFUSED = -1;

    private static final int TEXT_BYTES_MAX = 4096;

    /** The relay does not take or have the file. */
    public static StageAnswer refused(ContentHash hash, String why) {
        return new StageAnswer(hash, REFUSED, why);
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.STAGE_ANSWER, 0, FrameType.STAGE_ANSWER.bytesMin() + TEXT_BYTES_MAX);
        return hash.write(out).i64(offset).text(why, TEXT_BYTES_MAX).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static StageAnswer decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        StageAnswer answer =
                new StageAnswer(ContentHash.read(in), in.i64("offset", REFUSED, Wire.MESSAGE_BYTES_MAX), in.text("why"));
        in.end();
        return answer;
    }
}
