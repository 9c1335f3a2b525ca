package org.posthouse.examples;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * What travels round the ring: a hop number, a checksum over everything else, and a payload.
 * Confined to its rank. {@link #stamp} changes the payload at every hop, so neither an old token nor a token of
 * another hop passes for the expected one.
 */
final class RingToken {

    private static final int HOP_AT = 0;
    private static final int CHECKSUM_AT = Long.BYTES;
    private static final int PAYLOAD_AT = 2 * Long.BYTES;

    private final byte[] bytes;
    private final ByteBuffer view;

    RingToken(int payloadBytes) {
        bytes = new byte[PAYLOAD_AT + payloadBytes];
        view = ByteBuffer.wrap(bytes);
    }

    /** The token as the array that is sent and received; not a copy. */
    byte[] bytes() {
        return bytes;
    }

    /** Makes this the token of the given hop and seals it. */
    void stamp(long hop) {
        view.putLong(HOP_AT, hop);
        int payloadBytes = bytes.length - PAYLOAD_AT;
        if (payloadBytes > 0) {
            bytes[PAYLOAD_AT + (int) (hop % payloadBytes)] += (byte) (hop + 1);
        }
        view.putLong(CHECKSUM_AT, checksum());
    }

    /** Whether this is the token of that hop, unharmed. */
    boolean isIntact(long hop) {
        return view.getLong(HOP_AT) == hop && view.getLong(CHECKSUM_AT) == checksum();
    }

    private long checksum() {
        CRC32 crc = new CRC32();
        crc.update(bytes, HOP_AT, Long.BYTES);
        crc.update(bytes, PAYLOAD_AT, bytes.length - PAYLOAD_AT);
        return crc.getValue();
    }
}
