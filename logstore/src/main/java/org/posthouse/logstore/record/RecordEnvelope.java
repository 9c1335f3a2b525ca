package org.posthouse.logstore.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The 48 bytes before every record's body: the offset of each field, and the check that a range of bytes is one whole
 * record. Little endian. docs/log-format.md has the same table in words. Stateless.
 */
public final class RecordEnvelope {
    public static final int CRC = 0;
    public static final int MAGIC = 4;
    public static final int VERSION = 6;
    public static final int TYPE = 7;
    public static final int TOTAL = 8;
    public static final int RANK = 12;
    public static final int POSITION = 16;
    public static final int EPOCH = 24;
    public static final int JOB = 32;
    public static final int PREVIOUS = 40;
    public static final int PAYLOAD = 44;
    public static final int BYTES = 48;

    /** The bytes 'P', 'H'. */
    public static final short MAGIC_VALUE = 0x4850;

    public static final byte VERSION_VALUE = 2;

    private RecordEnvelope() {}

    /**
     * The reason why the bytes [at, at + length) are not one whole record, or null if they are. The buffer is little
     * endian and holds that range; its position and limit do not change.
     */
    public static String flaw(ByteBuffer file, int at, int length, CRC32C crc) {
        String flaw = headFlaw(file, at, length);
        if (flaw == null) {
            flaw = headCrcFlaw(file, at, crc);
        }
        return flaw == null ? payloadCrcFlaw(file, at, crc) : flaw;
    }

    /**
     * The part of {@link #flaw} that the envelope shows. It begins at {@code at} and must be one of {@code length}
     * bytes.
     */
    public static String headFlaw(ByteBuffer file, int at, int length) {
        if (length < BYTES) {
            return "has " + length + " bytes, an envelope alone has " + BYTES;
        }
        if (file.getShort(at + MAGIC) != MAGIC_VALUE || file.get(at + VERSION) != VERSION_VALUE) {
            return String.format("begins with 0x%08x, expected magic PH and version %d",
                    Integer.reverseBytes(file.getInt(at + MAGIC)), VERSION_VALUE);
        }
        if (file.getInt(at + TOTAL) != length) {
            return "says it has " + file.getInt(at + TOTAL) + " bytes, stands in " + length;
        }
        RecordType type = RecordType.of(file.get(at + TYPE));
        int payload = file.getInt(at + PAYLOAD);
        boolean mayBe = type != null && (payload == 0 || payload > 0 && type.hasPayload());
        if (!mayBe || type.headBytes() + payload != length) {
            return "has type " + file.get(at + TYPE) + " with a payload of " + payload + " in " + length + " bytes";
        }
        return null;
    }

    /**
     * The part of {@link #flaw} that the checksum of envelope and body shows; the type must be known to this version.
     */
    public static String headCrcFlaw(ByteBuffer file, int at, CRC32C crc) {
        int head = RecordType.of(file.get(at + TYPE)).headBytes();
        return crcFlaw("a head of ", file.getInt(at + CRC), checksum(file, at + MAGIC, head - MAGIC, crc));
    }

    /** The part of {@link #flaw} that the payload's checksum shows; the head must be flawless. */
    public static String payloadCrcFlaw(ByteBuffer file, int at, CRC32C crc) {
        int payload = file.getInt(at + PAYLOAD);
        return payload == 0 ? null : payloadCrcFlaw(file, at,
                checksum(file, at + file.getInt(at + TOTAL) - payload, payload, crc));
    }

    /** As {@link #payloadCrcFlaw(ByteBuffer, int, CRC32C)}, for a payload in another buffer. */
    public static String payloadCrcFlaw(ByteBuffer head, int at, int found) {
        return crcFlaw("a payload of ", head.getInt(at + RecordType.of(head.get(at + TYPE)).payloadCrc()), found);
    }

    private static String crcFlaw(String of, int expected, int found) {
        return found == expected ? null : String.format("has %sCRC32C 0x%08x, expected 0x%08x", of, found, expected);
    }

    private static int checksum(ByteBuffer file, int from, int length, CRC32C crc) {
        int position = file.position();
        int limit = file.limit();
        crc.reset();
        try {
            crc.update(file.limit(from + length).position(from));
        } finally {
            file.limit(limit).position(position);
        }
        return (int) crc.getValue();
    }
}
