package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Opens a stream over a link: a flow of bytes in each direction.
 *
 * @param stream its number on the link: odd if the relay with the smaller id opens it, and larger than at every earlier
 * opening by that relay
 * @param tokens number of STREAM_DATA frames that may be sent to the opening end before it grants more
 * @param door the destination at the other relay
 */
public record StreamOpen(int stream, int tokens, String door) {
    /** A path over five relays has 646 at most. */
    private static final int DOOR_BYTES_MAX = 1_023;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.STREAM_OPEN, 0, Wire.HEADER_BYTES + 12 + DOOR_BYTES_MAX)
                .i32(stream)
                .i32(tokens)
                .text(door, DOOR_BYTES_MAX)
                .u16(0)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static StreamOpen decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        StreamOpen open = new StreamOpen(in.i32("stream"), in.i32("tokens"), in.text("door"));
        in.zero16();
        in.end();
        return open;
    }
}
