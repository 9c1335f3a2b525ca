package org.posthouse.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an authority revokes and renews, and what is made of it at a relay. */
class RevokedKeysTest {
    @TempDir
    private Path folder;

    private GridAuthority authority;

    @BeforeEach
    void issueThree() throws KeysException {
        authority = GridAuthority.init(folder.resolve("authority"), 30);
        for (String site : List.of("a", "b", "c")) {
            authority.issue(site, 10, site(site));
        }
    }

    @Test
    void refusesFoldersAndFilesThatOthersMayChange() throws Exception {
        Path keys = site("a");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> SiteKeys.load(keys)).hasMessageContaining("rwxrwx---").hasMessageContaining("chmod go-w");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(keys.resolve("authority.pem"), PosixFilePermissions.fromString("rw-r--rw-"));
        assertThatThrownBy(() -> SiteKeys.load(keys)).hasMessageContaining("authority.pem").hasMessageContaining("whom this site trusts");
    }

    /** A peer may send what no authority of ours has signed. */
    @Test
    void aListWhoseNumberIsTooLongIsNone() throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("EC").generateKeyPair();
        byte[] list = new JcaX509v2CRLBuilder(new X500Principal("CN=strangers"), new Date())
                .addExtension(Extension.cRLNumber, false, new ASN1Integer(BigInteger.ONE.shiftLeft(64)))
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()))
                .getEncoded();
        assertThatThrownBy(() -> RevocationList.parse(list, "LINK_REVOKED from x")).isInstanceOf(KeysException.class).hasMessageContaining("more than 64 bits");
    }

    @Test
    void revokesASiteOrOneCertificateAndNumbersTheLists() throws IOException {
        SiteCertificate first = authority.issue("x", 5, folder.resolve("x1"));
        SiteCertificate second = authority.issue("x", 5, folder.resolve("x2"));
        assertThat(authority.revoke(first.serial())).containsExactlyElementsOf(issued(first));
        assertThat(KeysFolder.read(authority.folder()).entries())
                .filteredOn(KeysFolder.Entry::revoked)
                .extracting(KeysFolder.Entry::certificate)
                .containsExactlyElementsOf(issued(first));
        assertThat(authority.revoke("x")).containsExactlyElementsOf(issued(second));
        assertThat(authority.revoke("0" + first.serial().toUpperCase(Locale.ROOT).replaceAll("(?<=.)(?=.)", ":")))
                .as("as other programs write it, and revoked before")
                .isEmpty();
        assertThat(authority.revoke("x")).as("none that was not revoked before").isEmpty();
        authority.tellRevoked(folder.resolve("x1"));
        assertThat(SiteKeys.load(folder.resolve("x1")).revocations().number()).isEqualTo(2);
        assertThatThrownBy(() -> authority.revoke("nobody")).hasMessageContaining("nobody").hasMessageContaining("keys show");
        assertThat(SiteKeys.load(issuedAfter("y")).revocations().size()).as("a new site knows at once").isEqualTo(2);
    }

    /** From a copy, or beside its copy, it numbers lists that others have had: nothing of those is lost, and its own counts. */
    @Tag("long")
    @Test
    void copiedAuthorityPreservesEarlierRevocations() throws IOException {
        SiteCertificate certificateB = SiteKeys.load(site("b")).certificate();
        SiteCertificate certificateC = SiteKeys.load(site("c")).certificate();
        LinkKeys relay = new LinkKeys(SiteKeys.load(site("a")));
        authority.revoke("b");
        authority.tellRevoked(site("a"));
        assertThat(relay.replace(SiteKeys.load(site("a")))).isTrue();
        for (int copies = 1; copies <= 2; copies++) {
            Files.delete(authority.folder().resolve("revoked.pem"));
            GridAuthority copy = GridAuthority.open(authority.folder());
            if (copies == 1) {
                copy.revoke("c");
                copy.tellRevoked(site("a"));
                assertThat(relay.replace(SiteKeys.load(site("a")))).isTrue();
            } else {
                copy.renew("a", 5, site("a"));
                copy.renew("a", 5, site("a"));
                assertThat(SiteKeys.load(site("a")).revocations().number()).as("a new one only where there is something to say").isEqualTo(3);
            }
            assertThat(SiteKeys.load(site("a")).revocations().revoked()).hasSize(2);
            assertThat(KeysFolder.read(authority.folder()).entries()).filteredOn(KeysFolder.Entry::revoked).hasSize(2);
        }
        assertThat(List.of(relay.isRevoked(certificateB), relay.isRevoked(certificateC))).containsExactly(true, true);
    }

    /** Its number may be that of the list in force. */
    @Test
    void warnsOfAListThatIsPassedOver() throws IOException {
        LinkKeys relay = new LinkKeys(SiteKeys.load(site("a")));
        authority.revoke("b");
        authority.tellRevoked(site("a"));
        relay.replace(SiteKeys.load(site("a")));
        byte[] first = relay.revocations().encoded();
        Path list = authority.folder().resolve("revoked.pem");
        Files.delete(list);
        authority.revoke("c");
        Files.copy(list, site("a").resolve("revoked.pem"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(relay.replace(SiteKeys.load(site("a")))).isFalse();
        assertThat(relay.status(Map.of(), Instant.now()).warnings()).singleElement().asString()
                .contains("list 1 of revoked certificates, of " + site("a").resolve("revoked.pem"), "is passed over for list 1", "--into");
        LinkKeys peer = new LinkKeys(SiteKeys.load(site("a")));
        assertThat(peer.take(first, "LINK_REVOKED from b")).isFalse();
        assertThat(peer.status(Map.of(), Instant.now()).warnings()).singleElement().asString().contains("of LINK_REVOKED from b");
        KeyFiles.replaceRevocations(site("a").resolve("revoked.pem"), first);
        assertThat(relay.replace(SiteKeys.load(site("a")))).as("what was in force is put back").isFalse();
        assertThat(relay.status(Map.of(), Instant.now()).warnings()).as("and what was passed over stays told").hasSize(1);
        authority.tellRevoked(site("a"));
        assertThat(relay.replace(SiteKeys.load(site("a")))).isTrue();
        assertThat(relay.status(Map.of(), Instant.now()).warnings()).isEmpty();
    }

    /** Its relays would refuse to start, and would not know any more what their own authority has revoked. */
    @Test
    void tellsNoSiteOfAnotherGrid() throws IOException {
        GridAuthority other = GridAuthority.init(folder.resolve("strangers"), 10);
        Path theirs = folder.resolve("theirs");
        other.issue("a", 5, theirs);
        other.issue("z", 5, folder.resolve("z"));
        other.revoke("z");
        other.tellRevoked(theirs);
        authority.revoke("c");
        assertThatThrownBy(() -> authority.tellRevoked(theirs))
                .hasMessageContainingAll(theirs.resolve("authority.pem") + " is another authority's than that in " + authority.folder(), "right folder");
        assertThatThrownBy(() -> authority.tellRevoked(folder)).hasMessageContainingAll(folder.resolve("authority.pem").toString(), "is missing");
        assertThat(SiteKeys.load(theirs).revocations().size()).isEqualTo(1);
        assertThat(folder.resolve("revoked.pem")).doesNotExist();
    }

    @Test
    void renewsOnlyCertificatesOfTheSameSiteAndGrid() throws IOException {
        assertThatThrownBy(() -> authority.renew("a", 5, folder.resolve("none"))).hasMessageContaining("is missing");
        assertThatThrownBy(() -> authority.renew("b", 5, site("a"))).hasMessageContaining("site b").hasMessageContaining("right folder");
        GridAuthority other = GridAuthority.init(folder.resolve("strangers"), 10);
        assertThatThrownBy(() -> other.renew("a", 5, site("a"))).hasMessageContaining("is none that the authority");
        assertThatThrownBy(() -> authority.renew("a", 50, site("a"))).hasMessageContaining("outlive");
        SiteCertificate renewed = authority.renew("a", 20, site("a"));
        assertThat(SiteKeys.load(site("a")).certificate().serial()).isEqualTo(renewed.serial());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(site("a").resolve("site.key")))).isEqualTo("rw-------");
        assertThat(site("a").resolve("site.key.new")).doesNotExist();
    }

    @Test
    void warnsBeforeCertificatesEndAndWhereTheyHaveNotBegun() throws Exception {
        Instant now = Instant.now();
        Path keys = folder.resolve("near");
        authority.issue("a", now.minus(Duration.ofDays(300)), now.plus(Duration.ofDays(29)), keys);
        LinkKeys near = new LinkKeys(SiteKeys.load(keys));
        SiteCertificate peer = SiteKeys.load(site("b")).certificate();
        Map<String, SiteCertificate> peers = Map.of("b", peer);
        assertThat(near.status(peers, now).warnings()).singleElement().asString().contains("of site a expires").contains("renew");
        assertThat(near.status(peers, now.plus(Duration.ofDays(8))).warnings()).hasSize(2).last().asString().contains("of relay b");
        List<String> late = near.status(peers, now.plus(Duration.ofDays(29).plusMinutes(1))).warnings();
        assertThat(late).hasSize(3).first().asString().contains("of site a expired").contains("links that are up stay");
        assertThat(late.get(1)).contains("grid's authority expires");
        List<String> early = near.status(peers, now.minus(Duration.ofDays(2))).warnings();
        assertThat(early).as("by a clock that was set back").hasSize(2).first().asString().contains("grid's authority is not valid before", "clock");
        assertThat(early.get(1)).contains("of relay b is not valid before " + peer.notBefore(), "links that are up stay");
        assertThat(LinkKeys.isNear(now, now.plus(Duration.ofDays(3)), now.plus(Duration.ofHours(47)))).isFalse();
        assertThat(LinkKeys.isNear(now, now.plus(Duration.ofDays(3)), now.plus(Duration.ofHours(49)))).isTrue();
    }

    private static List<SiteCertificate> issued(SiteCertificate one) {
        String copy = one.site() + "-" + one.serial() + ".pem";
        Path file = one.file().getParent().resolveSibling("authority").resolve("issued").resolve(copy);
        return List.of(new SiteCertificate(one.site(), one.node(), one.serial(), one.notBefore(), one.notAfter(), one.authority(), file));
    }

    private Path issuedAfter(String site) throws KeysException {
        authority.issue(site, 5, folder.resolve(site));
        return folder.resolve(site);
    }

    private Path site(String site) {
        return folder.resolve("site-" + site);
    }
}
