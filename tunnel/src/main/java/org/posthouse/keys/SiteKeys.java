package org.posthouse.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import org.posthouse.causes.Causes;

/**
 * A site's keys folder in memory: its own certificate and key, and the authority that its peers must be of.
 * Immutable; loaded before any port is opened, because loading blocks.
 */
public final class SiteKeys {
    private final SiteCertificate certificate;
    private final X509Certificate own;
    private final PrivateKey key;
    private final X509Certificate authority;
    private final RevocationList revocations;
    private final TlsEngines engines;

    /** How the files looked before they were read. */
    private final String stamp;

    /** Of the relay that was started with these keys. */
    private final SiteProof proof;

    private SiteKeys(
            SiteCertificate certificate,
            X509Certificate own,
            PrivateKey key,
            X509Certificate authority,
            RevocationList revocations,
            TlsEngines engines,
            String stamp) {
        this.certificate = certificate;
        this.own = own;
        this.key = key;
        this.authority = authority;
        this.revocations = revocations;
        this.engines = engines;
        this.stamp = stamp;
        this.proof = new SiteProof(this);
    }

    /**
     * Reads site.key, site.pem, authority.pem and, if it is there, revoked.pem from {@code folder}.
     *
     * @throws KeysException one line naming the file that is missing, unreadable, readable or writable by others, expired, not
     *     of this authority, not of this key, or without a site's name
     */
    public static SiteKeys load(Path folder) throws KeysException {
        String stamp = KeyWatch.stamp(folder);
        Path certificateFile = folder.resolve(GridAuthority.SITE_CERTIFICATE);
        Path keyFile = folder.resolve(GridAuthority.SITE_KEY);
        Path authorityFile = folder.resolve(GridAuthority.AUTHORITY_CERTIFICATE);
        X509Certificate authority = KeyFiles.readCertificate(authorityFile);
        X509Certificate own = KeyFiles.readCertificate(certificateFile);
        PrivateKey key = KeyFiles.readKey(keyFile);
        SiteCertificate certificate = certificate(own, authority, certificateFile);
        Certificates.requireValidNow(authority, authorityFile);
        Certificates.requireValidNow(own, certificateFile);
        Certificates.requireMatch(own, key, keyFile);
        KeyFiles.requireUnwritable(
                folder, GridAuthority.SITE_CERTIFICATE, GridAuthority.AUTHORITY_CERTIFICATE, GridAuthority.REVOKED);
        RevocationList revocations = KeyFiles.readRevocations(folder.resolve(GridAuthority.REVOKED), authority);
        try {
            return new SiteKeys(certificate, own, key, authority, revocations, new TlsEngines(authority, own, key), stamp);
        } catch (GeneralSecurityException | IOException e) {
            throw new KeysException("TLS cannot use the keys in " + folder + ": " + Causes.text(e), e);
        }
    }

    SiteCertificate certificate() {
        return certificate;
    }

    public String site() {
        return certificate.site();
    }

    Path folder() {
        return certificate.file().getParent();
    }

    /**
     * What the relay that was started with these keys proves itself by where there is no link: it goes with the keys that come into force at
     * that relay's links later.
     */
    public SiteProof proof() {
        return proof;
    }

    X509Certificate own() {
        return own;
    }

    PrivateKey key() {
        return key;
    }

    X509Certificate authority() {
        return authority;
    }

    RevocationList revocations() {
        return revocations;
    }

    String stamp() {
        return stamp;
    }

    TlsEngines engines() {
        return engines;
    }

    /** What {@code own}, read from {@code file}, says, whether it is valid now or not. @throws KeysException if it is no site's, or of another authority */
    static SiteCertificate certificate(X509Certificate own, X509Certificate authority, Path file) throws KeysException {
        SiteCertificate certificate = SiteCertificate.of(own, file);
        if (certificate.site().isEmpty()) {
            throw new KeysException("the certificate " + file + " names no site: issue one with posthouse keys");
        }
        if (!Certificates.isSigned(own, authority)) {
            throw new KeysException("the certificate " + file + " is not of the authority beside it: copy the files of one issue");
        }
        return certificate;
    }
}
