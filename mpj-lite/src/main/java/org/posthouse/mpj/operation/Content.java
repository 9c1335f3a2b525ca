package org.posthouse.mpj.operation;

import java.nio.ByteBuffer;

/**
 * The bytes of an outgoing message, read from the program's own array when they are written to the connection. The
 * program must not change the array before the send is complete.
 */
public interface Content {
    /** Payload bytes of the whole message. */
    long bytes();

    /** Elements of the datatype (objects, for OBJECT). */
    int elements();

    /** Wire code of the datatype. */
    int datatype();

    /**
     * Writes the message's bytes [{@code from}, {@code from} + {@code out.remaining()}) to {@code out}.
     *
     * @param from a multiple of {@link org.posthouse.wire.Wire#PAYLOAD_BYTES_MAX}
     * @param out little-endian; filled to its limit
     */
    void write(long from, ByteBuffer out);

    /**
     * The message's bytes [{@code from}, {@code from} + {@code bytes}) in their own memory, if that is one piece of
     * direct memory in wire format. They then need no copy. Null otherwise.
     *
     * @param from as for {@link #write}
     */
    default ByteBuffer inPlace(long from, int bytes) {
        return null;
    }
}
