package org.posthouse.launch.stage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The lock of a folder, which one process holds. The kernel drops it when the process dies. */
final class FolderLock implements Closeable {
    static final String NAME = "lock";

    private final FileChannel file;

    private FolderLock(FileChannel file) {
        this.file = file;
    }

    /** Makes the folder if it is missing, for its owner alone, and locks it. @throws StageException if another process holds it */
    static FolderLock take(Path folder) throws StageException {
        try {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            FileChannel file = FileChannel.open(
                    folder.resolve(NAME), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (isLocked(file)) {
                return new FolderLock(file);
            }
            file.close();
        } catch (IOException e) {
            throw StageException.of("the folder " + folder + " cannot be used", e);
        }
        throw new StageException("the folder " + folder + " is in use by another process: name another one with --dir");
    }

    /** Whether somebody holds the lock of a folder. */
    static boolean isTaken(Path folder) throws StageException {
        try (FileChannel file = FileChannel.open(folder.resolve(NAME), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE))) {
            return !isLocked(file);
        } catch (IOException e) {
            throw StageException.of("the folder " + folder + " cannot be used", e);
        }
    }

    private static boolean isLocked(FileChannel file) throws IOException {
        try {
            FileLock lock = file.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // Of this process.
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
