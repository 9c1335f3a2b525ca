package org.posthouse.launch.stage;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;

/**
 * A folder of classes as a jar, whose bytes depend on the names and bytes in the folder alone: entries are sorted, times
 * are fixed, and nothing is compressed, since another version of the compressor would give other bytes. Stateless.
 *
 * <p>Links are followed inside the folder. A link out of it is refused, so that no other file of the user leaves the host.
 */
public final class ClassPathArchive {
    private static final LocalDateTime FIXED_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);
    private static final int BUFFER_BYTES = 1 << 16;

    /** A folder of that depth holds no packages. */
    private static final int DEPTH_MAX = 200;

    private ClassPathArchive() {}

    /**
     * Packs a folder.
     *
     * @param classes the folder, which may itself be a link
     * @param jar the file to write, which only its owner can read
     * @return the jar's id
     * @throws StageException in one line, if something in the folder is neither file nor folder or leads out of it, or a file
     *     changes meanwhile, or the jar cannot be written
     */
    public static ContentId pack(Path classes, Path jar) throws StageException {
        try {
            return write(entries(classes), jar);
        } catch (StageException e) {
            throw e;
        } catch (ZipException e) {
            throw new StageException("class folder " + classes + " cannot be packed: a file in it changes meanwhile", e);
        } catch (IOException e) {
            throw StageException.of("class folder " + classes + " cannot be packed", e);
        }
    }

    private static ContentId write(Map<String, Path> entries, Path jar) throws IOException {
        MessageDigest digest = ContentId.newDigest();
        Set<StandardOpenOption> anew = Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        try (FileChannel file = FileChannel.open(jar, anew, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                OutputStream out = new BufferedOutputStream(new DigestOutputStream(Channels.newOutputStream(file), digest), BUFFER_BYTES);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.setMethod(ZipOutputStream.STORED);
            for (Map.Entry<String, Path> entry : entries.entrySet()) {
                add(zip, entry.getKey(), entry.getValue());
            }
        }
        return ContentId.of(digest.digest(), Files.size(jar));
    }

    private static void add(ZipOutputStream zip, String name, Path file) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(FIXED_TIME);
        CRC32 crc = new CRC32();
        long bytes = 0;
        byte[] buffer = new byte[BUFFER_BYTES];
        if (file != null) {
            try (InputStream in = Files.newInputStream(file)) {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    crc.update(buffer, 0, n);
                    bytes += n;
                }
            }
        }
        entry.setSize(bytes);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        if (file != null) {
            Files.copy(file, zip);
        }
        zip.closeEntry();
    }

    /** The names in the folder in order, each with its file; a folder has none, and its name ends with a slash. */
    private static Map<String, Path> entries(Path classes) throws IOException {
        Map<String, Path> entries = new TreeMap<>();
        Path root = classes.toRealPath();
        if (!Files.isDirectory(root)) {
            throw new StageException(classes + " is no folder of classes");
        }
        Deque<Path> above = new ArrayDeque<>();
        above.push(root);
        walk(root, root, "", above, entries);
        return entries;
    }

    /** @param above the real paths of this folder and those above it */
    private static void walk(Path root, Path folder, String prefix, Deque<Path> above, Map<String, Path> entries) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                String name = prefix + JobPaths.checked(child.getFileName().toString());
                Path real = Files.isSymbolicLink(child) ? target(root, child) : child;
                if (Files.isDirectory(real, LinkOption.NOFOLLOW_LINKS)) {
                    if (above.contains(real) || above.size() > DEPTH_MAX) {
                        throw new StageException(child + " is a link to a folder above it");
                    }
                    entries.put(name + "/", null);
                    above.push(real);
                    walk(root, real, name + "/", above, entries);
                    above.pop();
                } else if (Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) {
                    entries.put(name, real);
                } else {
                    throw new StageException(child + " is neither a file nor a folder");
                }
            }
        }
    }

    private static Path target(Path root, Path link) throws IOException {
        Path real;
        try {
            real = link.toRealPath();
        } catch (IOException e) {
            throw StageException.of(link + " is a link that leads nowhere", e);
        }
        if (!real.startsWith(root)) {
            throw new StageException(link + " is a link out of the class folder, to " + real);
        }
        return real;
    }
}
