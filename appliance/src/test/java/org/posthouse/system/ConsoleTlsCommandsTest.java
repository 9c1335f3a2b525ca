package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that ask a console, over TLS: whose certificate they accept, and what they say of the wrong scheme. */
@Timeout(300)
final class ConsoleTlsCommandsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    /** Writes cert.pem and key.pem. */
    private void makeCertificate() throws Exception {
        Path store = folder.resolve("store.p12");
        Process made = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", "console", "-keyalg",
                "EC", "-dname", "CN=console", "-ext", "san=ip:127.0.0.1", "-validity", "3", "-storetype", "PKCS12", "-keystore", store.toString(),
                "-storepass", PASSWORD).inheritIO().start();
        assertThat(made.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        write("cert.pem", "CERTIFICATE", keys.getCertificate("console").getEncoded());
        Key key = keys.getKey("console", PASSWORD.toCharArray());
        Files.setPosixFilePermissions(write("key.pem", "PRIVATE KEY", key.getEncoded()), PosixFilePermissions.fromString("rw-------"));
    }

    private Path write(String name, String what, byte[] content) throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(folder.resolve(name), "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
    }

    @Tag("long")
    @Test
    void commandsSpeakTlsWithAConsoleWhoseIssuerTheyKnow() throws Exception {
        makeCertificate();
        String cert = folder.resolve("cert.pem").toString();
        try (Relays relay = Relays.start(folder, "site-a", "--ops-cert", cert, "--ops-cert-key", folder.resolve("key.pem").toString())) {
            String console = relay.ready().console().replace("https://", "");
            Command.Result known = Command.run(folder, "status", "--ops", "https://" + console, "--ops-ca", cert);
            assertThat(known.status()).as(known.err()).isZero();
            assertThat(Command.run(folder, "mode", "pooled", "--ops", "https://" + console + "/", "--ops-ca", cert).status()).isZero();
            assertThat(Command.run(folder, "status", "--ops", "https://" + console).err())
                    .contains("the console at https://" + console + " has a certificate that is not accepted", "--ops-ca");
            assertThat(Command.run(folder, "status", "--ops", "https://localhost:" + console.replaceAll(".*:", ""), "--ops-ca", cert).err())
                    .as("a name that the certificate has not").contains("is not accepted", "its host as the certificate does");
            assertThat(Command.run(folder, "status", "--ops", console).err()).contains("does not answer as HTTP does", "--ops https://" + console);
        }
    }

    @Test
    void aConsoleWithoutTlsIsToldApart() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            assertThat(Command.run(folder, "status", "--ops", "https://" + relay.ready().console()).err())
                    .contains("does not speak TLS", "give --ops " + relay.ready().console() + " if it is plain HTTP");
            assertThat(Command.run(folder, "status", "--ops", "http://" + relay.ready().console()).status()).isZero();
        }
    }
}
