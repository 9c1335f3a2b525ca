package org.posthouse.names.ldap;

import java.net.UnknownHostException;
import javax.naming.AuthenticationException;
import javax.naming.AuthenticationNotSupportedException;
import javax.naming.CommunicationException;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.NoPermissionException;
import javax.naming.PartialResultException;
import javax.naming.ReferralException;
import javax.naming.ServiceUnavailableException;
import javax.naming.SizeLimitExceededException;
import javax.naming.directory.InvalidAttributeIdentifierException;
import javax.naming.directory.InvalidAttributeValueException;
import javax.naming.directory.SchemaViolationException;
import javax.net.ssl.SSLException;
import org.posthouse.names.NameException;

/** Words for a directory's failures: what, where and what to do. Immutable. */
final class LdapFaults {
    private final LdapConfig config;

    LdapFaults(LdapConfig config) {
        this.config = config;
    }

    /** As the caller of a name service hears it. */
    NameException of(NamingException e) {
        return new NameException(kind(e), "the directory " + config.url() + " " + words(e), e);
    }

    /** Whether the connection is of no more use. */
    static boolean isOfConnection(NamingException e) {
        return e instanceof CommunicationException || e instanceof ServiceUnavailableException || isTimeout(e);
    }

    /** The server, which was connected before, has ended the connection. */
    static boolean isStale(NamingException e) {
        return isOfConnection(e) && !isTimeout(e);
    }

    /** JNDI has no type for it. */
    private static boolean isTimeout(NamingException e) {
        return e.getMessage() != null && e.getMessage().contains("timed out");
    }

    private static NameException.Kind kind(NamingException e) {
        return switch (e) {
            case AuthenticationException refused -> NameException.Kind.DENIED;
            case AuthenticationNotSupportedException refused -> NameException.Kind.DENIED;
            case NoPermissionException refused -> NameException.Kind.DENIED;
            default -> NameException.Kind.UNAVAILABLE;
        };
    }

    private String words(NamingException e) {
        return switch (e) {
            case AuthenticationException refused ->
                    "refuses the password of " + config.user() + ": check user= and the file " + config.passwordFile() + " (" + text(e) + ")";
            case AuthenticationNotSupportedException refused -> "does not take a password of " + config.user() + " on this connection: " + text(e)
                    + (config.isTls() ? "" : ". Use ldaps://");
            case NoPermissionException refused ->
                    "does not let " + config.user() + " do this: give it the right to read and write below " + config.base() + " (" + text(e) + ")";
            case SchemaViolationException unknown -> schema(e);
            case InvalidAttributeIdentifierException unknown -> schema(e);
            case InvalidAttributeValueException unknown -> schema(e);
            case NameNotFoundException absent -> "has no entry " + config.base() + ": add it, or correct the base (" + text(e) + ")";
            case SizeLimitExceededException limited ->
                    "returns fewer entries than there are: raise the size limit of " + config.user() + " (" + text(e) + ")";
            case ReferralException elsewhere -> referral(e);
            case PartialResultException elsewhere -> referral(e);
            default -> isTimeout(e) ? slow(e) : isOfConnection(e) ? unreachable(e) : "has failed: " + text(e);
        };
    }

    private static String schema(NamingException e) {
        return "does not know Posthouse's attributes: load posthouse.ldif into its schema (" + text(e) + ")";
    }

    private static String referral(NamingException e) {
        return "leaves changes to another server: give that one's address (" + text(e) + ")";
    }

    private String slow(NamingException e) {
        return "has not answered within " + config.readTimeoutMs() + " ms: see how busy it is, or raise read-timeout-ms (" + text(e) + ")";
    }

    private String unreachable(NamingException e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (e.getCause() instanceof SSLException || root instanceof SSLException || root instanceof java.security.GeneralSecurityException) {
            return "has no certificate that is trusted here for " + config.host() + ": give its authority with ca= (" + text(e) + ", " + root.getMessage()
                    + ")";
        }
        String reason = root instanceof UnknownHostException ? "unknown host" : root.getMessage();
        return "cannot be reached: check that it runs and that the address is right (" + text(e) + (root == e ? ")" : ", " + reason + ")");
    }

    /** Of one line, without a trailing NUL, which some servers send. */
    private static String text(NamingException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage().replaceAll("\\p{Cntrl}+", " ").strip();
    }
}
