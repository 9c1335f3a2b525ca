package org.posthouse.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.posthouse.keys.KeysFolder;
import org.posthouse.keys.SiteCertificate;

/** The output of {@code posthouse keys show}. Stateless. */
final class KeysListing {
    private KeysListing() {}

    /**
     * Lines for people.
     *
     * @param now certificates that have expired by this time are marked
     * @param until certificates that expire before this time are marked, too
     */
    static String text(Path folder, KeysFolder keys, Instant now, Instant until) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s valid until %s%s%n",
                keys.ofSite()
                        ? "keys of a " + (keys.entries().getFirst().certificate().node().isEmpty() ? "site" : "node") + " in " + folder + ", whose authority is"
                        : "authority in " + folder + ",",
                keys.authorityNotAfter(),
                validity(keys.authorityNotBefore(), keys.authorityNotAfter(), now, until)));
        for (KeysFolder.Entry entry : keys.entries()) {
            SiteCertificate certificate = entry.certificate();
            text.append(String.format(
                    Locale.ROOT,
                    "%-24s serial %s  %s to %s%s%s%n",
                    certificate.subject(),
                    certificate.serial(),
                    certificate.notBefore(),
                    certificate.notAfter(),
                    validity(certificate.notBefore(), certificate.notAfter(), now, until),
                    entry.revoked() ? "  REVOKED" : ""));
        }
        return text.toString();
    }

    private static String validity(Instant from, Instant to, Instant now, Instant until) {
        if (now.isAfter(to)) {
            return "  EXPIRED";
        }
        if (until.isAfter(to)) {
            return "  EXPIRES BEFORE " + until.truncatedTo(ChronoUnit.SECONDS);
        }
        return now.isBefore(from) ? "  NOT YET VALID" : "";
    }

    /** An array of certificates: of a site one, of an authority all that it has issued. */
    static String json(KeysFolder keys) {
        ArrayNode list = new ObjectMapper().createArrayNode();
        for (KeysFolder.Entry entry : keys.entries()) {
            SiteCertificate certificate = entry.certificate();
            list.addObject()
                    .put("site", certificate.node().isEmpty() ? certificate.site() : certificate.siteOfNode())
                    .put("node", certificate.node())
                    .put("serial", certificate.serial())
                    .put("notBefore", certificate.notBefore().toString())
                    .put("notAfter", certificate.notAfter().toString())
                    .put("revoked", entry.revoked())
                    .put("authorityNotAfter", keys.authorityNotAfter().toString());
        }
        return list.toString();
    }
}
