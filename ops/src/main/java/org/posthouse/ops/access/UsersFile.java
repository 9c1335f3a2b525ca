package org.posthouse.ops.access;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file of users that only its owner may read. Stateless; all methods block. */
public final class UsersFile {
    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** 256 users are some 70 KB. */
    private static final long BYTES_MAX = 1 << 20;

    private final Path path;

    public UsersFile(Path path) {
        this.path = path;
    }

    /**
     * Its users.
     *
     * @throws IOException in one line, if it cannot be read, others may read it, or a line is no user
     */
    public Users read() throws IOException {
        try {
            for (PosixFilePermission right : Files.getPosixFilePermissions(path)) {
                if (OTHERS.contains(right)) {
                    throw new IOException("the file of users " + path + " can be read or written by others: chmod 600 " + path);
                }
            }
            if (Files.size(path) > BYTES_MAX) {
                throw new IOException("the file of users " + path + " has " + Files.size(path) + " bytes, expected at most " + BYTES_MAX);
            }
            return Users.parse(Files.readAllLines(path));
        } catch (NoSuchFileException e) {
            throw missing(e);
        } catch (CharacterCodingException e) {
            throw new IOException("the file of users " + path + " is no text in UTF-8", e);
        } catch (IllegalArgumentException e) {
            throw new IOException("the file of users " + path + ": " + e.getMessage(), e);
        }
    }

    /** Its users, for a console, which nobody could use without any. @throws IOException as {@link #read}, or if there is none */
    public Users readSome() throws IOException {
        Users users = read();
        if (users.list().isEmpty()) {
            throw new IOException("the file of users " + path + " has no user; add one with: posthouse users add " + path + " NAME");
        }
        return users;
    }

    /** Puts these in place of those that it has. A reader has the old or the new file, never a part; comments are lost. */
    public void write(Users users) throws IOException {
        Path target = path.toAbsolutePath();
        Path part = Files.createTempFile(
                target.getParent(), target.getFileName().toString(), ".part",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(part, users.text());
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    public boolean exists() {
        return Files.exists(path);
    }

    FileStamp stamp() throws IOException {
        try {
            return FileStamp.of(path);
        } catch (NoSuchFileException e) {
            throw missing(e);
        }
    }

    private IOException missing(NoSuchFileException cause) {
        return new IOException("the file of users " + path + " does not exist; make it with: posthouse users add " + path + " NAME", cause);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
