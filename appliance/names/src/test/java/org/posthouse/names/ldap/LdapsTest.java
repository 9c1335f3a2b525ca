package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.testkit.DirectoryInMemory;
import org.posthouse.testkit.Slapd;

/** A directory over TLS, with a certificate of the organization's own authority. */
@Timeout(120)
class LdapsTest {
    private static final String SECRET = "secret";

    @TempDir
    private Path folder;

    private ServerSocketFactory sockets(String host) throws Exception {
        keytool("-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=" + host, "-ext", "san=" + host, "-validity", "2");
        keytool("-exportcert", "-alias", "server", "-rfc", "-file", folder.resolve("ca.pem").toString());
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(folder.resolve("store"))) {
            store.load(file, SECRET.toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, SECRET.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context.getServerSocketFactory();
    }

    private void keytool(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 7];
        command[0] = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        System.arraycopy(new String[] {"-storetype", "PKCS12", "-keystore", folder.resolve("store").toString(), "-storepass", SECRET}, 0, command,
                arguments.length + 1, 6);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private BoundName bind(DirectoryInMemory directory, String options) throws Exception {
        String password = LdapAddress.passwordFile(folder, Slapd.PASSWORD).toString();
        try (LdapNames names = new LdapNames(LdapConfig.parse("ldaps://127.0.0.1:" + directory.port() + "/" + Slapd.BASE + "?user="
                + Slapd.USER + "&password-file=" + password + options))) {
            return names.bind(Name.parse("a"), NameRecord.of(Map.of())).toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        }
    }

    private String refusal(DirectoryInMemory directory, String options) throws Exception {
        try {
            bind(directory, options);
        } catch (CompletionException e) {
            assertThat(((NameException) e.getCause()).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
            return e.getCause().getMessage();
        }
        throw new AssertionError("it was not refused");
    }

    @Test
    void anAuthorityOfAFileIsTrustedAndAnUnknownOneIsNot() throws Exception {
        try (DirectoryInMemory directory = DirectoryInMemory.start(LdapSchema.ldif(), sockets("ip:127.0.0.1"))) {
            assertThat(refusal(directory, "")).contains("has no certificate that is trusted here for 127.0.0.1: give its authority with ca=");
            assertThat(bind(directory, "&ca=" + folder.resolve("ca.pem")).version()).isEqualTo(1);
            assertThat(refusal(directory, "&ca=" + folder.resolve("absent.pem"))).contains("absent.pem");
            Files.writeString(folder.resolve("no.pem"), "no certificate");
            assertThat(refusal(directory, "&ca=" + folder.resolve("no.pem"))).contains("has no certificate");
        }
    }

    @Test
    void aCertificateOfAnotherHostIsRefused() throws Exception {
        try (DirectoryInMemory directory = DirectoryInMemory.start(LdapSchema.ldif(), sockets("ip:192.0.2.1"))) {
            assertThat(refusal(directory, "&ca=" + folder.resolve("ca.pem"))).contains("has no certificate that is trusted here for 127.0.0.1");
        }
    }
}
