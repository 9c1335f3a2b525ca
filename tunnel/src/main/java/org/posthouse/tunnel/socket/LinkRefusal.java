package org.posthouse.tunnel.socket;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/** The reasons why a connection did not become a link. This table feeds the counters, the log and docs/links.md. */
public enum LinkRefusal {
    PLAIN_TCP("the other end does not speak TLS", "check that only relays use this port"),
    TLS_VERSION("a TLS older than 1.3", "use a relay at both ends"),
    NO_CERTIFICATE("the dialling end showed no certificate", "use a relay at both ends"),
    OTHER_AUTHORITY("a certificate of another authority, the peer's for this end or this one's for the peer",
            "issue both sites' certificates with one authority"),
    EXPIRED("a certificate that has expired", "renew it with posthouse keys renew, at its site"),
    REVOKED("a certificate that was revoked", "issue a new one with posthouse keys renew"),
    NOT_YET_VALID("a certificate that is not valid yet", "check the clocks of both relays"),
    WRONG_SITE("a site or relay other than the certificate's or the expected one", "correct the peer's address, its name or its keys"),
    FENCED("a newer relay of this name was seen", "stop the older one, or give it another name; if there is none, its clock was set back and another peer"
            + " had linked with it already: start it again with the clock right"),
    NAME_TAKEN("an older relay of this name is linked and answers", "stop one of the two, or give one another name"),
    REPLAYED("a handshake that was begun here before", "look who records and repeats what relays say; nothing of it was let in"),
    REFUSED_BY_PEER("the other end refused this one", "read the log of the other relay: it names the reason"),
    TLS_FAILED("the TLS handshake failed or was broken off", "check the network between the relays"),
    TIMEOUT("no TLS handshake or no LINK_HELLO in time", "check the network and the peer's load"),
    RECORD_FLOOD("TLS records that carry next to no data",
            "check that a relay is at the other end; if it is, revoke its certificate and look who has its keys"),
    LIMIT("a limit of connections or links was reached", "look who connects to the port of the links, or divide the links among more relays of the site"),
    BREACH("the first frame broke the protocol", "check that both ends run the same Posthouse version");

    private final String meaning;
    private final String advice;

    LinkRefusal(String meaning, String advice) {
        this.meaning = meaning;
        this.advice = advice;
    }

    /** The cause of the refusal, as half a sentence. */
    public String meaning() {
        return meaning;
    }

    /** The remedy for an operator. */
    public String advice() {
        return advice;
    }

    /**
     * The notice about a link's last attempt.
     *
     * @param where the other end
     */
    public CloseNotice notice(String where, String detail) {
        return CloseNotice.closing(0, CloseReason.SITE_UNREACHABLE, this + " " + where + ": " + Refusals.shown(this, detail) + "; " + advice);
    }

    /** The kind of a failure in the LINK_HELLO exchange. */
    public static LinkRefusal of(CloseReason closeReason) {
        return switch (closeReason) {
            case WRONG_SITE -> WRONG_SITE;
            case FENCED -> FENCED;
            case NAME_TAKEN -> NAME_TAKEN;
            case REVOKED -> REVOKED;
            case TIMEOUT -> TIMEOUT;
            case LIMIT -> LIMIT;
            default -> BREACH;
        };
    }

    /**
     * The kind of a failed TLS handshake. The JDK, Netty and BoringSSL indicate it by the exception's causes, alert
     * names and error names.
     */
    public static LinkRefusal of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case NotSslRecordException plain -> {
                    return PLAIN_TCP;
                }
                case SslHandshakeTimeoutException silent -> {
                    return TIMEOUT;
                }
                case CertificateExpiredException expired -> {
                    return EXPIRED;
                }
                case CertificateNotYetValidException early -> {
                    return NOT_YET_VALID;
                }
                default -> {
                    // Continue: the reason is a deeper cause, or is in the message.
                }
            }
        }
        return ofMessage(failure);
    }

    /** With the JDK's TLS, a relay reports any certificate that it refuses as unknown; its own log has the reason. */
    private static LinkRefusal ofAlert(String message) {
        return message.contains("unknown_ca") ? OTHER_AUTHORITY : REFUSED_BY_PEER;
    }

    private static LinkRefusal ofMessage(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
            if (message.contains("received fatal alert") || message.contains("_alert_")) {
                return ofAlert(message);
            }
            if (message.contains("too_many_key_updates") || message.contains("too_many_empty_fragments")) {
                return RECORD_FLOOD; // BoringSSL permits 32 of either in a row.
            }
            if (message.contains("protocol_version") || message.contains("is not enabled or supported") || message.contains("unsupported_protocol")) {
                return TLS_VERSION;
            }
            if (message.contains("empty client certificate chain")
                    || message.contains("certificate_required")
                    || message.contains("peer_did_not_return_a_certificate")) {
                return NO_CERTIFICATE;
            }
            if (cause instanceof CertPathValidatorException || message.contains("pkix path")) {
                return OTHER_AUTHORITY;
            }
        }
        return TLS_FAILED;
    }
}
