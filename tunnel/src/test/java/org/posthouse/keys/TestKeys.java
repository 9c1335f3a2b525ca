package org.posthouse.keys;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** What tests of links do with keys, and {@code posthouse keys} does not. Stateless. */
public final class TestKeys {
    private TestKeys() {}

    /** A certificate for any time. */
    public static SiteCertificate issue(GridAuthority authority, String site, Instant from, Instant to, Path into) throws KeysException {
        return authority.issue(site, from, to, into);
    }

    /** Puts a certificate into a site's keys folder that says that the authority there has signed it; it has signed itself. */
    public static X509Certificate forge(Path keys, String site, Instant from, Instant to) throws KeysException {
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate authority = KeyFiles.readCertificate(keys.resolve(GridAuthority.AUTHORITY_CERTIFICATE));
        X509Certificate forgery = Certificates.site(site, pair.getPublic(), authority, pair.getPrivate(), from, to);
        KeyFiles.replaceKey(keys.resolve(GridAuthority.SITE_KEY), pair.getPrivate());
        KeyFiles.replaceCertificate(keys.resolve(GridAuthority.SITE_CERTIFICATE), forgery);
        return forgery;
    }

    /** A certificate of the authority in that folder, for a name that is no site's. */
    public static void issueNameless(Path authority, Path into) throws IOException {
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate certificate = Certificates.site(
                "NO-SITE",
                pair.getPublic(),
                KeyFiles.readCertificate(authority.resolve("authority.pem")),
                KeyFiles.readKey(authority.resolve("authority.key")),
                Instant.now().minusSeconds(60),
                Instant.now().plusSeconds(3600));
        Files.createDirectories(into);
        KeyFiles.writeCertificate(into.resolve(GridAuthority.SITE_CERTIFICATE), certificate);
        KeyFiles.writeKey(into.resolve(GridAuthority.SITE_KEY), pair.getPrivate());
    }

    public static X509Certificate certificate(Path keys) throws KeysException {
        return KeyFiles.readCertificate(keys.resolve(GridAuthority.SITE_CERTIFICATE));
    }

    public static PrivateKey key(Path keys) throws KeysException {
        return KeyFiles.readKey(keys.resolve(GridAuthority.SITE_KEY));
    }

    /** The list in a site's keys folder, or in an authority's. */
    public static RevocationList revocations(Path keys) throws KeysException {
        return KeyFiles.readRevocations(
                keys.resolve(GridAuthority.REVOKED), KeyFiles.readCertificate(keys.resolve(GridAuthority.AUTHORITY_CERTIFICATE)));
    }
}
