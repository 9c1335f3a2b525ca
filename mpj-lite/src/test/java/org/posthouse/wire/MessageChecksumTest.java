package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class MessageChecksumTest {
    private static final int PIECE = Wire.PAYLOAD_BYTES_MAX;

    private static int checksum(byte[] message) {
        MessageChecksum checksum = new MessageChecksum();
        for (int at = 0; at < message.length; at += PIECE) {
            checksum.add(MessageChecksum.piece(ByteBuffer.wrap(message, at, Math.min(PIECE, message.length - at))));
        }
        return checksum.value();
    }

    private static int crc(byte[] bytes, int from, int count) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, count);
        return (int) crc.getValue();
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    /** The check value of CRC-32C in the catalogues of such codes. */
    @Test
    void aShortMessageHasItsOwnCrc() {
        assertThat(checksum("123456789".getBytes(StandardCharsets.US_ASCII))).isEqualTo(0xE3069283);
        byte[] full = bytes(PIECE);
        assertThat(checksum(full)).isEqualTo(crc(full, 0, PIECE));
    }

    @Test
    void anEmptyMessageHasNone() {
        assertThat(checksum(new byte[0])).isZero();
    }

    @Test
    void aLongMessageHasTheCrcOfItsPiecesCrcs() {
        byte[] message = bytes(2 * PIECE + 3);
        ByteBuffer pieces = ByteBuffer.allocate(3 * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        pieces.putInt(crc(message, 0, PIECE)).putInt(crc(message, PIECE, PIECE)).putInt(crc(message, 2 * PIECE, 3));
        assertThat(checksum(message)).isEqualTo(crc(pieces.array(), 0, pieces.capacity()));
        message[PIECE + 7]++;
        assertThat(checksum(message)).isNotEqualTo(crc(pieces.array(), 0, pieces.capacity()));
    }

    @Test
    void theBytesStayWhereTheyAre() {
        ByteBuffer piece = ByteBuffer.wrap(bytes(10)).position(2);
        assertThat(MessageChecksum.piece(piece)).isEqualTo(crc(piece.array(), 2, 8));
        assertThat(piece.position()).isEqualTo(2);
    }
}
