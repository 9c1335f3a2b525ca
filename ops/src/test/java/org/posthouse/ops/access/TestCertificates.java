package org.posthouse.ops.access;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/** Certificates for localhost that issue themselves, made by the JDK's keytool. */
public final class TestCertificates {
    private static final String PASSWORD = "changeit";

    private TestCertificates() {}

    /** Writes {@code cert.pem} and {@code key.pem}. @param begin as of keytool's -startdate, such as -2d */
    public static ConsoleTls make(Path folder, String algorithm, String begin, int days) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = Files.createTempDirectory(folder, "store").resolve("store.p12");
        Process made = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", "console", "-keyalg",
                algorithm, "-dname", "CN=localhost", "-ext", "san=dns:localhost,ip:127.0.0.1", "-startdate", begin, "-validity", String.valueOf(days),
                "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD).redirectErrorStream(true).start();
        String told = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (made.waitFor() != 0) {
            throw new IOException("keytool: " + told);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Certificate certificate = keys.getCertificate("console");
        Key key = keys.getKey("console", PASSWORD.toCharArray());
        Path cert = Files.writeString(folder.resolve("cert.pem"), pem("CERTIFICATE", certificate.getEncoded()));
        Path secret = Files.writeString(folder.resolve("key.pem"), pem("PRIVATE KEY", key.getEncoded()));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        return new ConsoleTls(cert, secret);
    }

    private static String pem(String what, byte[] content) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + what + "-----\n";
    }
}
