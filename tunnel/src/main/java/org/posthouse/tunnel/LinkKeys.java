package org.posthouse.tunnel;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The keys in force at one relay: the site's own, and the newest list of revoked certificates, whoever brought it. Confined
 * to the relay's context; knows no file.
 */
final class LinkKeys {
    private SiteKeys keys;
    private RevocationList revocations;

    /** What is wrong with the files since they were loaded last; empty if nothing is. */
    private String problem = "";

    LinkKeys(SiteKeys keys) {
        this.keys = keys;
        this.revocations = keys.revocations();
    }

    SiteKeys inForce() {
        return keys;
    }

    RevocationList revocations() {
        return revocations;
    }

    boolean isRevoked(SiteCertificate certificate) {
        return revocations.holds(certificate);
    }

    /**
     * The files have changed: connections that are made from now on use {@code newer}.
     *
     * @return whether its list of revoked certificates is a new one
     */
    boolean replace(SiteKeys newer) {
        boolean sameAuthority = newer.authority().equals(keys.authority());
        keys = newer;
        problem = "";
        if (!sameAuthority) {
            revocations = newer.revocations();
            return revocations.number() > 0;
        }
        return take(newer.revocations());
    }

    /** The files have changed and cannot be used, or cannot be written. */
    void onProblem(String what) {
        problem = what;
    }

    /** A peer has told of a list. @return whether it is newer @throws KeysException if it is not this authority's */
    boolean take(byte[] encoded, String from) throws KeysException {
        // What comes back from those who were told of it is not checked again.
        return !Arrays.equals(encoded, revocations.encoded())
                && take(RevocationList.read(encoded, keys.authority(), from));
    }

    private boolean take(RevocationList list) {
        if (!list.isNewerThan(revocations)) {
            return false;
        }
        revocations = list;
        return true;
    }

    /** @param peers the certificates of the relays that are linked, by relay */
    KeysStatus status(Map<String, SiteCertificate> peers, Instant now) {
        SiteCertificate own = keys.certificate();
        List<String> warnings = new ArrayList<>();
        if (!problem.isEmpty()) {
            warnings.add(problem);
        }
        if (isRevoked(own)) {
            warnings.add("the certificate of site " + own.site() + ", serial " + own.serial()
                    + ", was revoked: no relay links with this one until it has another (posthouse keys renew)");
        }
        warn(warnings, "the certificate of site " + own.site(), own, now, "renew it with posthouse keys renew");
        SiteCertificate authority = SiteCertificate.of(keys.authority(), own.file());
        warn(warnings, "the grid's authority", authority, now, "begin a new grid with posthouse keys init");
        peers.forEach((relay, peer) ->
                warn(warnings, "the certificate of relay " + relay, peer, now, "renew it at its site with posthouse keys renew"));
        return new KeysStatus(own, authority.notAfter(), revocations.number(), revocations.size(), warnings);
    }

    private static void warn(List<String> warnings, String whose, SiteCertificate certificate, Instant now, String advice) {
        if (KeysStatus.isNear(certificate.notBefore(), certificate.notAfter(), now)) {
            boolean over = now.isAfter(certificate.notAfter());
            warnings.add(whose + (over ? " expired " : " expires ") + certificate.notAfter() + ": " + advice
                    + (over ? "; links that are up stay, new ones are refused" : ""));
        }
    }
}
