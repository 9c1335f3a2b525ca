package org.posthouse.mpj.operation;

import java.nio.ByteBuffer;

/** The destination of an incoming message: the program's array, filled as the bytes arrive. */
public interface Sink {
    /**
     * Called once, before any byte, when a message was matched to this receive.
     *
     * @throws ReceiveException if the message does not fit: too long, or of another datatype. Its bytes are then
     *     discarded and the receive ends with this error.
     */
    void begin(Envelope envelope) throws ReceiveException;

    /**
     * Memory for the bytes of such a message in wire format. Only this buffer is changed; bytes placed there need no
     * {@link #read}.
     *
     * @return direct memory of just its length, a view of the caller's own; null if there is none, or the message does
     * not fit
     */
    default ByteBuffer inPlace(Envelope envelope) {
        return null;
    }

    /**
     * Takes the bytes [{@code at}, {@code at} + {@code in.remaining()}) of the message. Calls come in order.
     *
     * @param at a multiple of {@link org.posthouse.wire.Wire#PAYLOAD_BYTES_MAX}
     * @param in little-endian; read to its limit
     */
    void read(long at, ByteBuffer in);

    /**
     * Called once, after the last byte (for an empty message, after {@link #begin}).
     *
     * @throws ReceiveException if the bytes cannot be turned into the program's values
     */
    void end() throws ReceiveException;
}
