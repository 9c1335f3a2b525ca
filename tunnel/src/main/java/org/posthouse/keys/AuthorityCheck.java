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
        // Both kinds of TLS choose the alert by the cause. Days are looked at before the signature is.
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
