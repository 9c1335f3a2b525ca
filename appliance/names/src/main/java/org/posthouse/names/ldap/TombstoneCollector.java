package org.posthouse.names.ldap;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.SizeLimitExceededException;
import javax.naming.directory.Attribute;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.ldap.BasicControl;
import javax.naming.ldap.Control;
import javax.naming.ldap.LdapContext;
import javax.naming.ldap.LdapName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the entries of names that were unbound a day ago. Each deletion asserts (RFC 4528) that the name has not been bound meanwhile; in a directory without
 * that control the entries stay. Has a thread of its own.
 */
@SuppressWarnings("BanJNDI") // Attributes are read and never Java objects, so nothing is deserialized (ADR 110).
final class TombstoneCollector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TombstoneCollector.class);
    private static final String ASSERTION = "1.3.6.1.1.12";
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration AGE = Duration.ofDays(1);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    /** Most entries of one round. */
    private static final int ROUND = 500;

    private static final int BER_AND = 0xA0;
    private static final int BER_EQUALITY = 0xA3;
    private static final int BER_OCTETS = 0x04;

    record Tombstone(Name name, VersionHead head) {}

    private final LdapConnection connection;
    private final LdapName base;
    private final Thread thread = Thread.ofVirtual().name("names-ldap-collector").unstarted(this::run);

    TombstoneCollector(LdapConnection connection, LdapName base) {
        this.connection = connection;
        this.base = base;
    }

    static TombstoneCollector start(LdapConnection connection, LdapName base) {
        TombstoneCollector started = new TombstoneCollector(connection, base);
        started.thread.start();
        return started;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                collectOrLog();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // It was closed.
        }
    }

    private void collectOrLog() {
        try {
            collect(Instant.now().minus(AGE));
        } catch (NameException e) {
            LOG.warn("Names that were unbound stay in the directory for now: {}", e.getMessage());
        }
    }

    /** Deletes those that were unbound before a time. @return how many */
    int collect(Instant before) {
        try {
            return connection.once(context -> {
                int deleted = 0;
                if (hasAssertions(context)) {
                    for (Tombstone each : tombstones(context, before)) {
                        deleted += delete(context, each) ? 1 : 0;
                    }
                }
                return deleted;
            });
        } catch (NamingException e) {
            throw connection.fault(e);
        }
    }

    private static boolean hasAssertions(LdapContext context) throws NamingException {
        Attribute controls = context.getAttributes("", new String[] {"supportedControl"}).get("supportedControl");
        return controls != null && controls.contains(ASSERTION);
    }

    private List<Tombstone> tombstones(LdapContext context, Instant before) throws NamingException {
        SearchControls controls = new SearchControls();
        controls.setSearchScope(SearchControls.ONELEVEL_SCOPE);
        controls.setReturningObjFlag(false);
        controls.setReturningAttributes(RecordEntry.heads());
        String filter = "(&(objectClass=" + RecordEntry.CLASS + ")(" + RecordEntry.BOUND + "=FALSE)(modifyTimestamp<={0}))";
        NamingEnumeration<SearchResult> found = context.search(base, filter, new Object[] {TIME.format(before)}, controls);
        List<Tombstone> tombstones = new ArrayList<>();
        try {
            while (tombstones.size() < ROUND && found.hasMore()) {
                SearchResult each = found.next();
                tombstones.add(new Tombstone(RecordEntry.name(each.getAttributes()), RecordEntry.head(each.getAttributes())));
            }
        } catch (SizeLimitExceededException e) {
            // The next round has the rest.
        } finally {
            found.close();
        }
        return tombstones;
    }

    /** Whether it was still so. */
    boolean delete(LdapContext context, Tombstone tombstone) throws NamingException {
        context.setRequestControls(new Control[] {new BasicControl(ASSERTION, Control.CRITICAL, unchanged(tombstone.head()))});
        try {
            context.destroySubcontext(RecordEntry.dn(base, tombstone.name()));
            return true;
        } catch (javax.naming.NameNotFoundException e) {
            return false; // Another relay was first.
        } catch (NamingException e) {
            if (isAssertionFailed(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Result code 122, for which JNDI has no type. */
    private static boolean isAssertionFailed(NamingException e) {
        return e.getMessage() != null && e.getMessage().contains("error code 122");
    }

    /** The filter {@code (&(posthouseVersion=N)(posthouseBound=FALSE))} in BER. */
    private static byte[] unchanged(VersionHead head) {
        return ber(BER_AND, concat(
                equality(RecordEntry.VERSION, Long.toString(head.version())), equality(RecordEntry.BOUND, head.isBound() ? "TRUE" : "FALSE")));
    }

    private static byte[] equality(String attribute, String value) {
        return ber(BER_EQUALITY, concat(
                ber(BER_OCTETS, attribute.getBytes(StandardCharsets.US_ASCII)), ber(BER_OCTETS, value.getBytes(StandardCharsets.US_ASCII))));
    }

    /** A tag, a length of less than 128, and the content. */
    private static byte[] ber(int tag, byte[] content) {
        return concat(new byte[] {(byte) tag, (byte) content.length}, content);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(first);
        both.writeBytes(second);
        return both.toByteArray();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
