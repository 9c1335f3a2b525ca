package org.posthouse.cli.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.keys.KeysFolder;
import org.posthouse.keys.SiteCertificate;

/** The certificates of a site's keys folder, and whether this host's clock fits them. Stateless. */
final class KeysCheck {
    private static final Duration SOON = Duration.ofDays(30);

    private KeysCheck() {}

    static List<Finding> check(KeysFolder keys, Instant now) {
        List<Finding> findings = new ArrayList<>();
        findings.add(validity("authority", keys.authorityNotBefore(), keys.authorityNotAfter(), now, "make a new authority: posthouse keys init"));
        for (KeysFolder.Entry entry : keys.ofSite() ? keys.entries() : List.<KeysFolder.Entry>of()) {
            SiteCertificate certificate = entry.certificate();
            findings.add(entry.revoked()
                    ? Finding.fail("certificate", certificate.subject() + " is revoked", "posthouse keys renew")
                    : validity("certificate", certificate.notBefore(), certificate.notAfter(), now, "posthouse keys renew"));
        }
        return findings;
    }

    private static Finding validity(String what, Instant from, Instant to, Instant now, String remedy) {
        if (now.isBefore(from)) {
            return Finding.fail("clock", "it is " + now + " here, and the " + what + " is valid from " + from, "set this host's clock (chrony, ntpd)");
        }
        if (now.isAfter(to)) {
            return Finding.fail(what, "expired at " + to, remedy);
        }
        return now.plus(SOON).isAfter(to) ? Finding.warn(what, "expires at " + to, remedy) : Finding.ok(what, "valid until " + to);
    }
}
