package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The position that a log had reached when its writer began or continued the newest file. Without it, a log whose
 * newest file is missing or empty would look complete. It is stored beside the log's files and is written after the
 * records it refers to, so it may lag and never runs ahead. Little endian; docs/log-format.md has the table. Immutable.
 *
 * @param position of a published record, 0 if none is known
 * @param file number of the file that contained it
 * @param boot of the writer's machine
 */
public record LogHighWater(long position, int file, UUID boot) {
    public static final String FILE = "writer.reached";

    /** The value for a log without this file. */
    public static final LogHighWater NOTHING = new LogHighWater(0, 0, HostCalls.UNKNOWN_BOOT);

    /** The bytes 'P', 'R', version 1 and zero. */
    private static final int MAGIC = 0x0001_5250;

    private static final int BYTES = 40;

    /**
     * Reads the stored value. Returns {@link #NOTHING} also if a kill of the writer or a power cut left it incomplete.
     */
    public static LogHighWater read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return NOTHING;
        }
        ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        boolean whole = b.remaining() == BYTES && b.getInt(0) == crc(b) && b.getInt(4) == MAGIC;
        return whole ? new LogHighWater(b.getLong(8), b.getInt(16), new UUID(b.getLong(24), b.getLong(32))) : NOTHING;
    }

    /** Replaces the stored value with one system call. */
    public void write(Path folder) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(4, MAGIC)
                .putLong(8, position)
                .putInt(16, file)
                .putLong(24, boot.getMostSignificantBits())
                .putLong(32, boot.getLeastSignificantBits());
        b.putInt(0, crc(b));
        try (FileChannel channel = FileChannel.open(folder.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(b, 0);
        }
    }

    private static int crc(ByteBuffer b) {
        CRC32C crc = new CRC32C();
        crc.update(b.array(), Integer.BYTES, BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }
}
