package org.posthouse.launch.stage;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.posthouse.causes.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes folders that programs have written to. Links are removed and not followed. A removal is confined to its call. */
final class FolderRemoval extends SimpleFileVisitor<Path> {
    private static final Logger LOG = LoggerFactory.getLogger(FolderRemoval.class);

    private IOException first;

    private FolderRemoval() {}

    /** Removes a file or folder. Goes on behind what cannot be removed, and logs the first such file. */
    static void remove(Path folder) {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        FolderRemoval removal = new FolderRemoval();
        try {
            Files.walkFileTree(folder, removal);
        } catch (IOException e) {
            removal.failed(e);
        }
        if (removal.first != null) {
            LOG.warn("the job's folder {} cannot be removed: {}", folder, Causes.text(removal.first));
        }
    }

    private FileVisitResult failed(IOException why) {
        first = first == null ? why : first;
        return FileVisitResult.CONTINUE;
    }

    private FileVisitResult delete(Path file) {
        try {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        } catch (IOException e) {
            return failed(e);
        }
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        try {
            if (!Files.isWritable(folder) || !Files.isExecutable(folder)) {
                permit(folder);
            }
            return FileVisitResult.CONTINUE;
        } catch (IOException e) {
            return failed(e);
        }
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        return delete(file);
    }

    /** A folder that a program has closed to itself: once more with the rights of its owner. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException why) {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) || Files.isReadable(file)) {
            return failed(why);
        }
        try {
            permit(file);
            if (!Files.isReadable(file)) {
                return failed(why);
            }
            Files.walkFileTree(file, this);
            return FileVisitResult.CONTINUE;
        } catch (IOException e) {
            return failed(e);
        }
    }

    private static void permit(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException why) {
        return delete(folder);
    }
}
