package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameTable;

/** A file with all names of a judge: magic, the highest forgotten version, the names, and a checksum (CRC32C) of all before it. Stateless. */
final class Snapshot {
    private static final long MAGIC = 0x50484e414d455331L; // PHNAMES1
    private static final int CHECKSUM_BYTES = Long.BYTES;

    private Snapshot() {}

    /** Writes the file whole, or not at all. */
    static void write(Path file, NameTable table) throws IOException {
        ByteWriter out = new ByteWriter().i64(MAGIC).i64(table.forgottenVersion()).changes(table.entries());
        byte[] content = out.toBytes();
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.write(part, out.i64(checksum(content, content.length)).toBytes());
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** @throws MalformedException if the file is damaged; the table is then as it was */
    static void read(Path file, NameTable table) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        try {
            ByteReader checked = new ByteReader(bytes);
            int length = Math.max(0, bytes.length - CHECKSUM_BYTES);
            ByteReader in = new ByteReader(checked.bytes(length, "the content"));
            if (checked.i64("a checksum", Long.MIN_VALUE) != checksum(bytes, length)) {
                throw new MalformedException("the checksum is not that of the content");
            }
            if (in.i64("a magic number", Long.MIN_VALUE) != MAGIC) {
                throw new MalformedException("it does not begin with PHNAMES1");
            }
            long forgotten = in.i64("the highest forgotten version", 0);
            List<NameChange> entries = in.changes();
            in.end();
            table.restore(entries, forgotten);
        } catch (MalformedException e) {
            throw new MalformedException("snapshot " + file + " is damaged: " + e.getMessage(), e);
        }
    }

    private static long checksum(byte[] bytes, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, length);
        return checksum.getValue();
    }
}
