package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The position up to which a log is on the disk, as a completed sync reported (ADR 61). After a power cut, records
 * missing after it were promised to nobody; records missing before it are damage. It is stored beside the log's files
 * and is written after the syncs it refers to, so it may lag and never runs ahead. Little endian; docs/log-format.md
 * has the table. Immutable.
 *
 * @param position of the last record that is on the disk, 0 if none needs to be, -1 if unknown
 */
public record SyncedPosition(long position) {
    public static final String FILE = "writer.safe";

    /** The value for a log that was written only by earlier versions, or whose stored value is lost. */
    public static final SyncedPosition UNKNOWN = new SyncedPosition(-1);

    /** The bytes 'P', 'S', version 1 and zero. */
    private static final int MAGIC = 0x0001_5350;

    private static final int BYTES = 16;

    public boolean isKnown() {
        return position >= 0;
    }

    /** Reads the stored value; returns {@link #UNKNOWN} also if it is incomplete. */
    public static SyncedPosition read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return UNKNOWN;
        }
        ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        boolean whole = b.remaining() == BYTES && b.getInt(0) == crc(b) && b.getInt(4) == MAGIC && b.getLong(8) >= 0;
        return whole ? new SyncedPosition(b.getLong(8)) : UNKNOWN;
    }

    /**
     * Replaces the stored value, and syncs it to the disk. Its 16 bytes are in one sector, which a disk writes
     * atomically.
     */
    public void write(Path folder, Disk.Forcer forcer) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(4, MAGIC).putLong(8, position);
        b.putInt(0, crc(b));
        Path file = folder.resolve(FILE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(b, 0);
        }
        forcer.force(file);
    }

    private static int crc(ByteBuffer b) {
        CRC32C crc = new CRC32C();
        crc.update(b.array(), Integer.BYTES, BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }
}
