package org.posthouse.tunnel;

import io.netty.handler.ssl.OpenSslCertificateException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Another's look at a peer's certificate, which says more of what it refuses: of a certificate of this grid that is not valid now, whose it is
 * ({@link NotValidException}); and with native TLS one of another authority is refused with the alert unknown_ca. Left alone it would say internal_error,
 * which tells the other end nothing. As stateless as the other.
 */
final class AuthorityCheck extends X509ExtendedTrustManager {
    /** OpenSSL's X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY. */
    private static final int ISSUER_UNKNOWN = 20;

    private final X509ExtendedTrustManager trust;
    private final X509Certificate authority;
    private final boolean natively;

    AuthorityCheck(X509ExtendedTrustManager trust, X509Certificate authority, boolean natively) {
        this.trust = trust;
        this.authority = authority;
        this.natively = natively;
    }

    private CertificateException named(CertificateException failure, X509Certificate shown) {
        return switch (LinkRefusal.of(failure)) {
            // Both kinds of TLS choose the alert by the cause. Days are looked at before the signature is.
            case EXPIRED, NOT_YET_VALID -> Certificates.isSigned(shown, authority) ? new NotValidException(shown, failure.getCause()) : failure;
            case OTHER_AUTHORITY -> natively ? new OpenSslCertificateException(failure, ISSUER_UNKNOWN) : failure;
            default -> failure;
        };
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        try {
            trust.checkClientTrusted(chain, kind, engine);
        } catch (CertificateException e) {
            throw named(e, chain[0]);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        try {
            trust.checkServerTrusted(chain, kind, engine);
        } catch (CertificateException e) {
            throw named(e, chain[0]);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        trust.checkClientTrusted(chain, kind, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        trust.checkServerTrusted(chain, kind, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        trust.checkClientTrusted(chain, kind);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        trust.checkServerTrusted(chain, kind);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
