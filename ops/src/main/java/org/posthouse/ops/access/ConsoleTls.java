package org.posthouse.ops.access;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of the console's certificate, with those of its issuers behind it, and of its private key, both PEM. Stateless; all methods block. */
public final class ConsoleTls {
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final Map<String, String> SIGNATURES = Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private final Path certificates;
    private final Path key;

    /** Certificate and key, which belong together, and what changes when the files do. */
    public record Loaded(PemKeyCertOptions options, List<Object> stamp, X509Certificate certificate) {}

    public ConsoleTls(Path certificates, Path key) {
        this.certificates = certificates;
        this.key = key;
    }

    /**
     * Reads both files.
     *
     * @throws IOException in one line, if one cannot be read, the key is another's or may be read by others, or the certificate is not valid now
     */
    public Loaded load() throws IOException {
        List<Object> stamp = stamp(); // Before: what is written meanwhile is read next time.
        byte[] chain = read(certificates, "certificate");
        byte[] secret = read(key, "key");
        if (Files.getPosixFilePermissions(key).contains(PosixFilePermission.OTHERS_READ)) {
            throw new IOException("the console's key " + key + " can be read by others: chmod 600 " + key);
        }
        X509Certificate certificate = certificate(chain);
        requireValid(certificate);
        requireMatch(certificate, new String(secret, StandardCharsets.ISO_8859_1));
        return new Loaded(new PemKeyCertOptions().addCertValue(Buffer.buffer(chain)).addKeyValue(Buffer.buffer(secret)), stamp, certificate);
    }

    /** What changes when one of the files does. */
    public List<Object> stamp() throws IOException {
        try {
            return List.of(FileStamp.of(certificates), FileStamp.of(key));
        } catch (NoSuchFileException e) {
            throw new IOException("the console's file " + e.getMessage() + " does not exist", e);
        }
    }

    private static byte[] read(Path file, String what) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IOException("the console's " + what + " " + file + " cannot be read: " + e.getClass().getSimpleName(), e);
        }
    }

    private X509Certificate certificate(byte[] chain) throws IOException {
        try {
            Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(chain));
            if (!all.isEmpty() && all.iterator().next() instanceof X509Certificate first) {
                return first;
            }
            throw new IOException("the console's certificate " + certificates + " has no certificate, expected PEM: -----BEGIN CERTIFICATE-----");
        } catch (CertificateException e) {
            throw new IOException("the console's certificate " + certificates + " is none, expected PEM: " + e.getMessage(), e);
        }
    }

    private void requireValid(X509Certificate certificate) throws IOException {
        try {
            certificate.checkValidity();
        } catch (CertificateExpiredException | CertificateNotYetValidException e) {
            throw new IOException("the console's certificate " + certificates + " is valid from " + certificate.getNotBefore().toInstant() + " to "
                    + certificate.getNotAfter().toInstant() + ", not now: renew it, or set the clock", e);
        }
    }

    private void requireMatch(X509Certificate certificate, String pem) throws IOException {
        Matcher secret = KEY.matcher(pem);
        if (!secret.find()) {
            throw new IOException("the console's key " + key + " is not PKCS #8 without a password (-----BEGIN PRIVATE KEY-----): convert it with openssl pkcs8"
                    + " -topk8 -nocrypt");
        }
        try {
            String algorithm = certificate.getPublicKey().getAlgorithm();
            PrivateKey own = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(secret.group(1))));
            Signature signature = Signature.getInstance(SIGNATURES.getOrDefault(algorithm, algorithm));
            signature.initSign(own);
            signature.update(certificate.getSignature());
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(certificate.getSignature());
            if (!signature.verify(signed)) {
                throw new GeneralSecurityException("their public keys differ");
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("the console's key " + key + " is not that of the certificate " + certificates + ": " + e.getMessage(), e);
        }
    }
}
