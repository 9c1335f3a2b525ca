package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Cuts the last file of a log behind its last whole record. Chronicle keeps an index and a write position in each
 * file, which may point into what is cut, so the file is not shortened in place: its whole records are copied, byte
 * for byte, to a new Chronicle file that then takes its name in one atomic move. A crash at any moment leaves the old
 * file or the new one. A file without a whole record is deleted. Runs under the folder's lock.
 */
final class TailCut {
    private static final String WORK_FOLDER = "cut.tmp";

    private TailCut() {}

    /** Removes what an interrupted cut left behind. */
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
