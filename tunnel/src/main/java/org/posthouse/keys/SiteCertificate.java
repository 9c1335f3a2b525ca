package org.posthouse.keys;

import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.Extension;

/**
 * The content of a site's certificate, for display and listings. Immutable.
 *
 * @param site the site it was issued for
 * @param serial its serial number in lower-case hex
 * @param notBefore valid from, inclusive
 * @param notAfter valid until, inclusive
 * @param authority identifier of the key that signed it, in lower-case hex; empty if it does not say
 * @param file its path
 */
public record SiteCertificate(String site, String serial, Instant notBefore, Instant notAfter, String authority, Path file) {
    /** Prefix of a site's name in the certificate's subject alternative name, a URI. */
    static final String URI_PREFIX = "posthouse:site:";

    private static final Integer SAN_URI = 6;

    /** The value for a peer that showed no certificate. */
    static final SiteCertificate NOBODY = new SiteCertificate("", "", Instant.MIN, Instant.MAX, "", Path.of(""));

    /** The certificate of a peer, which has no file here. */
    static SiteCertificate of(X509Certificate certificate) {
        return of(certificate, Path.of(""));
    }

    static SiteCertificate of(X509Certificate certificate, Path file) {
        return new SiteCertificate(
                siteOf(certificate),
                certificate.getSerialNumber().toString(16),
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant(),
                authorityOf(certificate),
                file);
    }

    private static String authorityOf(X509Certificate certificate) {
        byte[] extension = certificate.getExtensionValue(Extension.authorityKeyIdentifier.getId());
        byte[] key = extension == null
                ? null
                : AuthorityKeyIdentifier.getInstance(ASN1OctetString.getInstance(extension).getOctets()).getKeyIdentifierOctets();
        return key == null ? "" : HexFormat.of().formatHex(key);
    }

    /** The site that {@code certificate} was issued for; empty if it names none, several, or an invalid one. */
    static String siteOf(X509Certificate certificate) {
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return "";
        }
        List<String> sites = names == null
                ? List.of()
                : names.stream()
                        .filter(name -> SAN_URI.equals(name.get(0)))
                        .map(name -> String.valueOf(name.get(1)))
                        .filter(uri -> uri.startsWith(URI_PREFIX))
                        .map(uri -> uri.substring(URI_PREFIX.length()))
                        .toList();
        return sites.size() == 1 && SiteName.isValid(sites.getFirst()) ? sites.getFirst() : "";
    }
}
