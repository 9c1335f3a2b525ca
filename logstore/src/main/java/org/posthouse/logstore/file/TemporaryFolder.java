package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder that is deleted with its process: at {@link #close}, or, if the process was killed, when the same user
 * creates the next one. It holds logs and keys, which must neither fill the disk nor be left behind.
 *
 * <p>A lock on the file {@code owner} shows that the process is alive; the kernel drops it when the process dies. The
 * file gets its name only when it is locked. Otherwise a folder in creation could look like one whose owner has died.
 */
public final class TemporaryFolder implements AutoCloseable {
    static final String OWNER = "owner";
    private static final String UNLOCKED = "owner.new";
    private static final Path SELF = Path.of("/proc/self");
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);

    /**
     * Folders of this process. No other descriptor of their locked files may be closed, because that would drop the
     * lock.
     */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel owner;

    private TemporaryFolder(Path folder, FileChannel owner) {
        this.folder = folder;
        this.owner = owner;
    }

    /**
     * Creates a folder in the system's folder for temporary files. Deletes those with the same prefix that killed
     * processes of this user have left there.
     *
     * @param prefix of the name, followed by a number
     */
    public static TemporaryFolder make(String prefix) throws IOException {
        return make(Path.of(System.getProperty("java.io.tmpdir")), prefix);
    }

    /** As {@link #make(String)}, in another parent folder. */
    public static TemporaryFolder make(Path parent, String prefix) throws IOException {
        sweep(parent, prefix);
        Path folder = Files.createTempDirectory(parent, prefix).toRealPath();
        HELD_HERE.add(folder);
        try {
            Path unlocked = folder.resolve(UNLOCKED);
            FileChannel owner = FileChannel.open(unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            owner.lock();
            Files.move(unlocked, folder.resolve(OWNER), StandardCopyOption.ATOMIC_MOVE);
            return new TemporaryFolder(folder, owner);
        } catch (IOException | RuntimeException e) {
            HELD_HERE.remove(folder);
            throw e;
        }
    }

    /** The path of the folder. */
    public Path path() {
        return folder;
    }

    /** Deletes the folder with all its content. */
    @Override
    public void close() throws IOException {
        try (owner) {
            remove(folder);
        } finally {
            HELD_HERE.remove(folder);
        }
    }

    /** Releases the folder without deleting it. From then on only the user removes it. */
    public void leave() throws IOException {
        try (owner) {
            Files.delete(folder.resolve(OWNER));
        } finally {
            HELD_HERE.remove(folder);
        }
    }

    private static void sweep(Path parent, String prefix) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, prefix + "[0-9]*")) {
            for (Path folder : found) {
                if (folder.getFileName().toString().substring(prefix.length()).chars().allMatch(Character::isDigit)) {
                    removeIfLeft(folder);
                }
            }
        }
    }

    /** A folder that cannot be deleted does not prevent the start. */
    private static void removeIfLeft(Path folder) {
        try {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) || !isOurs(folder) || HELD_HERE.contains(folder.toRealPath())) {
                return;
            }
            try (FileChannel owner = FileChannel.open(folder.resolve(OWNER), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                if (owner.tryLock() != null) {
                    remove(folder);
                    LOG.info("{} was left behind by a process that was killed, and is removed", folder);
                }
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} is just being made, or removed by another process", folder, e);
        } catch (IOException e) {
            LOG.warn("{} was left behind by a process that was killed, and cannot be removed: {}", folder, e.toString());
        }
    }

    private static boolean isOurs(Path folder) throws IOException {
        return !Files.isDirectory(SELF) || Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(SELF));
    }

    /** Deletes the owner's file last, because a folder without it would never be deleted completely. */
    private static void remove(Path folder) throws IOException {
        Path owner = folder.resolve(OWNER);
        List<Path> removed = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> !file.equals(owner) && !file.equals(folder)).sorted(Comparator.reverseOrder()).forEach(removed::add);
        }
        for (Path file : removed) {
            Files.delete(file);
        }
        Files.deleteIfExists(owner);
        Files.delete(folder);
    }
}
