package org.posthouse.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.posthouse.causes.Causes;

/**
 * A secret that only processes of one user of a host can read. By it, two relays without keys prove that they belong to
 * one user where the system cannot tell. Immutable. The file is created when it is first needed, which is never on
 * Linux.
 *
 * @param file 32 random bytes, readable by its owner only
 */
record UserSecret(Path file) {
    static final int MAC_BYTES = 32;
    private static final int SECRET_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";
    private static final Set<PosixFilePermission> OWNERS_FILE = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<?> FOLDER = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** The secret in the user's home folder. */
    static UserSecret ofUser() {
        return new UserSecret(Path.of(System.getProperty("user.home"), ".posthouse", "group.secret"));
    }

    /**
     * Proves that this process can read the secret.
     *
     * @return {@link #MAC_BYTES} bytes
     * @throws IOException if the secret cannot be read or created, or others can read it
     */
    byte[] mac(byte[] content) throws IOException {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret(), ALGORITHM));
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IOException("no " + ALGORITHM + ": " + Causes.text(e), e);
        }
    }

    private byte[] secret() throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            make();
        }
        if (!Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS).equals(OWNERS_FILE)) {
            throw new IOException(file + " can be read or written by others, or is no file: remove it, and start the user's relays again");
        }
        byte[] secret = Files.readAllBytes(file);
        if (secret.length != SECRET_BYTES) {
            throw new IOException(file + " has " + secret.length + " bytes, expected " + SECRET_BYTES + ": remove it, and start the user's relays again");
        }
        return secret;
    }

    /** Creates the file completely or not at all. If two relays create it at once, both use that of the first. */
    private void make() throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        Files.createDirectories(file.getParent(), FOLDER);
        Path made = Files.createTempFile(file.getParent(), "group", ".new", PosixFilePermissions.asFileAttribute(OWNERS_FILE));
        try {
            Files.write(made, secret);
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            return; // Another relay of this user was first.
        } finally {
            Files.delete(made);
        }
    }
}
