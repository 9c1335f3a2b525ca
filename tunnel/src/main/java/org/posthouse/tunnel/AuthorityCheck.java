package org.posthouse.tunnel;

import io.netty.handler.ssl.OpenSslCertificateException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Another's look at a peer's certificate, for native TLS: one of another authority is refused with the alert unknown_ca. Left alone it would say
 * internal_error, which tells the other end nothing. As stateless as the other.
 */
final class AuthorityCheck extends X509ExtendedTrustManager {
    /** OpenSSL's X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY. */
    private static final int ISSUER_UNKNOWN = 20;

    private final X509ExtendedTrustManager trust;

    AuthorityCheck(X509ExtendedTrustManager trust) {
        this.trust = trust;
    }

    private static CertificateException named(CertificateException failure) {
        return Refusal.of(failure) == Refusal.OTHER_AUTHORITY
                ? new OpenSslCertificateException(failure, ISSUER_UNKNOWN)
                : failure;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        try {
            trust.checkClientTrusted(chain, kind, engine);
        } catch (CertificateException e) {
            throw named(e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
        try {
            trust.checkServerTrusted(chain, kind, engine);
        } catch (CertificateException e) {
            throw named(e);
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
