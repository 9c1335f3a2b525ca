package org.posthouse.keys;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;

/**
 * A certificate of the grid that has expired or is not valid yet; which of the two its causes say. It names the site, since who refuses a handshake knows the
 * other end's address only.
 */
public final class NotValidException extends CertificateException {
    private static final long serialVersionUID = 1L;

    /** @param certificate signed by the grid's authority: else it may name any site. @param cause why it is not valid, or what has that for its cause */
    NotValidException(X509Certificate certificate, Throwable cause) {
        super(text(SiteCertificate.of(certificate)), cause);
    }

    private static String text(SiteCertificate certificate) {
        return "the certificate of " + (certificate.site().isEmpty() ? "no site" : "site " + certificate.site()) + ", serial "
                + certificate.serial() + ", is valid from " + certificate.notBefore() + " to " + certificate.notAfter() + ", now is " + Instant.now();
    }
}
