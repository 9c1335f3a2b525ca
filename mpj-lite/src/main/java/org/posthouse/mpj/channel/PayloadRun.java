package org.posthouse.mpj.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ScatteringByteChannel;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * Reads payload from the socket directly into the program's memory: the rest of a frame that has begun, and the CHUNKs
 * that probably follow. Several chunks take one call; the headers go to separate memory. If something else follows, its
 * bytes go back to the connection in order. What it left in the program's memory is overwritten by the later chunks.
 * Confined to the reading thread.
 */
final class PayloadRun {
    /** Most frames of one call. */
    private static final int FRAMES_MAX = 4;

    /** Most bytes of these frames together: a socket seldom has as much at once. */
    private static final int FRAMES_BYTES_MAX = 2 * Wire.CHUNK_FRAME_BYTES_MAX;

    /**
     * Bytes read behind the last payload, or behind a payload that probably has a place: enough for any short frame.
     */
    static final int AHEAD_BYTES = 4 * 1024 + Wire.MESSAGE_HEADER_BYTES;

    /** Most bytes that a connection gets back when a run ends. */
    static final int BYTES_MAX = FRAMES_BYTES_MAX + AHEAD_BYTES;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** The state of the first frame in the stream. */
    enum First {
        /** A part of it is missing. */
        BEGUN,
        WHOLE,
        /** It is not the expected chunk. */
        OTHER
    }

    private final ByteBuffer[] headers = new ByteBuffer[FRAMES_MAX];
    private final ByteBuffer[] payloads = new ByteBuffer[FRAMES_MAX];

    /** The headers that the expected chunks should have. */
    private final ByteBuffer[] expected = new ByteBuffer[FRAMES_MAX];

    /** Bytes behind the last payload of a message. */
    private final ByteBuffer ahead = ByteBuffer.allocateDirect(AHEAD_BYTES);

    private final ByteBuffer[] parts = new ByteBuffer[2 * FRAMES_MAX + 1];
    private final FrameView view = new FrameView();
    private int frames;

    /** Whether the first frame is known to be the expected one. */
    private boolean isKnown;

    /** Memory for the chunks behind those that are to be read now. */
    private ByteBuffer rest = NOTHING;

    PayloadRun() {
        for (int i = 0; i < FRAMES_MAX; i++) {
            headers[i] = ByteBuffer.allocateDirect(Wire.MESSAGE_HEADER_BYTES);
            expected[i] = ByteBuffer.allocate(Wire.CHUNK_HEADER_BYTES);
        }
    }

    boolean isOn() {
        return frames > 0;
    }

    /**
     * Begins with a frame whose header has come.
     *
     * @param frame the frame, as much of it as is there
     * @param length of the whole frame in bytes
     * @param memory where its payload goes, and that of all further chunks of its message, if there are any
     */
    void begin(ByteBuffer frame, int length, ByteBuffer memory) {
        boolean isChunk = view.wrap(frame, frame.position()).type() == FrameType.CHUNK;
        int headerBytes = isChunk ? Wire.CHUNK_HEADER_BYTES : Wire.MESSAGE_HEADER_BYTES;
        rest = memory;
        add(headerBytes, length - headerBytes);
        headers[0].put(frame.slice(frame.position(), headerBytes));
        payloads[0].put(frame.position(frame.position() + headerBytes));
        isKnown = true;
        if (isChunk) {
            expected[0].put(0, headers[0], 0, headerBytes);
        }
        extend();
    }

    private void add(int headerBytes, int payloadBytes) {
        headers[frames].clear().limit(headerBytes);
        payloads[frames] = rest.slice(rest.position(), payloadBytes);
        rest = rest.position(rest.position() + payloadBytes);
        frames++;
    }

    /** Adds expected chunks of the same length as the last one, as many as are read at once. */
    private void extend() {
        while (frames < FRAMES_MAX && rest.hasRemaining()) {
            ByteBuffer last = expected[frames - 1];
            int lastBytes = view.wrap(last, 0).length() - Wire.CHUNK_HEADER_BYTES;
            int payloadBytes = Math.min(rest.remaining(), lastBytes);
            if (frames * (Wire.CHUNK_HEADER_BYTES + lastBytes) + Wire.CHUNK_HEADER_BYTES + payloadBytes > FRAMES_BYTES_MAX) {
                return;
            }
            ByteBuffer next = expected[frames].put(0, last, 0, Wire.CHUNK_HEADER_BYTES);
            view.wrap(next, 0).length(Wire.CHUNK_HEADER_BYTES + payloadBytes);
            view.offset(view.offset() + lastBytes);
            add(Wire.CHUNK_HEADER_BYTES, payloadBytes);
        }
    }

    /**
     * Reads once what is there.
     *
     * @return as of the channel
     */
    int read(ScatteringByteChannel channel) throws IOException {
        int count = 0;
        for (int i = 0; i < frames; i++) {
            parts[count++] = headers[i];
            parts[count++] = payloads[i];
        }
        if (!rest.hasRemaining()) {
            parts[count++] = ahead;
        }
        return (int) channel.read(parts, 0, count);
    }

    First first() {
        if (!isKnown && !isAsExpected()) {
            return First.OTHER;
        }
        if (headers[0].hasRemaining()) {
            return First.BEGUN;
        }
        isKnown = true;
        return payloads[0].hasRemaining() ? First.BEGUN : First.WHOLE;
    }

    /**
     * Whether the received part of the header is as expected. Another frame may be shorter than a chunk's header, with
     * nothing behind it.
     */
    private boolean isAsExpected() {
        ByteBuffer come = headers[0].duplicate().flip();
        return come.equals(expected[0].slice(0, come.limit()));
    }

    /**
     * Continues behind the first frame, which is complete.
     *
     * @param line gets what has come behind the last
     * @return the frame's header, valid until the next {@link #read}
     */
    ByteBuffer next(ByteBuffer line) {
        ByteBuffer header = headers[0];
        ByteBuffer spare = expected[0];
        frames--;
        System.arraycopy(headers, 1, headers, 0, frames);
        System.arraycopy(payloads, 1, payloads, 0, frames);
        System.arraycopy(expected, 1, expected, 0, frames);
        headers[frames] = header;
        payloads[frames] = null;
        expected[frames] = spare;
        isKnown = false;
        if (frames > 0) {
            extend();
        } else {
            leave(line);
        }
        return header;
    }

    /**
     * Ends the run.
     *
     * @param line gets all received bytes, except those of complete frames
     */
    void leave(ByteBuffer line) {
        for (int i = 0; i < frames; i++) {
            line.put(headers[i].flip()).put(payloads[i].flip());
            payloads[i] = null;
        }
        line.put(ahead.flip());
        ahead.clear();
        rest = NOTHING;
        frames = 0;
    }
}
