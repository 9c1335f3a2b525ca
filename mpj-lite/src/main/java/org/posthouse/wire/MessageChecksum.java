package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of a message's payload, the same whatever frames it travels in: the CRC32C of a payload of up to {@link
 * Wire#PAYLOAD_BYTES_MAX}; of a longer one, the CRC32C over the little-endian CRC32Cs of its pieces of so many bytes.
 * Confined to whoever made it; for one message.
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

    /** Takes the next piece by its CRC32C: one of {@link Wire#PAYLOAD_BYTES_MAX} bytes, or what is left of the message. */
    public void add(int crc) {
        if (pieces++ == 0) {
            first = crc;
        }
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            ofPieces.update(crc >>> shift & 0xff);
        }
    }

    /** The checksum of the pieces that were added. */
    public int value() {
        return pieces <= 1 ? first : (int) ofPieces.getValue();
    }
}
