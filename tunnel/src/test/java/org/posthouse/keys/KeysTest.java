package org.posthouse.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of {@code posthouse keys}: rights, contents, and what is said of broken ones. */
class KeysTest {
    @TempDir
    private Path folder;

    private GridAuthority authority;
    private Path home;
    private Path lyon;

    @BeforeEach
    void init() throws IOException {
        home = folder.resolve("authority");
        lyon = folder.resolve("lyon");
        authority = GridAuthority.init(home, 365);
        authority.issue("lyon", 30, lyon);
    }

    @Test
    void writesFilesForTheOwnerOnly() throws IOException {
        assertThat(rights(home)).isEqualTo("rwx------");
        assertThat(rights(lyon)).isEqualTo("rwx------");
        assertThat(rights(home.resolve("authority.key"))).isEqualTo("rw-------");
        assertThat(rights(lyon.resolve("site.key"))).isEqualTo("rw-------");
        assertThat(rights(lyon.resolve("site.pem"))).isEqualTo("rw-r--r--");
        try (Stream<Path> files = Files.list(lyon)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("site.key", "site.pem", "authority.pem");
        }
    }

    @Test
    void loadsIssuedSiteKeys() throws IOException {
        SiteKeys keys = SiteKeys.load(lyon);
        assertThat(keys.site()).isEqualTo("lyon");
        assertThat(keys.certificate().notAfter())
                .isBetween(Instant.now().plus(Duration.ofDays(29)), Instant.now().plus(Duration.ofDays(30)));
        X509Certificate certificate = KeyFiles.readCertificate(lyon.resolve("site.pem"));
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=lyon");
        assertThat(certificate.getBasicConstraints()).as("no authority itself").isEqualTo(-1);
    }

    @Test
    void listsIssuedCertificatesWithDistinctSerials() throws IOException {
        authority.issue("nancy", 10, folder.resolve("nancy"));
        GridAuthority opened = GridAuthority.open(home);
        assertThat(opened.issued()).extracting(SiteCertificate::site).containsExactlyInAnyOrder("lyon", "nancy");
        assertThat(opened.issued()).extracting(SiteCertificate::serial).doesNotHaveDuplicates();
        assertThat(SiteKeys.load(lyon).certificate().serial())
                .isIn(opened.issued().stream().map(SiteCertificate::serial).toList());
    }

    @Test
    void neverOverwrites() throws IOException {
        byte[] key = Files.readAllBytes(home.resolve("authority.key"));
        byte[] siteKey = Files.readAllBytes(lyon.resolve("site.key"));
        assertThatThrownBy(() -> GridAuthority.init(home, 10))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("authority.key exists");
        assertThatThrownBy(() -> authority.issue("lyon", 10, lyon))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("site.key exists");
        assertThat(Files.readAllBytes(home.resolve("authority.key"))).isEqualTo(key);
        assertThat(Files.readAllBytes(lyon.resolve("site.key"))).isEqualTo(siteKey);
        assertThat(authority.issued()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Lyon", "a_b", "a.b", "../x", "a b", "lyön",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    void refusesNamesThatAreNoSite(String name) {
        assertThatThrownBy(() -> authority.issue(name, 10, folder.resolve("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 63");
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void issuesForAllTheDaysOfTheAuthority() throws IOException {
        assertThat(authority.issue("x", 365, folder.resolve("x")).notAfter()).isEqualTo(authority.notAfter());
    }

    @Test
    void refusesValiditiesThatMakeNoSense() {
        assertThatThrownBy(() -> authority.issue("x", 366, folder.resolve("x"))).hasMessageContaining("outlive");
        assertThatThrownBy(() -> authority.issue("x", 0, folder.resolve("x"))).hasMessageContaining("0 days");
        assertThatThrownBy(() -> authority.issue("x", 400, folder.resolve("x")))
                .hasMessageContaining("outlive the authority");
        assertThatThrownBy(() -> GridAuthority.init(folder.resolve("y"), 36_501)).hasMessageContaining("36501");
    }

    @ParameterizedTest
    @ValueSource(strings = {"site.key", "site.pem", "authority.pem"})
    void namesTheFileThatIsMissingOrNoPem(String name) throws IOException {
        Files.delete(lyon.resolve(name));
        assertThatThrownBy(() -> SiteKeys.load(lyon))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("is missing");
        Files.writeString(lyon.resolve(name), "");
        Files.setPosixFilePermissions(lyon.resolve(name), PosixFilePermissions.fromString("rw-------"));
        for (String content : List.of("", "not a PEM file\n", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
                "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n")) {
            Files.writeString(lyon.resolve(name), content);
            assertThatThrownBy(() -> SiteKeys.load(lyon))
                    .isInstanceOf(KeysException.class)
                    .hasMessageContainingAll(name, "expected what begins with -----BEGIN ", "posthouse keys")
                    .message().doesNotContain("java.");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----"})
    void refusesAKeyThatOthersMayTouch(String rights) throws IOException {
        Files.setPosixFilePermissions(lyon.resolve("site.key"), PosixFilePermissions.fromString(rights));
        assertThatThrownBy(() -> SiteKeys.load(lyon))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("site.key")
                .hasMessageContaining(rights)
                .hasMessageContaining("chmod 600");
    }

    /** Who renews a certificate replaces two files, one after the other. */
    @Test
    void unreadableKeysAreReportedOnceOnTheSecondLoad() throws IOException {
        KeyWatch watch = watch();
        assertThat(watch.load()).as("nothing has changed").isNull();
        byte[] good = Files.readAllBytes(lyon.resolve("site.pem"));
        Files.writeString(lyon.resolve("site.pem"), "spoilt");
        assertThat(watch.load()).isNull();
        assertThatThrownBy(watch::load).isInstanceOf(KeysException.class).hasMessageContaining("site.pem");
        assertThat(watch.load()).isNull();
        Files.write(lyon.resolve("site.pem"), good);
        assertThat(watch.load().site()).isEqualTo("lyon");
        assertThat(watch.load()).isNull();
    }

    /** They look as they did when they were loaded: what was told of them would stand for ever. */
    @Test
    void keysThatAreAsTheyWereBeforeTheyWereSpoiltAreLoadedAgain() throws IOException {
        KeyWatch watch = watch();
        Files.setPosixFilePermissions(lyon.resolve("site.key"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(watch.load()).isNull();
        assertThatThrownBy(watch::load).hasMessageContaining("chmod 600");
        Files.setPosixFilePermissions(lyon.resolve("site.key"), PosixFilePermissions.fromString("rw-------"));
        assertThat(watch.load()).isNotNull();
    }

    /** One that looks when the test does: nothing of it runs on a loop. */
    private KeyWatch watch() throws KeysException {
        return new KeyWatch(null, SiteKeys.load(lyon), keys -> {}, problem -> {});
    }

    @Test
    void refusesExpiredAndEarlyCertificates() throws IOException {
        Instant now = Instant.now();
        Path expired = folder.resolve("expired");
        authority.issue("lyon", now.minusSeconds(7200), now.minusSeconds(3600), expired);
        assertThatThrownBy(() -> SiteKeys.load(expired))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("expired");
        Path early = folder.resolve("early");
        authority.issue("lyon", now.plusSeconds(3600), now.plusSeconds(7200), early);
        assertThatThrownBy(() -> SiteKeys.load(early)).isInstanceOf(KeysException.class).hasMessageContaining("clock");
    }

    @Test
    void refusesFilesOfDifferentIssues() throws IOException {
        Path nancy = folder.resolve("nancy");
        authority.issue("nancy", 10, nancy);
        copy(nancy, lyon, "site.key");
        assertThatThrownBy(() -> SiteKeys.load(lyon))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("does not belong to the certificate");
        GridAuthority other = GridAuthority.init(folder.resolve("other"), 10);
        Path metz = folder.resolve("metz");
        other.issue("metz", 10, metz);
        copy(nancy, metz, "authority.pem");
        assertThatThrownBy(() -> SiteKeys.load(metz))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("not of the authority");
        copy(folder.resolve("other"), home, "authority.pem");
        assertThatThrownBy(() -> GridAuthority.open(home))
                .isInstanceOf(KeysException.class)
                .hasMessageContaining("authority.key");
    }

    @Test
    void showsAFolderWhetherItIsValidOrNot() throws IOException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Path expired = folder.resolve("expired");
        authority.issue("nancy", now.minusSeconds(7200), now.minusSeconds(3600), expired);
        Path early = folder.resolve("early");
        authority.issue("metz", now.plusSeconds(3600), now.plusSeconds(7200), early);
        assertThat(KeysFolder.read(home).ofSite()).isFalse();
        assertThat(KeysFolder.read(home).entries())
                .extracting(entry -> entry.certificate().site())
                .containsExactly("nancy", "lyon", "metz");
        assertThat(KeysFolder.read(early).entries())
                .singleElement()
                .matches(entry -> entry.certificate().notBefore().equals(now.plusSeconds(3600)) && !entry.revoked());
        KeysFolder shown = KeysFolder.read(expired);
        assertThat(shown.ofSite()).isTrue();
        assertThat(shown.authorityNotAfter()).isEqualTo(authority.notAfter());
        assertThat(shown.entries())
                .singleElement()
                .matches(entry -> entry.certificate().notAfter().equals(now.minusSeconds(3600)) && !entry.revoked());
    }

    @Test
    void keysFolderShowsRevocationFromItsOwnList() throws IOException {
        authority.issue("nancy", 10, folder.resolve("nancy"));
        authority.revoke("lyon");
        assertThat(KeysFolder.read(lyon).entries()).extracting(KeysFolder.Entry::revoked).containsExactly(false);
        authority.tellRevoked(lyon);
        authority.tellRevoked(folder.resolve("nancy"));
        assertThat(KeysFolder.read(lyon).entries()).extracting(KeysFolder.Entry::revoked).containsExactly(true);
        assertThat(KeysFolder.read(folder.resolve("nancy")).entries()).extracting(KeysFolder.Entry::revoked).containsExactly(false);
    }

    /** Whoever has a revoked key would be let in again, and nobody would be told. */
    @Test
    void aCertificateStaysRevokedThoughTheAuthorityHasLostItsCopy() throws IOException {
        Instant now = Instant.now();
        SiteCertificate lost = authority.issue("metz", 10, folder.resolve("metz"));
        SiteCertificate over = authority.issue("nancy", now.minusSeconds(100), now.plusSeconds(2), folder.resolve("nancy"));
        authority.revoke("metz");
        authority.revoke("nancy");
        Files.delete(home.resolve("issued").resolve("metz-" + lost.serial() + ".pem"));
        await().until(() -> Instant.now().isAfter(over.notAfter()));
        authority.revoke("lyon");
        RevocationList list = KeyFiles.readRevocations(home.resolve("revoked.pem"), KeyFiles.readCertificate(home.resolve("authority.pem")));
        assertThat(list.holds(lost)).isTrue();
        assertThat(list.holds(SiteKeys.load(lyon).certificate())).isTrue();
        assertThat(list.holds(over)).as("it has expired").isFalse();
    }

    /** A relay that was away hears of an older list from one peer and of the newest from another, nearly at once. */
    @Test
    void newestRevocationListWinsInAnyWriteOrder() throws Exception {
        Vertx vertx = Vertx.vertx();
        List<String> problems = new CopyOnWriteArrayList<>();
        try {
            ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
            KeyWatch watch = new KeyWatch(context, SiteKeys.load(lyon), keys -> {}, problems::add);
            X509Certificate certificate = KeyFiles.readCertificate(home.resolve("authority.pem"));
            PrivateKey key = KeyFiles.readKey(home.resolve("authority.key"));
            RevocationList newest = RevocationList.NONE;
            for (int i = 0; i < 100; i++) {
                newest = newest.next(Map.of(BigInteger.valueOf(i), Instant.now()), certificate, key);
                keep(context, watch, newest, certificate);
            }
            done(context);
            Path file = lyon.resolve("revoked.pem");
            await().during(Duration.ofMillis(200)).until(() -> KeyFiles.readRevocations(file, certificate).number() == 100);
            newest.next(Map.of(), certificate, key).write(file);
            keep(context, watch, newest, certificate);
            done(context);
            assertThat(KeyFiles.readRevocations(file, certificate).number()).as("put there since the last look").isEqualTo(101);
            Files.writeString(file, "spoilt");
            keep(context, watch, newest, certificate);
            done(context);
            assertThat(KeyFiles.readRevocations(file, certificate).number()).isEqualTo(100);
            assertThat(problems).isEmpty();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    private static void keep(ContextInternal context, KeyWatch watch, RevocationList list, X509Certificate authority) {
        context.runOnContext(now -> watch.keep(list, authority));
    }

    /** Waits until what was to be done in the background so far is done. */
    private static void done(ContextInternal context) throws Exception {
        CompletableFuture<Void> behind = new CompletableFuture<>();
        context.runOnContext(now -> context.executeBlocking(() -> behind.complete(null), true));
        behind.get(60, TimeUnit.SECONDS);
    }

    @Test
    void errorForMissingKeysFolderNamesItsExpectedFiles() throws IOException {
        assertThatThrownBy(() -> KeysFolder.read(folder))
                .isInstanceOf(KeysException.class)
                .message()
                .startsWith(folder + " is no keys folder: ")
                .contains("authority.pem and issued/", "site.pem", "posthouse keys init", "posthouse keys issue")
                .hasLineCount(1);
        Files.delete(lyon.resolve("authority.pem"));
        assertThatThrownBy(() -> KeysFolder.read(lyon)).hasMessageContaining("authority.pem is missing");
    }

    private static void copy(Path from, Path to, String name) throws IOException {
        Files.copy(from.resolve(name), to.resolve(name),
                StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private static String rights(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
