package org.posthouse.keys;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.posthouse.causes.Causes;
import org.posthouse.wire.ChannelBinding;

/**
 * A site's keys folder in memory: its own certificate and key, and the authority of its peers. Immutable; loaded before
 * any port is opened, because loading blocks.
 */
public final class SiteKeys {
    private final SiteCertificate certificate;
    private final X509Certificate own;
    private final PrivateKey key;
    private final X509Certificate authority;
    private final RevocationList revocations;
    private final TlsEngines engines;

    /** The stamp of the files before they were read. */
    private final String stamp;

    /** The proof object of the relay that was started with these keys. */
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
     * Reads site.key, site.pem, authority.pem and, if it exists, revoked.pem from {@code folder}.
     *
     * @throws KeysException one line naming the file. It is missing, unreadable, readable or writable by others,
     *         expired, not of this authority, not of this key, or without a site's name
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

    /**
     * Creates an engine for a connection that a rank, launcher or agent has dialled. The other end may show a
     * certificate of the authority, and none of another.
     */
    public SSLEngine engineForRanks(boolean natively, ByteBufAllocator allocator) {
        return engines.engineForRanks(natively, allocator);
    }

    /**
     * Has a TLS handshake with a relay over a connected socket, for a look at it: nothing is sent afterwards. Blocks, as
     * long as the socket's time limit says.
     *
     * @return the certificate that the relay has shown
     * @throws IOException if it speaks no TLS, or shows a certificate that is not of this authority or not valid now
     */
    public SiteCertificate greet(Socket connected) throws IOException {
        try (SSLSocket socket = engines.socket(connected)) {
            socket.startHandshake();
            return SiteCertificate.of((X509Certificate) socket.getSession().getPeerCertificates()[0]);
        }
    }

    /** What both ends' proofs say of a TLS connection at which this end shows its certificate. */
    public ChannelBinding binding() {
        try {
            return ChannelBinding.ofCertificate(own.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("the certificate of site " + site() + " has no encoding", e);
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
     * Signs and verifies outside of links for the relay that was started with these keys. It follows later changes of
     * that relay's keys.
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

    /**
     * The site's certificate from {@code own}, which was read from {@code file}, whether it is valid now or not.
     *
     * @throws KeysException if it names no site, or is of another authority
     */
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
