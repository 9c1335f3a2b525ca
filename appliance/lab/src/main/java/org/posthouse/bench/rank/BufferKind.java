package org.posthouse.bench.rank;

import java.nio.ByteBuffer;
import java.util.Locale;

/** The memory of a rank's messages. */
public enum BufferKind {
    /** Memory outside the heap, as the raw connections and the forwarders use it: the system reads and writes there. */
    DIRECT,
    /** An array: its bytes are copied on their way to the system and back. */
    ARRAY;

    /** Room for a message, all zero. */
    Object room(int bytes) {
        return this == ARRAY ? new byte[bytes] : ByteBuffer.allocateDirect(bytes);
    }

    /** Sets all of a room. */
    void fill(Object room, byte[] content) {
        bytes(room).put(content);
    }

    /** A copy of all that is in a room. */
    byte[] content(Object room) {
        ByteBuffer bytes = bytes(room);
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    private static ByteBuffer bytes(Object room) {
        return room instanceof ByteBuffer buffer ? buffer.duplicate().clear() : ByteBuffer.wrap((byte[]) room);
    }

    /** The word on the command line and in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
