package org.posthouse.ops.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's certificate and key: what is said of files that are of no use, before a port is opened. */
class ConsoleTlsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA", "Ed25519"})
    void takesKeysOfEachKind(String algorithm) throws Exception {
        ConsoleTls.Loaded loaded = TestCertificates.make(folder, algorithm, "-1d", 3).load();
        assertThat(loaded.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=localhost");
        assertThat(loaded.stamp()).isEqualTo(new ConsoleTls(folder.resolve("cert.pem"), folder.resolve("key.pem")).stamp());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-9d", "+2d"})
    void refusesACertificateThatIsNotValidNow(String begin) throws Exception {
        ConsoleTls files = TestCertificates.make(folder, "EC", begin, 3);
        assertThatThrownBy(files::load).hasMessageContaining("cert.pem is valid from").hasMessageContaining("not now");
    }

    @Test
    void refusesAnotherCertificatesKey() throws Exception {
        assertOtherKeyRefused("EC");
    }

    @Tag("long")
    @Test
    void refusesAKeyOfAnotherKind() throws Exception {
        assertOtherKeyRefused("RSA");
    }

    private void assertOtherKeyRefused(String algorithm) throws Exception {
        TestCertificates.make(folder, algorithm, "-1d", 3);
        Path other = Files.move(folder.resolve("key.pem"), folder.resolve("other.pem"), StandardCopyOption.REPLACE_EXISTING);
        TestCertificates.make(folder, "EC", "-1d", 3);
        assertThatThrownBy(() -> new ConsoleTls(folder.resolve("cert.pem"), other).load()).hasMessageContaining("is not that of the certificate");
    }

    @Test
    void refusesFilesOfAnotherKind() throws Exception {
        TestCertificates.make(folder, "EC", "-1d", 3);
        Path cert = folder.resolve("cert.pem");
        Path key = folder.resolve("key.pem");
        Files.setPosixFilePermissions(cert, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> new ConsoleTls(key, key).load()).hasMessageContaining("expected PEM");
        assertThatThrownBy(() -> new ConsoleTls(cert, cert).load()).hasMessageContaining("PKCS #8", "openssl pkcs8 -topk8 -nocrypt");
        assertThatThrownBy(() -> new ConsoleTls(folder.resolve("none"), key).load()).hasMessageContaining("none does not exist");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> new ConsoleTls(cert, key).load()).hasMessageContaining("can be read by others: chmod 600 " + key);
    }
}
