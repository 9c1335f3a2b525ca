package org.posthouse.launch.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The folder in which a rank's process is started on a node, with links to the job's files in the store. The content is
 * in use until this is closed. Guarded by itself.
 */
public final class JobFolderOnNode implements AutoCloseable {
    private final Path path;
    private final List<PinnedContent> used = new ArrayList<>();

    JobFolderOnNode(Path path) {
        this.path = path;
    }

    /** Its path. */
    public Path path() {
        return path;
    }

    /**
     * Puts content into the folder. Replaces a file of that name, but no folder; a link that a program has put in the way
     * is removed and not followed.
     *
     * @param name as {@link JobPaths} permits
     * @param content which this object closes, also on failure
     * @return the file
     */
    public synchronized Path link(String name, PinnedContent content) throws StageException {
        used.add(content);
        Path file = JobPaths.resolve(path, name);
        try {
            makeFolders(file.getParent());
            Files.deleteIfExists(file);
            try {
                Files.createLink(file, content.path());
            } catch (IOException | UnsupportedOperationException e) {
                Files.createSymbolicLink(file, content.path()); // Another file system, or one without hard links.
            }
            return file;
        } catch (IOException e) {
            throw StageException.of("\"" + name + "\" cannot be put into the folder " + path, e);
        }
    }

    private void makeFolders(Path folder) throws IOException {
        if (folder.equals(path)) {
            return;
        }
        makeFolders(folder.getParent());
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(folder);
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** Removes the folder with all that the rank has left in it. A file that cannot be removed is logged. */
    @Override
    public synchronized void close() {
        FolderRemoval.remove(path);
        used.forEach(PinnedContent::close);
        used.clear();
    }
}
