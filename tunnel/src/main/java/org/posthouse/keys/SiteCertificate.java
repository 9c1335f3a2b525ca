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
 * The content of a site's or a node's certificate, for display and listings. Immutable.
 *
 * @param site the site it was issued for; empty if it is a node's, which never stands for its site
 * @param node the node it was issued for, as SITE/NAME; empty if it is a site's
 * @param serial its serial number in lower-case hex
 * @param notBefore valid from, inclusive
 * @param notAfter valid until, inclusive
 * @param authority identifier of the key that signed it, in lower-case hex; empty if it does not say
 * @param file its path
 */
public record SiteCertificate(String site, String node, String serial, Instant notBefore, Instant notAfter, String authority, Path file) {
    /** Prefix of a site's name in the certificate's subject alternative name, a URI. */
    static final String URI_PREFIX = "posthouse:site:";

    /** Prefix of a node's name, SITE/NAME, in the certificate's subject alternative name. */
    static final String NODE_PREFIX = "posthouse:node:";

    private static final Integer SAN_URI = 6;

    /** The value for a peer that showed no certificate. */
    static final SiteCertificate NOBODY = new SiteCertificate("", "", "", Instant.MIN, Instant.MAX, "", Path.of(""));

    /** The certificate of a peer, which has no file here. */
    static SiteCertificate of(X509Certificate certificate) {
        return of(certificate, Path.of(""));
    }

    static SiteCertificate of(X509Certificate certificate, Path file) {
        return new SiteCertificate(
                siteOf(certificate),
                nodeOf(certificate),
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

    /** Whom it was issued for: the site, or the node as SITE/NAME. */
    public String subject() {
        return site.isEmpty() ? node : site;
    }

    /** The node's site. @throws IllegalStateException if it is a site's certificate */
    public String siteOfNode() {
        if (node.isEmpty()) {
            throw new IllegalStateException("the certificate is no node's: " + this);
        }
        return node.substring(0, node.indexOf('/'));
    }

    /** The site that {@code certificate} was issued for; empty if it names none, several, or an invalid one. */
    static String siteOf(X509Certificate certificate) {
        String site = nameOf(certificate, URI_PREFIX);
        return SiteName.isValid(site) ? site : "";
    }

    /** The node that {@code certificate} was issued for, as SITE/NAME; empty as above. */
    private static String nodeOf(X509Certificate certificate) {
        String node = nameOf(certificate, NODE_PREFIX);
        return NodeName.isOfSite(node) ? node : "";
    }

    /** The name behind this prefix; empty if there is none, or more than one. */
    private static String nameOf(X509Certificate certificate, String prefix) {
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return "";
        }
        List<String> found = names == null
                ? List.of()
                : names.stream()
                        .filter(name -> SAN_URI.equals(name.get(0)))
                        .map(name -> String.valueOf(name.get(1)))
                        .filter(uri -> uri.startsWith(prefix))
                        .map(uri -> uri.substring(prefix.length()))
                        .toList();
        return found.size() == 1 ? found.getFirst() : "";
    }
}
