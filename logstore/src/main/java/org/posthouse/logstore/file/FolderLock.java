package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock on a log's folder: an operating system lock on {@code writer.lock}, which the kernel drops when the holder
 * dies. The holder's process id is in {@code writer.pid} beside it. The locked file itself is never opened for reading,
 * because closing any descriptor of it would drop the lock for the whole process. For the same reason, a second attempt
 * in this process is refused before it opens the file.
 */
public final class FolderLock implements AutoCloseable {
    public static final String LOCK_FILE = "writer.lock";
    public static final String PID_FILE = "writer.pid";

    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel channel;

    private FolderLock(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /**
     * Takes the lock of an existing folder.
     *
     * @throws LogException if another log holds it, naming the holder if known
     */
    public static FolderLock take(Path folder, long pid) throws IOException {
        Path real = folder.toRealPath();
        if (!HELD_HERE.add(real)) {
            throw refusal(folder, "by another log of this process (pid " + pid + ")");
        }
        try {
            return new FolderLock(real, locked(folder, real, pid));
        } catch (IOException | RuntimeException e) {
            HELD_HERE.remove(real);
            throw e;
        }
    }

    /** Opens and locks the file; on failure nothing stays open. */
    private static FileChannel locked(Path folder, Path real, long pid) throws IOException {
        FileChannel channel = FileChannel.open(
                real.resolve(LOCK_FILE), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), Disk.OWNER_ONLY);
        try {
            if (!tryLock(channel)) {
                throw refusal(folder, "by " + holder(real));
            }
            Files.writeString(real.resolve(PID_FILE), Long.toString(pid));
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        FileLock lock = channel.tryLock();
        return lock != null;
    }

    private static LogException refusal(Path folder, String holder) {
        return new LogException(folder, "is in use " + holder, "stop that writer or choose another folder");
    }

    private static String holder(Path folder) throws IOException {
        Path file = folder.resolve(PID_FILE);
        return Files.exists(file) ? "process " + Files.readString(file).strip() : "a process that left no pid";
    }

    @Override
    public void close() throws IOException {
        try {
            Files.deleteIfExists(folder.resolve(PID_FILE));
        } finally {
            channel.close();
            HELD_HERE.remove(folder);
        }
    }
}
