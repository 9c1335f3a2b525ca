package org.posthouse.keys;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The certificates in a keys folder of an authority, a site or a node, for display, valid now or not. No private key is read.
 * Immutable.
 *
 * @param ofSite whether it is a site's or a node's; then it has one entry
 * @param authorityNotBefore from when the grid's authority is valid
 * @param authorityNotAfter until when, inclusive; no certificate outlives it
 * @param entries the certificates, the oldest first
 */
public record KeysFolder(boolean ofSite, Instant authorityNotBefore, Instant authorityNotAfter, List<Entry> entries) {
    /** @param revoked whether the folder's list of revoked certificates contains it */
    public record Entry(SiteCertificate certificate, boolean revoked) {
        private boolean isGood(Instant when) {
            return !revoked && isWithin(when, certificate.notBefore(), certificate.notAfter());
        }
    }

    /** Copies the list. */
    public KeysFolder {
        entries = List.copyOf(entries);
    }

    /**
     * Whether the folder is usable at {@code when}: a site's by a relay, an authority's to issue certificates. The
     * state of issued certificates does not matter for an authority.
     */
    public boolean isGood(Instant when) {
        return isWithin(when, authorityNotBefore, authorityNotAfter)
                && (!ofSite || entries.stream().allMatch(entry -> entry.isGood(when)));
    }

    private static boolean isWithin(Instant when, Instant from, Instant to) {
        return !when.isBefore(from) && !when.isAfter(to);
    }

    /**
     * Reads a folder that {@link GridAuthority#init} or {@link GridAuthority#issue} has created.
     *
     * @throws KeysException one line: the folder is neither kind, or a file of it is missing, unreadable, or not of its
     *         authority
     */
    public static KeysFolder read(Path folder) throws KeysException {
        Path site = folder.resolve(GridAuthority.SITE_CERTIFICATE);
        Path node = folder.resolve(GridAuthority.NODE_CERTIFICATE);
        boolean ofNode = Files.exists(node);
        boolean ofSite = Files.exists(site);
        if (!ofSite && !ofNode && !Files.isDirectory(folder.resolve(GridAuthority.ISSUED))) {
            throw new KeysException(folder + " is no keys folder: expected " + GridAuthority.AUTHORITY_CERTIFICATE + " and "
                    + GridAuthority.ISSUED + "/ of an authority (posthouse keys init), or " + GridAuthority.SITE_CERTIFICATE + " and "
                    + GridAuthority.AUTHORITY_CERTIFICATE + " of a site (posthouse keys issue); name the right folder");
        }
        X509Certificate authority = KeyFiles.readCertificate(folder.resolve(GridAuthority.AUTHORITY_CERTIFICATE));
        RevocationList revocations = KeyFiles.readRevocations(folder.resolve(GridAuthority.REVOKED), authority);
        List<SiteCertificate> certificates = ofSite
                ? List.of(SiteKeys.certificate(KeyFiles.readCertificate(site), authority, site))
                : ofNode ? List.of(NodeKeys.certificate(KeyFiles.readCertificate(node), authority, node)) : GridAuthority.issued(folder);
        List<Entry> entries = new ArrayList<>();
        certificates.forEach(certificate -> entries.add(new Entry(certificate, revocations.holds(certificate))));
        return new KeysFolder(ofSite || ofNode, authority.getNotBefore().toInstant(), authority.getNotAfter().toInstant(), entries);
    }
}
