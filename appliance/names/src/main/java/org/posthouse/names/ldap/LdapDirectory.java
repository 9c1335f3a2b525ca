package org.posthouse.names.ldap;

import java.io.IOException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.SizeLimitExceededException;
import javax.naming.directory.Attributes;
import javax.naming.directory.NoSuchAttributeException;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.ldap.Control;
import javax.naming.ldap.LdapContext;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.PagedResultsControl;
import javax.naming.ldap.PagedResultsResponseControl;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;

/**
 * The entries of names: read, added, replaced and searched. Thread-safe; methods block, and fail with a NameException.
 *
 * <p>A directory may return no more than some hundred entries of one search, even in pages. A search that finds more is asked again in 16 parts, by the first
 * digit of the hash that entries are called by, and so on.
 */
@SuppressWarnings("BanJNDI") // Attributes are read and never Java objects, so nothing is deserialized (ADR 110).
final class LdapDirectory {
    /** Entries of one page: at 64 KiB each they are 32 MiB, and usually some hundred KiB. */
    private static final int PAGE = 500;

    /** Digits of the hash by which searches are parted, at most: 4096 parts. */
    private static final int DIGITS_MAX = 3;

    private static final String ALL = "(objectClass=" + RecordEntry.CLASS + ")";
    private static final String BOUND = "(" + RecordEntry.BOUND + "=TRUE)";
    private static final String BELOW = "(|(" + RecordEntry.NAME + "={0})(" + RecordEntry.NAME + "={0}/*))";

    /** Takes one found entry, perhaps twice. */
    interface Found {
        void accept(Attributes entry) throws NamingException;
    }

    private interface Addition {
        boolean isDone() throws NamingException;
    }

    private final LdapConnection connection;
    private final LdapName base;

    /** Into how many parts searches have to be parted, as digits of the hash. */
    private final AtomicInteger digits = new AtomicInteger();

    LdapDirectory(LdapConnection connection, LdapName base) {
        this.connection = connection;
        this.base = base;
    }

    /** Whether there was no entry of the name. */
    boolean add(BoundName bound) {
        return added(() -> connection.once(adding(bound)));
    }

    /** As {@link #add}, but added again where the connection has ended, so the entry that it then finds may be its own. */
    boolean addRepeatably(BoundName bound) {
        return added(() -> connection.repeatably(adding(bound)));
    }

    private LdapConnection.Operation<Boolean> adding(BoundName bound) {
        return context -> {
            context.createSubcontext(dn(bound.name()), RecordEntry.attributes(bound)).close();
            return true;
        };
    }

    private boolean added(Addition addition) {
        try {
            return addition.isDone();
        } catch (javax.naming.NameAlreadyBoundException e) {
            return false;
        } catch (NamingException e) {
            throw connection.fault(e);
        }
    }

    Optional<StoredRecord> read(Name name) {
        try {
            return Optional.of(RecordEntry.read(connection.repeatably(context -> context.getAttributes(dn(name), RecordEntry.all()))));
        } catch (NameNotFoundException e) {
            return Optional.empty();
        } catch (NamingException e) {
            throw connection.fault(e);
        }
    }

    /** Whether the entry was still as it had been read. */
    boolean replace(StoredRecord read, StoredRecord with) {
        try {
            return connection.once(context -> {
                context.modifyAttributes(dn(with.last().name()), RecordEntry.replacement(read.head(), with));
                return true;
            });
        } catch (NoSuchAttributeException | NameNotFoundException e) {
            return false;
        } catch (NamingException e) {
            throw connection.fault(e);
        }
    }

    /** Finds the entries at and below a prefix. Some may have been found before a failure. */
    void searchBelow(Name prefix, String[] attributes, Found found) {
        search(ALL + (prefix.equals(Name.ROOT) ? "" : BELOW), prefix, attributes, found);
    }

    /** As {@link #searchBelow}, without the names that were unbound. */
    void searchBound(Name prefix, String[] attributes, Found found) {
        search(ALL + BOUND + (prefix.equals(Name.ROOT) ? "" : BELOW), prefix, attributes, found);
    }

    private void search(String filters, Name prefix, String[] attributes, Found found) {
        int parts = digits.get();
        try {
            connection.once(context -> {
                for (int part = 0; part < 1 << 4 * parts; part++) {
                    String start = parts == 0 ? "" : "(cn=" + HexFormat.of().toHexDigits(part, parts) + "*)";
                    searchOn(context, "(&" + start + filters + ")", prefix, attributes, found);
                }
                return true;
            });
        } catch (SizeLimitExceededException e) {
            if (parts == DIGITS_MAX) {
                throw connection.fault(e);
            }
            digits.compareAndSet(parts, parts + 1);
            search(filters, prefix, attributes, found);
        } catch (NamingException e) {
            throw connection.fault(e);
        }
    }

    private void searchOn(LdapContext context, String filter, Name prefix, String[] attributes, Found found) throws NamingException {
        SearchControls controls = new SearchControls();
        controls.setSearchScope(SearchControls.ONELEVEL_SCOPE);
        controls.setReturningObjFlag(false);
        controls.setReturningAttributes(attributes);
        byte[] cookie = new byte[0];
        do {
            context.setRequestControls(new Control[] {page(cookie)});
            NamingEnumeration<SearchResult> page = context.search(base, filter, new Object[] {prefix.toString()}, controls);
            try {
                while (page.hasMore()) {
                    found.accept(page.next().getAttributes());
                }
            } finally {
                page.close();
            }
            cookie = next(context.getResponseControls());
        } while (cookie.length > 0);
    }

    private static Control page(byte[] cookie) throws NamingException {
        try {
            return new PagedResultsControl(PAGE, cookie, Control.NONCRITICAL);
        } catch (IOException e) {
            NamingException wrapped = new NamingException("the control for pages cannot be written");
            wrapped.initCause(e);
            throw wrapped;
        }
    }

    private static byte[] next(Control[] answered) {
        for (Control each : answered == null ? new Control[0] : answered) {
            if (each instanceof PagedResultsResponseControl paged && paged.getCookie() != null) {
                return paged.getCookie();
            }
        }
        return new byte[0];
    }

    private LdapName dn(Name name) {
        return RecordEntry.dn(base, name);
    }
}
