package org.posthouse.launch.stage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The folders of jobs on a node: {@code JOB/RANK} below one folder, which one process owns. Those that an earlier
 * process has left are removed at the start. Any thread may call it.
 */
public final class JobFolders implements Closeable {
    private final Path folder;
    private final FolderLock lock;

    private JobFolders(Path folder, FolderLock lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Opens the folder, which is made if it is missing, and removes all jobs in it.
     *
     * @throws StageException if it cannot be used, or another process uses it
     */
    public static JobFolders open(Path folder) throws StageException {
        JobFolders folders = new JobFolders(folder.toAbsolutePath().normalize(), FolderLock.take(folder));
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folders.folder)) {
            for (Path each : left) {
                if (!each.getFileName().toString().equals(FolderLock.NAME)) {
                    FolderRemoval.remove(each);
                }
            }
            return folders;
        } catch (IOException e) {
            folders.close();
            throw StageException.of("the folder " + folder + " cannot be used", e);
        }
    }

    /**
     * The folder of a rank of a job. One that is there, of a process of this rank that has ended, is taken as it is.
     *
     * @param rank its name in the job: {@code 3}, or {@code 3.1} for a copy; one part
     */
    public JobFolderOnNode of(long job, String rank) throws StageException {
        Path path = JobPaths.resolve(job(job), rank);
        try {
            removeIfLink(path.getParent());
            removeIfLink(path);
            Files.createDirectories(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            return new JobFolderOnNode(path);
        } catch (IOException e) {
            throw StageException.of("the folder " + path + " of a rank cannot be made", e);
        }
    }

    /** Whether another process, or this one, has the folder open. */
    public static boolean isInUse(Path folder) throws StageException {
        return Files.exists(folder) && FolderLock.isTaken(folder);
    }

    /** Only a program puts one there. */
    private static void removeIfLink(Path path) throws IOException {
        if (Files.isSymbolicLink(path)) {
            Files.delete(path);
        }
    }

    /** Removes what is left of a job. A file that cannot be removed is logged and stays until the next start. */
    public void removeJob(long job) {
        FolderRemoval.remove(job(job));
    }

    private Path job(long job) {
        return folder.resolve(String.format("%016x", job));
    }

    /** Lets another process use the folder. */
    @Override
    public void close() throws StageException {
        try {
            lock.close();
        } catch (IOException e) {
            throw StageException.of("the folder " + folder + " cannot be left", e);
        }
    }
}
