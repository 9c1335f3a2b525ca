package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.ReservedBlocks;

/**
 * Cuts the last file of a log after its last whole record. The file is not shortened in place, because Chronicle's
 * index and write position in it may point to cut bytes. Instead, the whole records are copied byte for byte to a new
 * Chronicle file, which then replaces the old one in one atomic move. A crash at any moment leaves the old file or the
 * new one. A file without a whole record is deleted. Stateless; runs under the folder's lock.
 */
final class TailTruncation {
    private static final String WORK_FOLDER = "cut.tmp";

    private TailTruncation() {}

    /** Deletes the remains of an interrupted cut. */
    static void clean(Path folder) throws IOException {
        QueueFiles.removeFolder(folder.resolve(WORK_FOLDER));
    }

    /** Keeps the first {@code records} records of the file with this number. */
    static void cut(Path folder, int number, long records) throws IOException {
        Path file = QueueFiles.file(folder, number);
        if (records == 0) {
            Files.delete(file);
        } else {
            Path work = Files.createDirectory(folder.resolve(WORK_FOLDER));
            if (!new ReservedBlocks(work).tryBegin(number, Files.size(file))) {
                throw LogException.full(folder, Files.getFileStore(folder).getUsableSpace(), Files.size(file));
            }
            copy(file, work, number, records);
            Path copied = QueueFiles.file(work, number);
            Disk.force(copied);
            Files.move(copied, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        Disk.force(folder);
        clean(folder);
    }

    private static void copy(Path file, Path work, int number, long records) throws IOException {
        try (MappedQueueFile from = new MappedQueueFile(file);
                RecordAppender to = new RecordAppender(work, number)) {
            for (long i = 0; i < records; i++) {
                if (from.advance() != MappedQueueFile.At.RECORD) {
                    throw new LogException(file, "changed while it was being cut", "stop whatever writes to it");
                }
                to.append(from.bytes().slice(from.offset(), from.length()));
            }
        }
    }
}
