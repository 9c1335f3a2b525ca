package org.posthouse.logstore;

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
 * How far a log had come when its writer began, or went on in, the newest file: without it a log whose newest file is gone or empty
 * would look whole. It stands beside the log's files and is written behind the records that it tells of, so it may lag and never runs
 * ahead. Little endian; docs/log-format.md has the table. Immutable.
 *
 * @param position of a record that was published, 0 if none is known to have been
 * @param file number of the file that it stood in
 * @param boot of the writer's machine
 */
record Reached(long position, int file, UUID boot) {
    static final String FILE = "writer.reached";

    /** Of a log that no writer has told about. */
    static final Reached NOTHING = new Reached(0, 0, Host.UNKNOWN_BOOT);

    /** The bytes 'P', 'R', version 1 and zero. */
    private static final int MAGIC = 0x0001_5250;

    private static final int BYTES = 40;

    /** What the writer told last; {@link #NOTHING} too if it was killed, or the host lost its power, before that was whole. */
    static Reached read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return NOTHING;
        }
        ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        boolean whole = b.remaining() == BYTES && b.getInt(0) == crc(b) && b.getInt(4) == MAGIC;
        return whole ? new Reached(b.getLong(8), b.getInt(16), new UUID(b.getLong(24), b.getLong(32))) : NOTHING;
    }

    /** Replaces what was told before, with one call of the system. */
    void write(Path folder) throws IOException {
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
