package org.posthouse.tunnel;

import java.io.IOException;
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
import java.util.stream.Stream;

/**
 * The one authority of a grid: issues the certificates by which sites know each other. It lives in a folder that
 * never leaves its owner's machine; each site gets a folder of its own. Stateless between calls, blocking; called by
 * {@code posthouse keys}, never by a relay.
 *
 * <p>Nothing is ever overwritten. Every failure is one {@link KeysException} that names the file.
 */
public final class GridAuthority {
    static final String AUTHORITY_CERTIFICATE = "authority.pem";
    static final String SITE_CERTIFICATE = "site.pem";
    static final String SITE_KEY = "site.key";
    private static final String AUTHORITY_KEY = "authority.key";
    private static final String ISSUED = "issued";
    private static final int DAYS_MAX = 36_500;

    /** Certificates are valid from a little before now: the clocks of two sites differ. */
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
     * @param folder is created, for its owner only; must not hold an authority
     * @param days how long it is valid, 1 to 36,500
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

    /** Opens the authority in {@code folder}; checks rights, validity and that key and certificate match. */
    public static GridAuthority open(Path folder) throws KeysException {
        X509Certificate certificate = KeyFiles.readCertificate(folder.resolve(AUTHORITY_CERTIFICATE));
        PrivateKey key = KeyFiles.readKey(folder.resolve(AUTHORITY_KEY));
        Certificates.requireValidNow(certificate, folder.resolve(AUTHORITY_CERTIFICATE));
        Certificates.requireMatch(certificate, key, folder.resolve(AUTHORITY_KEY));
        return new GridAuthority(folder, certificate, key);
    }

    /**
     * Issues a certificate and its key for {@code site}, and keeps a copy of the certificate for {@link #issued}.
     *
     * @param days how long it is valid, at least 1 and not beyond the authority's own last day
     * @param into the site's keys folder, created if missing: site.key, site.pem, authority.pem
     * @throws IllegalArgumentException if the site's name is not valid
     */
    public SiteCertificate issue(String site, int days, Path into) throws KeysException {
        requireDays(days);
        Instant now = Instant.now();
        Instant end = now.plus(Duration.ofDays(days));
        // As many days as the authority, asked for on the same day, end a little behind it: meant, and cut to fit.
        boolean sameDay = end.isAfter(notAfter()) && end.minus(Duration.ofDays(1)).isBefore(notAfter());
        return issue(site, now.minus(CLOCK_SKEW), sameDay ? notAfter() : end, into);
    }

    SiteCertificate issue(String site, Instant notBefore, Instant notAfter, Path into) throws KeysException {
        SiteName.require(site);
        if (notAfter.isAfter(certificate.getNotAfter().toInstant())) {
            throw new KeysException("a certificate for " + site + " until " + notAfter
                    + " would outlive the authority in " + folder + ", which ends " + notAfter()
                    + ": ask for fewer days");
        }
        KeyFiles.createFolder(into);
        requireAbsent(into, SITE_KEY, SITE_CERTIFICATE, AUTHORITY_CERTIFICATE);
        KeyPair pair = Certificates.newKeyPair();
        X509Certificate issued = Certificates.site(site, pair.getPublic(), certificate, key, notBefore, notAfter);
        String copy = site + "-" + issued.getSerialNumber().toString(16) + ".pem";
        KeyFiles.writeCertificate(folder.resolve(ISSUED).resolve(copy), issued);
        KeyFiles.writeKey(into.resolve(SITE_KEY), pair.getPrivate());
        KeyFiles.writeCertificate(into.resolve(SITE_CERTIFICATE), issued);
        KeyFiles.writeCertificate(into.resolve(AUTHORITY_CERTIFICATE), certificate);
        return SiteCertificate.of(issued, into.resolve(SITE_CERTIFICATE));
    }

    /** All certificates issued so far, oldest first. */
    public List<SiteCertificate> issued() throws KeysException {
        List<SiteCertificate> issued = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve(ISSUED))) {
            for (Path file : files.toList()) {
                issued.add(SiteCertificate.of(KeyFiles.readCertificate(file), file));
            }
        } catch (KeysException e) {
            throw e;
        } catch (IOException e) {
            throw new KeysException("cannot list " + folder.resolve(ISSUED) + ": " + e, e);
        }
        issued.sort(Comparator.comparing(SiteCertificate::notBefore).thenComparing(SiteCertificate::serial));
        return issued;
    }

    public Path folder() {
        return folder;
    }

    /** Until when the authority, and so every certificate of it, can be valid. */
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
                        folder.resolve(name) + " exists and is never overwritten: move it away, or choose a folder");
            }
        }
    }
}
