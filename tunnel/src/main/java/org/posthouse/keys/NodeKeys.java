package org.posthouse.keys;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.posthouse.causes.Causes;

/**
 * A node's keys folder in memory: the certificate by which its agent proves its identity to the relays of its site, and
 * the grid's authority, by which it knows these relays. Immutable; loading blocks.
 */
public final class NodeKeys {
    private final SiteCertificate certificate;
    private final SSLContext context;

    private NodeKeys(SiteCertificate certificate, SSLContext context) {
        this.certificate = certificate;
        this.context = context;
    }

    /**
     * Reads node.key, node.pem, authority.pem and, if it exists, revoked.pem from {@code folder}.
     *
     * @throws KeysException as {@link SiteKeys#load}
     */
    public static NodeKeys load(Path folder) throws KeysException {
        Path file = folder.resolve(GridAuthority.NODE_CERTIFICATE);
        Path keyFile = folder.resolve(GridAuthority.NODE_KEY);
        Path authorityFile = folder.resolve(GridAuthority.AUTHORITY_CERTIFICATE);
        X509Certificate authority = KeyFiles.readCertificate(authorityFile);
        X509Certificate own = KeyFiles.readCertificate(file);
        PrivateKey key = KeyFiles.readKey(keyFile);
        SiteCertificate certificate = certificate(own, authority, file);
        Certificates.requireValidNow(authority, authorityFile);
        Certificates.requireValidNow(own, file);
        Certificates.requireMatch(own, key, keyFile);
        KeyFiles.requireUnwritable(folder, GridAuthority.NODE_CERTIFICATE, GridAuthority.AUTHORITY_CERTIFICATE, GridAuthority.REVOKED);
        RevocationList revocations = KeyFiles.readRevocations(folder.resolve(GridAuthority.REVOKED), authority);
        try {
            X509ExtendedTrustManager trust = new AuthorityCheck(TlsEngines.trust(authority), authority, false);
            return new NodeKeys(certificate, TlsEngines.context(new OwnSite(trust, certificate.siteOfNode(), revocations), own, key));
        } catch (GeneralSecurityException | IOException e) {
            throw new KeysException("TLS cannot use the keys in " + folder + ": " + Causes.text(e), e);
        }
    }

    /** The node's certificate from a file, valid now or not. @throws KeysException if it is none, or of another authority */
    static SiteCertificate certificate(X509Certificate own, X509Certificate authority, Path file) throws KeysException {
        SiteCertificate certificate = SiteCertificate.of(own, file);
        if (certificate.node().isEmpty()) {
            throw new KeysException("the certificate " + file + " names no node: issue one with posthouse keys issue --node");
        }
        if (!Certificates.isSigned(own, authority)) {
            throw new KeysException("the certificate " + file + " is not of the authority beside it: copy the files of one issue");
        }
        return certificate;
    }

    /** The node's name, without its site. */
    public String name() {
        return certificate.node().substring(certificate.siteOfNode().length() + 1);
    }

    /** TLS that shows the node's certificate, and accepts those of its site only. */
    public SSLContext context() {
        return context;
    }

    /** Accepts certificates of the authority that name the node's own site and were not revoked. */
    private static final class OwnSite extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager trust;
        private final String site;
        private final RevocationList revocations;

        OwnSite(X509ExtendedTrustManager trust, String site, RevocationList revocations) {
            this.trust = trust;
            this.site = site;
            this.revocations = revocations;
        }

        private void require(X509Certificate shown) throws CertificateException {
            SiteCertificate relay = SiteCertificate.of(shown);
            if (!relay.site().equals(site)) {
                throw new CertificateException("the relay's certificate is for site \"" + relay.site() + "\", expected " + site);
            }
            if (revocations.holds(relay)) {
                throw new CertificateException("the relay's certificate, serial " + relay.serial() + ", was revoked");
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
            trust.checkServerTrusted(chain, kind, engine);
            require(chain[0]);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
            trust.checkServerTrusted(chain, kind, socket);
            require(chain[0]);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            trust.checkServerTrusted(chain, kind);
            require(chain[0]);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
            throw new CertificateException("a node accepts no connections");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
            throw new CertificateException("a node accepts no connections");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            throw new CertificateException("a node accepts no connections");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return trust.getAcceptedIssuers();
        }
    }
}
