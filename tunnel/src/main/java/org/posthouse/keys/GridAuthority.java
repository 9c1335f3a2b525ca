package org.posthouse.keys;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;

/**
 * The certificate authority of a grid. It issues the certificates by which sites authenticate each other. Its folder
 * never leaves its owner's machine; each site gets its own folder. Stateless between calls, blocking; called by
 * {@code posthouse keys}, never by a relay.
 *
 * <p>Only {@link #renew} overwrites files, except that the revocation list is replaced by newer versions. Every failure
 * is a {@link KeysException} that names the file.
 */
public final class GridAuthority {
    static final String AUTHORITY_CERTIFICATE = "authority.pem";
    static final String SITE_CERTIFICATE = "site.pem";
    static final String SITE_KEY = "site.key";
    static final String NODE_CERTIFICATE = "node.pem";
    static final String NODE_KEY = "node.key";
    static final String REVOKED = "revoked.pem";

    /** The files of a site's keys folder. The last one exists only after a certificate of the grid was revoked. */
    static final List<String> SITE_FILES = List.of(SITE_KEY, SITE_CERTIFICATE, AUTHORITY_CERTIFICATE, REVOKED);

    /** The subfolder with a copy of each issued certificate. */
    static final String ISSUED = "issued";

    private static final String AUTHORITY_KEY = "authority.key";
    private static final int DAYS_MAX = 36_500;

    /** Certificates become valid this long before now, because the clocks of two sites differ. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(10);

    private final Path folder;
    private final X509Certificate certificate;
    private final PrivateKey key;

    private GridAuthority(Path folder, X509Certificate certificate, PrivateKey key) {
        this.folder = folder;
        this.certificate = certificate;
        this.key = key;
    }

    /**
     * Creates a new authority.
     *
     * @param folder is created, accessible to its owner only; must not contain an authority
     * @param days validity of the authority, 1 to 36,500
     */
    public static GridAuthority init(Path folder, int days) throws KeysException {
        requireDays(days);
        Instant now = Instant.now();
        return init(folder, now.minus(CLOCK_SKEW), now.plus(Duration.ofDays(days)));
    }

    static GridAuthority init(Path folder, Instant notBefore, Instant notAfter) throws KeysException {
        KeyFiles.createFolder(folder);
        requireAbsent(folder, AUTHORITY_KEY, AUTHORITY_CERTIFICATE, ISSUED);
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate certificate = Certificates.authority(pair, notBefore, notAfter);
        KeyFiles.writeKey(folder.resolve(AUTHORITY_KEY), pair.getPrivate());
        KeyFiles.createFolder(folder.resolve(ISSUED));
        KeyFiles.writeCertificate(folder.resolve(AUTHORITY_CERTIFICATE), certificate);
        return new GridAuthority(folder, certificate, pair.getPrivate());
    }

    /** Opens the authority in {@code folder}. Checks access rights, validity, and that key and certificate match. */
    public static GridAuthority open(Path folder) throws KeysException {
        X509Certificate certificate = KeyFiles.readCertificate(folder.resolve(AUTHORITY_CERTIFICATE));
        KeyFiles.requireUnwritable(folder, AUTHORITY_CERTIFICATE, REVOKED);
        PrivateKey key = KeyFiles.readKey(folder.resolve(AUTHORITY_KEY));
        Certificates.requireValidNow(certificate, folder.resolve(AUTHORITY_CERTIFICATE));
        Certificates.requireMatch(certificate, key, folder.resolve(AUTHORITY_KEY));
        return new GridAuthority(folder, certificate, key);
    }

    /**
     * Issues a certificate and its key for {@code site}, and stores a copy of the certificate for {@link #issued}.
     *
     * @param days validity, at least 1 and not beyond the authority's own last day
     * @param into the site's keys folder, created if missing: site.key, site.pem, authority.pem
     * @throws IllegalArgumentException if the site's name is not valid
     */
    public SiteCertificate issue(String site, int days, Path into) throws KeysException {
        Instant now = Instant.now();
        return issue(site, now.minus(CLOCK_SKEW), end(now, days), into);
    }

    SiteCertificate issue(String site, Instant notBefore, Instant notAfter, Path into) throws KeysException {
        SiteName.require(site);
        requireWithin(site, notAfter);
        KeyFiles.createFolder(into);
        requireAbsent(into, SITE_KEY, SITE_CERTIFICATE, AUTHORITY_CERTIFICATE);
        learnRevoked(into);
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate issued = sign(site, pair, notBefore, notAfter);
        KeyFiles.writeKey(into.resolve(SITE_KEY), pair.getPrivate());
        KeyFiles.writeCertificate(into.resolve(SITE_CERTIFICATE), issued);
        KeyFiles.writeCertificate(into.resolve(AUTHORITY_CERTIFICATE), certificate);
        writeRevoked(into);
        return SiteCertificate.of(issued, into.resolve(SITE_CERTIFICATE));
    }

    /**
     * Issues a certificate and its key for a node of {@code site}, by which its agent proves its identity to the site's
     * relays.
     *
     * @param days as for {@link #issue}
     * @param into the node's keys folder, created if missing: node.key, node.pem, authority.pem
     * @throws IllegalArgumentException if a name is not valid
     */
    public SiteCertificate issueNode(String site, String node, int days, Path into) throws KeysException {
        Instant now = Instant.now();
        return issueNode(site, node, now.minus(CLOCK_SKEW), end(now, days), into);
    }

    SiteCertificate issueNode(String site, String node, Instant notBefore, Instant notAfter, Path into) throws KeysException {
        SiteName.require(site);
        NodeName.require(node);
        String name = site + "/" + node;
        requireWithin(name, notAfter);
        KeyFiles.createFolder(into);
        requireAbsent(into, NODE_KEY, NODE_CERTIFICATE, SITE_CERTIFICATE, AUTHORITY_CERTIFICATE);
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate issued = Certificates.node(name, pair.getPublic(), certificate, key, notBefore, notAfter);
        keepCopy(site + "-" + node, issued);
        KeyFiles.writeKey(into.resolve(NODE_KEY), pair.getPrivate());
        KeyFiles.writeCertificate(into.resolve(NODE_CERTIFICATE), issued);
        KeyFiles.writeCertificate(into.resolve(AUTHORITY_CERTIFICATE), certificate);
        writeRevoked(into);
        return SiteCertificate.of(issued, into.resolve(NODE_CERTIFICATE));
    }

    /**
     * Issues a new certificate and key for the site whose keys are in {@code into}, and replaces them. The old
     * certificate stays valid until it expires or is revoked. A relay that runs with this folder loads the new one.
     *
     * @param days as for {@link #issue}
     * @throws KeysException also if the folder holds no keys, or those of another site or grid
     */
    public SiteCertificate renew(String site, int days, Path into) throws KeysException {
        SiteName.require(site);
        Instant now = Instant.now();
        Instant end = end(now, days);
        requireWithin(site, end);
        Path file = into.resolve(SITE_CERTIFICATE);
        X509Certificate old = KeyFiles.readCertificate(file);
        if (!SiteCertificate.siteOf(old).equals(site) || !Certificates.isSigned(old, certificate)) {
            throw new KeysException("the certificate " + file + " is none that the authority in " + folder + " issued for site "
                    + site + ": name the right folder, or issue one into another");
        }
        learnRevoked(into);
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate issued = sign(site, pair, now.minus(CLOCK_SKEW), end);
        KeyFiles.replaceKey(into.resolve(SITE_KEY), pair.getPrivate());
        KeyFiles.replaceCertificate(file, issued);
        writeRevoked(into);
        return SiteCertificate.of(issued, file);
    }

    private X509Certificate sign(String site, KeyPair pair, Instant notBefore, Instant notAfter) throws KeysException {
        X509Certificate issued = Certificates.site(site, pair.getPublic(), certificate, key, notBefore, notAfter);
        keepCopy(site, issued);
        return issued;
    }

    private void keepCopy(String name, X509Certificate issued) throws KeysException {
        String copy = name + "-" + issued.getSerialNumber().toString(16) + ".pem";
        KeyFiles.writeCertificate(folder.resolve(ISSUED).resolve(copy), issued);
    }

    private Instant end(Instant now, int days) throws KeysException {
        requireDays(days);
        Instant end = now.plus(Duration.ofDays(days));
        // A certificate requested on the same day for as many days as the authority ends slightly after it. Its end
        // is cut to fit.
        boolean sameDay = end.isAfter(notAfter()) && end.minus(Duration.ofDays(1)).isBefore(notAfter());
        return sameDay ? notAfter() : end;
    }

    private void requireWithin(String site, Instant notAfter) throws KeysException {
        if (notAfter.isAfter(notAfter())) {
            throw new KeysException("a certificate for " + site + " until " + notAfter
                    + " would outlive the authority in " + folder + ", which ends " + notAfter()
                    + ": ask for fewer days");
        }
    }

    /** Other programs write serial numbers in capitals, with colons and leading zeros. */
    private static String plainSerial(String said) {
        return said.toLowerCase(Locale.ROOT).replace(":", "").replaceFirst("^0+", "");
    }

    /**
     * Revokes certificates. Relays refuse them, and end links that use them, once the list has reached one relay of the
     * grid.
     *
     * @param siteOrSerial a site or a node (SITE/NAME), for all its unexpired certificates, or the serial number of one
     *         certificate
     * @return the certificates that were not revoked before; if none, the list does not change
     * @throws KeysException if the authority has issued no such certificate
     */
    public List<SiteCertificate> revoke(String siteOrSerial) throws KeysException {
        Instant now = Instant.now();
        List<SiteCertificate> all = issued();
        RevocationList list = revocations();
        String plain = plainSerial(siteOrSerial);
        List<SiteCertificate> meant = all.stream()
                .filter(one -> one.serial().equals(plain) || one.subject().equals(siteOrSerial))
                .filter(one -> now.isBefore(one.notAfter()))
                .toList();
        if (meant.isEmpty()) {
            throw new KeysException("the authority in " + folder + " has issued no certificate for a site or node or with a serial number "
                    + siteOrSerial + " that has not expired: see posthouse keys show");
        }
        List<SiteCertificate> fresh = meant.stream().filter(one -> !list.holds(one)).toList();
        if (!fresh.isEmpty()) {
            Map<BigInteger, Instant> revoked = new TreeMap<>(list.revoked());
            removeExpired(revoked, all, now);
            fresh.forEach(one -> revoked.put(new BigInteger(one.serial(), 16), now));
            list.next(revoked, certificate, key).write(folder.resolve(REVOKED));
        }
        return fresh;
    }

    /** Keeps entries without a copy of the certificate, because it may still be valid. */
    private static void removeExpired(Map<BigInteger, Instant> revoked, List<SiteCertificate> all, Instant now) {
        all.stream().filter(one -> !now.isBefore(one.notAfter())).forEach(one -> revoked.remove(new BigInteger(one.serial(), 16)));
    }

    /**
     * Copies the revocation list, if there is one, into a site's keys folder. The site's relays pass it on to all
     * others.
     *
     * @throws KeysException also if the folder does not belong to this grid; it is left unchanged
     */
    public void tellRevoked(Path site) throws KeysException {
        learn(site);
        writeRevoked(site);
    }

    /**
     * Merges the revocation list of a site's keys folder into this authority's own. They differ if, for example, the
     * authority's folder was restored from a copy or existed twice. This authority's next list then contains both, and
     * the site's relays accept it as newer.
     *
     * @return whether anything was merged
     * @throws KeysException if the folder holds no keys of a site of this grid
     */
    public boolean learn(Path site) throws KeysException {
        Path file = site.resolve(AUTHORITY_CERTIFICATE);
        if (!KeyFiles.readCertificate(file).equals(certificate)) {
            throw new KeysException(file + " is another authority's than that in " + folder + ": name the right folder");
        }
        return learnRevoked(site);
    }

    private boolean learnRevoked(Path site) throws KeysException {
        RevocationList own = revocations();
        RevocationList theirs = readable(site.resolve(REVOKED));
        Map<BigInteger, Instant> both = new TreeMap<>(theirs.revoked());
        both.putAll(own.revoked());
        removeExpired(both, issued(), Instant.now());
        boolean counts = own.isNewerThan(theirs) || own.isSame(theirs);
        if (counts && own.revoked().keySet().containsAll(both.keySet())) {
            return false;
        }
        (own.isNewerThan(theirs) ? own : theirs).next(both, certificate, key).write(folder.resolve(REVOKED));
        return true;
    }

    /** Reads the list. An unreadable list, which a relay would refuse, is replaced. */
    private RevocationList readable(Path file) {
        try {
            return KeyFiles.readRevocations(file, certificate);
        } catch (KeysException e) {
            return RevocationList.NONE;
        }
    }

    private void writeRevoked(Path site) throws KeysException {
        RevocationList list = revocations();
        if (list.number() > 0) {
            list.write(site.resolve(REVOKED));
        }
    }

    private RevocationList revocations() throws KeysException {
        return KeyFiles.readRevocations(folder.resolve(REVOKED), certificate);
    }

    /** All certificates issued so far, oldest first. */
    List<SiteCertificate> issued() throws KeysException {
        return issued(folder);
    }

    /** All certificates that the authority in {@code folder} has issued, oldest first. */
    static List<SiteCertificate> issued(Path folder) throws KeysException {
        List<SiteCertificate> issued = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve(ISSUED))) {
            for (Path file : files.toList()) {
                issued.add(SiteCertificate.of(KeyFiles.readCertificate(file), file));
            }
        } catch (KeysException e) {
            throw e;
        } catch (IOException e) {
            throw new KeysException("cannot list " + folder.resolve(ISSUED) + ": " + Causes.text(e), e);
        }
        issued.sort(Comparator.comparing(SiteCertificate::notBefore).thenComparing(SiteCertificate::serial));
        return issued;
    }

    Path folder() {
        return folder;
    }

    /** The last instant at which the authority, and so every certificate of it, is valid. */
    public Instant notAfter() {
        return certificate.getNotAfter().toInstant();
    }

    private static void requireDays(int days) throws KeysException {
        if (days < 1 || days > DAYS_MAX) {
            throw new KeysException("validity of " + days + " days, expected 1 to " + DAYS_MAX);
        }
    }

    private static void requireAbsent(Path folder, String... names) throws KeysException {
        for (String name : names) {
            if (Files.exists(folder.resolve(name))) {
                throw new KeysException(
                        folder.resolve(name) + " exists and is never overwritten: move it away, or name another folder");
            }
        }
    }
}
