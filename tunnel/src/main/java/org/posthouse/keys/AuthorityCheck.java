package org.posthouse.keys;

import io.netty.handler.ssl.OpenSslCertificateException;
import java.net.Socket;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Wraps a trust manager to give more information about refused certificates. For a certificate of this grid that is not
 * valid now, it names the site ({@link NotValidException}). With native TLS, a certificate of another authority is
 * refused with the alert unknown_ca. Otherwise the alert would be internal_error, which tells the other end nothing. As
 * stateless as the wrapped trust manager.
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
        // Both kinds of TLS choose the alert by the cause. The dates are checked before the signature.
        if (has(failure, cause -> cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException)) {
            return Certificates.isSigned(shown, authority) ? new NotValidException(shown, failure.getCause()) : failure;
        }
        boolean otherAuthority = has(failure, AuthorityCheck::saysNoPath);
        return natively && otherAuthority ? new OpenSslCertificateException(failure, ISSUER_UNKNOWN) : failure;
    }

    private static boolean has(Throwable failure, Predicate<Throwable> cause) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(cause);
    }

    private static boolean saysNoPath(Throwable cause) {
        return cause instanceof CertPathValidatorException || String.valueOf(cause.getMessage()).contains("PKIX path");
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
