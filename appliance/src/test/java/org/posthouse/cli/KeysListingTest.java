package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.KeysFolder;
import org.posthouse.keys.SiteCertificate;

/** What {@code posthouse keys show} says of an authority's folder and of a site's, and where {@code keys revoke} puts no list. */
class KeysListingTest {
    @TempDir
    private Path folder;

    private GridAuthority authority;
    private Path grid;
    private Path keys;
    private SiteCertificate issued;

    @BeforeEach
    void issue() throws IOException {
        grid = folder.resolve("grid");
        keys = folder.resolve("keys-a");
        authority = GridAuthority.init(grid, 50);
        issued = authority.issue("site-a", 5, keys);
    }

    private static String text(Path folder, Duration ahead) throws IOException {
        Instant now = Instant.now().plus(ahead);
        return KeysListing.text(folder, KeysFolder.read(folder), now, now);
    }

    @Test
    void marksCertificatesThatExpireWithinTheAskedDays() throws IOException {
        Instant now = Instant.now();
        Instant until = now.plus(Duration.ofDays(6)).truncatedTo(ChronoUnit.SECONDS);
        assertThat(KeysListing.text(keys, KeysFolder.read(keys), now, until).lines())
                .first(InstanceOfAssertFactories.STRING).endsWith("valid until " + authority.notAfter());
        assertThat(KeysListing.text(keys, KeysFolder.read(keys), now, until).lines())
                .last(InstanceOfAssertFactories.STRING).endsWith(issued.notAfter() + "  EXPIRES BEFORE " + until);
    }

    @Test
    void aSitesFolderHasItsCertificateAndTheEndOfItsAuthority() throws IOException {
        assertThat(text(keys, Duration.ZERO).lines()).containsExactly(
                "keys of a site in " + keys + ", whose authority is valid until " + authority.notAfter(),
                "site-a                   serial " + issued.serial() + "  " + issued.notBefore() + " to " + issued.notAfter());
        assertThat(text(grid, Duration.ZERO).lines()).containsExactly(
                "authority in " + grid + ", valid until " + authority.notAfter(),
                "site-a                   serial " + issued.serial() + "  " + issued.notBefore() + " to " + issued.notAfter());
    }

    @Test
    void nothingIsRevokedIfTheListIsToGoToAnotherGrid() throws IOException {
        Path theirs = folder.resolve("theirs");
        GridAuthority.init(folder.resolve("other"), 10).issue("site-a", 5, theirs);
        assertThat(Posthouse.commandLine().execute(
                "keys", "revoke", "site-a", "--authority", grid.toString(), "--into", keys.toString(), "--into", theirs.toString()))
                .isEqualTo(1);
        assertThat(List.of(grid, keys, theirs)).allSatisfy(each -> assertThat(each.resolve("revoked.pem")).doesNotExist());
    }

    @Test
    void marksExpiredNotYetValidAndRevokedCertificates() throws IOException {
        assertThat(text(keys, Duration.ofDays(6)).lines()).first().asString().doesNotContain("EXPIRED");
        assertThat(text(keys, Duration.ofDays(6)).lines()).last().asString().endsWith(issued.notAfter() + "  EXPIRED");
        assertThat(text(keys, Duration.ofDays(51)).lines()).allMatch(line -> line.endsWith("  EXPIRED"));
        assertThat(text(keys, Duration.ofDays(-1)).lines()).allMatch(line -> line.endsWith("  NOT YET VALID"));
        authority.revoke("site-a");
        assertThat(text(keys, Duration.ZERO)).as("its folder has not been told").doesNotContain("REVOKED");
        authority.tellRevoked(keys);
        assertThat(text(keys, Duration.ZERO).lines()).last().asString().endsWith(issued.notAfter() + "  REVOKED");
    }

    @Test
    void aFolderIsOfUseWhileItsOwnCertificatesAreValid() throws IOException {
        Instant now = Instant.now();
        KeysFolder site = KeysFolder.read(keys);
        assertThat(site.isGood(now)).isTrue();
        assertThat(site.isGood(now.plus(Duration.ofDays(6)))).isFalse();
        assertThat(site.isGood(now.minus(Duration.ofDays(1)))).isFalse();
        assertThat(KeysFolder.read(grid).isGood(now.plus(Duration.ofDays(6)))).as("what it has issued does not matter").isTrue();
        assertThat(KeysFolder.read(grid).isGood(now.plus(Duration.ofDays(51)))).isFalse();
        authority.revoke("site-a");
        authority.tellRevoked(keys);
        assertThat(KeysFolder.read(keys).isGood(now)).isFalse();
        assertThat(KeysFolder.read(grid).isGood(now)).isTrue();
    }

    @Test
    void theStatusSaysSo() {
        assertThat(Posthouse.commandLine().execute("keys", "show", keys.toString())).isZero();
        assertThat(Posthouse.commandLine().execute("keys", "show", keys.toString(), "--days", "4")).isZero();
        assertThat(Posthouse.commandLine().execute("keys", "show", keys.toString(), "--days", "6")).isEqualTo(3);
        assertThat(Posthouse.commandLine().execute("keys", "show", grid.toString(), "--days", "6", "--json")).isZero();
    }

    @Test
    void jsonListingHoldsTheFieldsOfEachCertificate() throws IOException {
        JsonNode all = new ObjectMapper().readTree(KeysListing.json(KeysFolder.read(keys)));
        assertThat(all).hasSize(1).isEqualTo(new ObjectMapper().readTree(KeysListing.json(KeysFolder.read(grid))));
        JsonNode one = all.path(0);
        assertThat(one.path("site").asText()).isEqualTo("site-a");
        assertThat(one.path("serial").asText()).isEqualTo(issued.serial());
        assertThat(one.path("notBefore").asText()).isEqualTo(issued.notBefore().toString());
        assertThat(one.path("notAfter").asText()).isEqualTo(issued.notAfter().toString());
        assertThat(one.path("revoked").asBoolean(true)).isFalse();
        assertThat(one.path("authorityNotAfter").asText()).isEqualTo(authority.notAfter().toString());
    }
}
