package org.posthouse.keys;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.posthouse.status.KeysStatus;

/**
 * The keys in force at one relay: the site's own keys, and the newest revocation list from any source. Confined to the
 * relay's context; accesses no file.
 */
final class LinkKeys {
    /** The effect of a certificate that is not valid now on links. */
    private static final Duration WARNING_MAX = Duration.ofDays(30);
    private static final String REFUSED = "; links that are up stay, new ones are refused";

    private SiteKeys keys;
    private RevocationList revocations;

    /** The problem with the files since they were loaded last; empty if there is none. */
    private String problem = "";

    /**
     * The last list of another authority that a peer sent. It may be that of the next authority, whose keys the peer's
     * site has already.
     */
    private RevocationList others = RevocationList.NONE;

    /**
     * Message about a list that is not in force but has entries which the one in force lacks; empty if there is none.
     */
    private String passedOver = "";

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
     * Takes changed files into force; new connections use {@code newer}.
     *
     * @return whether its list of revoked certificates is a new one
     */
    boolean replace(SiteKeys newer) {
        boolean sameAuthority = newer.authority().equals(keys.authority());
        keys = newer;
        problem = "";
        if (!sameAuthority) {
            boolean told = others.isOf(newer.authority()) && others.isNewerThan(newer.revocations());
            revocations = told ? others : newer.revocations();
            passedOver = "";
            return revocations.number() > 0;
        }
        return take(newer.revocations(), newer.folder().resolve(GridAuthority.REVOKED).toString());
    }

    /** Notes that changed files cannot be used, or a file cannot be written. */
    void onProblem(String what) {
        problem = what;
    }

    /**
     * Handles a list that a peer sent.
     *
     * @return whether it is newer, and of this authority
     * @throws KeysException if it is not a list
     */
    boolean take(byte[] encoded, String from) throws KeysException {
        if (Arrays.equals(encoded, revocations.encoded())) {
            return false; // A list that peers send back is not checked again.
        }
        RevocationList list = RevocationList.parse(encoded, from);
        if (!list.isOf(keys.authority())) {
            others = list;
            return false;
        }
        boolean old = revocations.isNewerThan(list); // An older list comes from a peer that was away.
        return !old && take(list, from);
    }

    private boolean take(RevocationList list, String from) {
        if (list.isNewerThan(revocations)) {
            revocations = list;
            passedOver = "";
            return true;
        }
        if (!revocations.revoked().keySet().containsAll(list.revoked().keySet())) {
            passedOver = "list " + list.number() + " of revoked certificates, of " + from + ", is passed over for list " + revocations.number()
                    + ", which is in force and has not all of its: posthouse keys revoke again, with --into for the keys folders of both, makes them one list";
        }
        return false;
    }

    /** @param peers the certificates of the linked relays, by relay */
    KeysStatus status(Map<String, SiteCertificate> peers, Instant now) {
        SiteCertificate own = keys.certificate();
        List<String> warnings = new ArrayList<>();
        if (!problem.isEmpty()) {
            warnings.add(problem);
        }
        if (!passedOver.isEmpty()) {
            warnings.add(passedOver);
        }
        if (isRevoked(own)) {
            warnings.add("the certificate of site " + own.site() + ", serial " + own.serial()
                    + ", was revoked: no relay links with this one until it has another (posthouse keys renew)");
        }
        warn(warnings, "the certificate of site " + own.site(), own, now, "renew it with posthouse keys renew");
        SiteCertificate authority = SiteCertificate.of(keys.authority(), own.file());
        warn(warnings, "the grid's authority", authority, now, "begin a new grid with posthouse keys init");
        peers.forEach((relay, peer) -> {
            if (!peer.authority().equals(own.authority())) {
                warnings.add("the link to relay " + relay
                        + " is older than this grid's authority: issue its site's certificate with this one, too, and then start one of"
                        + " the two relays again; until then its certificate cannot be revoked, and the link is refused if it breaks");
            }
            warn(warnings, "the certificate of relay " + relay, peer, now, "renew it at its site with posthouse keys renew");
        });
        return new KeysStatus(
                own.serial(), own.notAfter().toEpochMilli(), authority.notAfter().toEpochMilli(), revocations.number(), revocations.size(), warnings);
    }

    /** Whether the end of validity is near enough for a warning: 30 days, or the last third of a shorter validity. */
    static boolean isNear(Instant notBefore, Instant notAfter, Instant now) {
        Duration third = Duration.between(notBefore, notAfter).dividedBy(3);
        Duration warning = third.compareTo(WARNING_MAX) < 0 ? third : WARNING_MAX;
        return now.isAfter(notAfter.minus(warning));
    }

    private static void warn(List<String> warnings, String whose, SiteCertificate certificate, Instant now, String advice) {
        if (now.isBefore(certificate.notBefore())) {
            warnings.add(whose + " is not valid before " + certificate.notBefore() + ": check the clock of this host" + REFUSED);
        } else if (isNear(certificate.notBefore(), certificate.notAfter(), now)) {
            boolean over = now.isAfter(certificate.notAfter());
            warnings.add(whose + (over ? " expired " : " expires ") + certificate.notAfter() + ": " + advice + (over ? REFUSED : ""));
        }
    }
}
