package org.posthouse.logstore.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.posthouse.logstore.record.Checkpoint;

/**
 * The layout of an image's file (docs/log-format.md): a header, then the image in chunks of 64 KiB, each preceded by
 * its CRC32C. Stateless.
 */
public final class ImageLayout {
    static final int HEADER_BYTES = 64;

    /** Bytes of the image in all chunks but the last. */
    public static final int CHUNK_BYTES = 64 << 10;

    /** Bytes of the checksum before each chunk. */
    static final int CRC_BYTES = Integer.BYTES;

    private static final short MAGIC = (short) ('P' | 'I' << Byte.SIZE);
    private static final byte VERSION = 1;
    private static final int MAGIC_AT = 4;
    private static final int VERSION_AT = 6;
    private static final int JOB_AT = 8;
    private static final int RANK_AT = 16;
    private static final int INCARNATION_AT = 20;
    private static final int NUMBER_AT = 24;
    private static final int BYTES_AT = 32;
    private static final int CRC_AT = 40;

    private ImageLayout() {}

    /** @param crc CRC32C of the whole image */
    static ByteBuffer header(long job, int rank, int incarnation, long number, long bytes, int crc) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putShort(MAGIC_AT, MAGIC)
                .put(VERSION_AT, VERSION)
                .putLong(JOB_AT, job)
                .putInt(RANK_AT, rank)
                .putInt(INCARNATION_AT, incarnation)
                .putLong(NUMBER_AT, number)
                .putLong(BYTES_AT, bytes)
                .putInt(CRC_AT, crc);
        return header.putInt(0, crc(header));
    }

    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(Integer.BYTES, HEADER_BYTES - Integer.BYTES));
        return (int) crc.getValue();
    }

    /** The reason why a header is not this image's; null if it is. */
    static String flaw(ByteBuffer header, long job, int rank, Checkpoint expected) {
        if (header.getInt(0) != crc(header)) {
            return "has a header whose checksum does not agree";
        }
        if (header.getShort(MAGIC_AT) != MAGIC || header.get(VERSION_AT) != VERSION) {
            return "is no image of version " + VERSION;
        }
        boolean same = header.getLong(JOB_AT) == job && header.getInt(RANK_AT) == rank
                && header.getLong(NUMBER_AT) == expected.number() && header.getLong(BYTES_AT) == expected.bytes()
                && header.getInt(CRC_AT) == expected.imageCrc();
        return same ? null : String.format(
                "is another: image %d of job %016x rank %d, %d bytes with checksum 0x%08x, expected %d of job %016x"
                        + " rank %d, %d bytes with checksum 0x%08x",
                header.getLong(NUMBER_AT), header.getLong(JOB_AT), header.getInt(RANK_AT), header.getLong(BYTES_AT),
                header.getInt(CRC_AT), expected.number(), job, rank, expected.bytes(), expected.imageCrc());
    }

    /** Offset of the chunk, with its checksum, that contains this byte of the image. */
    static long chunkAt(long offset) {
        return HEADER_BYTES + offset / CHUNK_BYTES * (CRC_BYTES + CHUNK_BYTES);
    }

    /** Bytes of an image's file. */
    static long fileBytes(long bytes) {
        long chunks = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
        return HEADER_BYTES + chunks * CRC_BYTES + bytes;
    }
}
