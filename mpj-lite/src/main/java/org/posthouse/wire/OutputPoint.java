package org.posthouse.wire;

/**
 * A point of a process's output stream up to which a launcher has kept the stream, and what another launcher needs to
 * continue there. The agent keeps it unread.
 *
 * @param position bytes of the stream before it, 0 or more
 * @param place where the launcher's journal of the stream stands there, in bytes; 0 or more
 * @param printed bytes that the process's library had printed at its last mark before it; 0 or more
 */
public record OutputPoint(long position, long place, long printed) {
    /** The beginning of a stream. */
    public static final OutputPoint BEGIN = new OutputPoint(0, 0, 0);

    static final int BYTES = 3 * Long.BYTES;

    void write(FrameWriter out) {
        out.i64(position).i64(place).i64(printed);
    }

    static OutputPoint read(FrameReader in) throws WireException {
        return new OutputPoint(
                in.i64("position", 0, Long.MAX_VALUE), in.i64("place", 0, Long.MAX_VALUE), in.i64("printed bytes", 0, Long.MAX_VALUE));
    }
}
