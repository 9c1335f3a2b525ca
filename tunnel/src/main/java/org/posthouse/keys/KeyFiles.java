package org.posthouse.keys;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Set;
import org.posthouse.causes.Causes;

/**
 * Reads and writes the PEM files of a keys folder. Stateless; blocking, so it is never called on an event loop. A file
 * is created with its final permissions and never overwritten, only replaced as a whole. Every failure is a
 * {@link KeysException}.
 */
final class KeyFiles {
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PRIVATE_KEY = "PRIVATE KEY";
    private static final String REVOCATIONS = "X509 CRL";
    private static final Base64.Encoder PEM_LINES =
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    /** Permissions that a private key must not have; only its owner may access it. */
    private static final Set<PosixFilePermission> FORBIDDEN = PosixFilePermissions.fromString("---rwxrwx");

    /** Permissions that no file here may have. A user who can replace authority.pem decides whom this site trusts. */
    private static final Set<PosixFilePermission> WRITABLE = PosixFilePermissions.fromString("----w--w-");

    private static final String OWNER_WRITES = "rw-r--r--";
    private static final String OWNER_ONLY = "rw-------";

    private KeyFiles() {}

    /** Creates {@code folder} and its missing parents; only its owner may access a folder created here. */
    static void createFolder(Path folder) throws KeysException {
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (IOException | UnsupportedOperationException e) {
            throw new KeysException("cannot create the folder " + folder + ": " + Causes.text(e), e);
        }
    }

    static void writeKey(Path file, PrivateKey key) throws KeysException {
        write(file, pem(PRIVATE_KEY, key.getEncoded()), OWNER_ONLY);
    }

    static void writeCertificate(Path file, X509Certificate certificate) throws KeysException {
        write(file, pem(CERTIFICATE, encoded(certificate, file)), OWNER_WRITES);
    }

    /** Replaces the key file atomically. */
    static void replaceKey(Path file, PrivateKey key) throws KeysException {
        replace(file, pem(PRIVATE_KEY, key.getEncoded()), OWNER_ONLY);
    }

    /** Replaces the certificate file atomically. */
    static void replaceCertificate(Path file, X509Certificate certificate) throws KeysException {
        replace(file, pem(CERTIFICATE, encoded(certificate, file)), OWNER_WRITES);
    }

    /**
     * Replaces the revocation list atomically.
     *
     * @param list in DER form
     */
    static void replaceRevocations(Path file, byte[] list) throws KeysException {
        replace(file, pem(REVOCATIONS, list), OWNER_WRITES);
    }

    /** The list in {@code file}; NONE if there is no such file. */
    static RevocationList readRevocations(Path file, X509Certificate authority) throws KeysException {
        return Files.exists(file) ? RevocationList.read(read(file), authority, file.toString()) : RevocationList.NONE;
    }

    /** Rejects a folder, or a file of {@code names} in it, that users other than its owner may change. */
    static void requireUnwritable(Path folder, String... names) throws KeysException {
        requireUnwritable(folder);
        for (String name : names) {
            if (Files.exists(folder.resolve(name))) {
                requireUnwritable(folder.resolve(name));
            }
        }
    }

    private static void requireUnwritable(Path path) throws KeysException {
        Set<PosixFilePermission> rights = rights(path);
        if (rights.stream().anyMatch(WRITABLE::contains)) {
            throw new KeysException(path + " has rights " + PosixFilePermissions.toString(rights)
                    + ", so that others may change whom this site trusts: run chmod go-w on it");
        }
    }

    private static byte[] encoded(X509Certificate certificate, Path file) throws KeysException {
        try {
            return certificate.getEncoded();
        } catch (CertificateException e) {
            throw new KeysException("cannot encode the certificate for " + file + ": " + Causes.text(e), e);
        }
    }

    static X509Certificate readCertificate(Path file) throws KeysException {
        byte[] pem = read(file);
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
        } catch (CertificateException e) {
            throw unusable(file, CERTIFICATE, "certificate", e);
        }
    }

    /** Reads an elliptic-curve key in PKCS#8. Rejects a file that users other than its owner may read or write. */
    static PrivateKey readKey(Path file) throws KeysException {
        byte[] pem = read(file);
        requireOwnerOnly(file);
        try {
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(body(pem, PRIVATE_KEY)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw unusable(file, PRIVATE_KEY, "elliptic-curve private key", e);
        }
    }

    /** The failure for a file with unexpected content; Java's own message adds nothing useful. */
    private static KeysException unusable(Path file, String label, String what, Exception cause) {
        return new KeysException(
                file + " holds no " + what + ", expected what begins with -----BEGIN " + label + "-----: put it back from a copy, or move the folder away"
                        + " and make it anew with posthouse keys",
                cause);
    }

    private static void requireOwnerOnly(Path file) throws KeysException {
        Set<PosixFilePermission> rights = rights(file);
        if (rights.stream().anyMatch(FORBIDDEN::contains)) {
            throw new KeysException("the private key " + file + " has rights " + PosixFilePermissions.toString(rights)
                    + ", expected rw-------: run chmod 600 on it, and issue a new one if others could read it");
        }
    }

    private static Set<PosixFilePermission> rights(Path path) throws KeysException {
        try {
            return Files.getPosixFilePermissions(path);
        } catch (NoSuchFileException e) {
            throw new KeysException(path + " is missing: name the right keys folder", e);
        } catch (IOException | UnsupportedOperationException e) {
            throw new KeysException("cannot read the rights of " + path + ": " + Causes.text(e), e);
        }
    }

    private static byte[] read(Path file) throws KeysException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new KeysException(
                    file + " is missing: create it with posthouse keys, or name the right keys folder", e);
        } catch (IOException e) {
            throw new KeysException("cannot read " + file + ": " + Causes.text(e), e);
        }
    }

    private static void write(Path file, String pem, String rights) throws KeysException {
        var attributes = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights));
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (SeekableByteChannel out = Files.newByteChannel(file, options, attributes)) {
            ByteBuffer bytes = ByteBuffer.wrap(pem.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        } catch (FileAlreadyExistsException e) {
            throw new KeysException(file + " exists and is never overwritten: move it away, or name another folder", e);
        } catch (IOException | UnsupportedOperationException e) {
            throw new KeysException("cannot write " + file + ": " + Causes.text(e), e);
        }
    }

    private static void replace(Path file, String pem, String rights) throws KeysException {
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(whole);
            write(whole, pem, rights);
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (KeysException e) {
            throw e;
        } catch (IOException e) {
            throw new KeysException("cannot replace " + file + ": " + Causes.text(e), e);
        }
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + PEM_LINES.encodeToString(der) + "\n-----END " + label + "-----\n";
    }

    private static byte[] body(byte[] pem, String label) {
        String text = new String(pem, StandardCharsets.US_ASCII);
        String begin = "-----BEGIN " + label + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END " + label + "-----");
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("no block " + begin);
        }
        return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    }
}
