package org.posthouse.logstore;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** What brings files, and the names in folders, to the disk itself: what is not there yet, a crash of the host may undo (fsync(2)). */
public final class Disk {
    /** Makes a file, or the names in a folder, safe. */
    interface Forcer {
        void force(Path path) throws IOException;
    }

    /** What ranks have said, or have in memory, is nobody else's to read; nor is a file that is locked, as whoever may read one can lock it, too. */
    static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private Disk() {}

    /** Opens a file to be written from its beginning, and read back; if it is made, it is its owner's alone. */
    static FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE),
                OWNER_ONLY);
    }

    /** Makes a file, or the names in a folder, safe. Blocks. */
    public static void force(Path path) throws IOException {
        StandardOpenOption how = Files.isDirectory(path) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(path, how)) {
            channel.force(true);
        }
    }

    /** Makes this folder, and those above it that are missing. The names of those that it made are on the disk when it returns. */
    static void makeFolder(Path folder) throws IOException {
        makeFolder(folder.toAbsolutePath(), Disk::force);
    }

    /** @param folder absolute */
    static void makeFolder(Path folder, Forcer forcer) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        makeFolder(folder.getParent(), forcer);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            // Another relay of this host may have made it just now.
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        forcer.force(folder.getParent());
    }
}
