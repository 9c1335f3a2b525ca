package org.posthouse.logstore.file;

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

/**
 * Syncs files, and the names in folders, to the disk; a crash of the host may undo what is not synced (fsync(2)).
 * Stateless.
 */
public final class Disk {
    /** Syncs a file, or the names in a folder. */
    public interface Forcer {
        void force(Path path) throws IOException;
    }

    /**
     * Permissions for the owner only, because files contain the messages and memory of ranks. A locked file needs them
     * too: a user who can read a file can also lock it.
     */
    static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private Disk() {}

    /** Opens a file for writing from its beginning and for reading. A new file is accessible to its owner only. */
    public static FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE),
                OWNER_ONLY);
    }

    /** Syncs a file, or the names in a folder. Blocks. */
    public static void force(Path path) throws IOException {
        StandardOpenOption how = Files.isDirectory(path) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(path, how)) {
            channel.force(true);
        }
    }

    /** Creates this folder and its missing parents. The names of the created ones are on the disk when it returns. */
    public static void makeFolder(Path folder) throws IOException {
        makeFolder(folder.toAbsolutePath(), Disk::force);
    }

    /** @param folder absolute */
    public static void makeFolder(Path folder, Forcer forcer) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        makeFolder(folder.getParent(), forcer);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            // Another relay of this host may have created it just now.
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        forcer.force(folder.getParent());
    }
}
