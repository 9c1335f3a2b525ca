package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A piece of a question to a relay's name service, of its answer, or of a change (docs/wire.md, NAME_ASK). The pieces of one
 * body are sent one behind the other.
 *
 * @param job the rank's job; 0 of launchers and agents
 * @param id of the question, of the sender's choice
 * @param left pages of this body that follow, at most {@link #PAGES_MAX} - 1
 * @param bytes 1 to {@link #BYTES_MAX} bytes of the body
 */
public record NamePage(long job, long id, int left, ByteBuffer bytes) {
    /** Most bytes of a body in one frame. */
    public static final int BYTES_MAX = 32 * 1024;

    /** Most pages of a body. */
    public static final int PAGES_MAX = NameAnswer.BYTES_MAX / BYTES_MAX + 1;

    static final int HEADER_BYTES = Wire.HEADER_BYTES + Long.BYTES + Integer.BYTES;

    /** A body as frames: at least one. Its position stays. */
    public static List<ByteBuffer> encode(FrameType type, long job, long id, ByteBuffer body) {
        int pages = Math.max(1, (body.remaining() + BYTES_MAX - 1) / BYTES_MAX);
        List<ByteBuffer> frames = new ArrayList<>(pages);
        for (int page = 0; page < pages; page++) {
            int from = page * BYTES_MAX;
            ByteBuffer bytes = body.slice(body.position() + from, Math.min(BYTES_MAX, body.remaining() - from));
            frames.add(new NamePage(job, id, pages - 1 - page, bytes).encode(type));
        }
        return frames;
    }

    /** @param type NAME_ASK, NAME_ANSWER or NAME_CHANGED */
    public ByteBuffer encode(FrameType type) {
        return new FrameWriter(type, job, HEADER_BYTES + bytes.remaining()).i64(id).i32(left).bytes(bytes).finish();
    }

    /**
     * Reads a frame whose header was checked; the bytes are a view of it.
     *
     * @throws WireException if a field is out of range
     */
    public static NamePage decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        return new NamePage(
                new FrameView().wrap(frame, frame.position()).job(), in.i64("id"), in.i32("pages left", 0, PAGES_MAX - 1), in.rest(1, "bytes of the body"));
    }
}
