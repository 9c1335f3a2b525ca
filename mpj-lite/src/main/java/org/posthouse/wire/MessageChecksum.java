package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of a message's payload, which does not depend on the frames that carry it. For a payload of up to {@link
 * Wire#PAYLOAD_BYTES_MAX} it is the CRC32C. For a longer one it is the CRC32C over the little-endian CRC32Cs of its
 * pieces of that size. Confined to its creator; for one message.
 */
public final class MessageChecksum {
    private final CRC32C ofPieces = new CRC32C();
    private int pieces;
    private int first;

    /** The CRC32C of these bytes, whose position stays. */
    public static int piece(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** Adds the next piece by its CRC32C: one of {@link Wire#PAYLOAD_BYTES_MAX} bytes, or the rest of the message. */
    public void add(int crc) {
        if (pieces++ == 0) {
            first = crc;
        }
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            ofPieces.update(crc >>> shift & 0xff);
        }
    }

    /** The checksum of the added pieces. */
    public int value() {
        return pieces <= 1 ? first : (int) ofPieces.getValue();
    }
}
