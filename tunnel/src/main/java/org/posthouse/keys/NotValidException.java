package org.posthouse.keys;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;

/**
 * A certificate of the grid has expired or is not valid yet; the cause shows which. The message names the site or node, because
 * the end that refuses a handshake knows only the other end's address.
 */
public final class NotValidException extends CertificateException {
    private static final long serialVersionUID = 1L;

    /**
     * @param certificate must be signed by the grid's authority; otherwise it could name any site
     *
     * @param cause why it is not valid, or an exception with that cause
     */
    NotValidException(X509Certificate certificate, Throwable cause) {
        super(text(SiteCertificate.of(certificate)), cause);
    }

    private static String text(SiteCertificate certificate) {
        return "the certificate of " + whose(certificate) + ", serial " + certificate.serial() + ", is valid from " + certificate.notBefore() + " to "
                + certificate.notAfter() + ", now is " + Instant.now();
    }

    private static String whose(SiteCertificate certificate) {
        if (!certificate.node().isEmpty()) {
            return "node " + certificate.node();
        }
        return certificate.site().isEmpty() ? "no site" : "site " + certificate.site();
    }
}
