package org.posthouse.names.ldap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Hashtable;
import java.util.Optional;
import java.util.function.LongSupplier;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.ldap.InitialLdapContext;
import javax.naming.ldap.LdapContext;
import org.posthouse.names.NameException;

/**
 * The one connection to a directory, which many threads share. It is made at the first call, and again after it was lost; after a failure calls fail for a while
 * without an attempt. Methods block, at most for both timeouts.
 */
@SuppressWarnings("BanJNDI") // Attributes are read and never Java objects, so nothing is deserialized (ADR 110).
final class LdapConnection implements AutoCloseable {
    private static final long RETRY_MS_MIN = 250;
    private static final long RETRY_MS_MAX = 8_000;

    /** A refused password is tried less often: directories lock a user after some. */
    private static final int DENIED_FACTOR = 8;

    private static final int PASSWORD_BYTES_MAX = 1_024;

    /** What is done with a connection. */
    interface Operation<T> {
        T on(LdapContext context) throws NamingException;
    }

    private record Failure(NameException fault, long retryNanos, long delayMs) {}

    private final LdapConfig config;
    private final LdapFaults faults;
    private final LongSupplier nanos;
    private LdapContext context;
    private Failure failure;
    private boolean isClosed;

    LdapConnection(LdapConfig config, LongSupplier nanos) {
        this.config = config;
        this.faults = new LdapFaults(config);
        this.nanos = nanos;
    }

    /** Does what may be done twice: once more on a new connection, if the server has ended the old one. */
    <T> T repeatably(Operation<T> operation) throws NamingException {
        LdapContext first = context();
        try {
            return on(first, operation);
        } catch (NamingException e) {
            if (!LdapFaults.isStale(e)) {
                throw e;
            }
            return on(context(), operation);
        }
    }

    /** Does it once. */
    <T> T once(Operation<T> operation) throws NamingException {
        return on(context(), operation);
    }

    /** The failure, as the caller of a name service hears it. */
    NameException fault(NamingException e) {
        return faults.of(e);
    }

    /** Of the shared connection each operation has a context of its own, as those are not for many threads. */
    private <T> T on(LdapContext shared, Operation<T> operation) throws NamingException {
        try {
            LdapContext own = shared.newInstance(null);
            try {
                return operation.on(own);
            } finally {
                own.close();
            }
        } catch (NamingException e) {
            if (LdapFaults.isOfConnection(e)) {
                discard(shared);
            }
            throw e;
        }
    }

    private synchronized void discard(LdapContext lost) {
        if (context == lost) {
            context = null;
            closeQuietly(lost);
        }
    }

    private static void closeQuietly(LdapContext lost) {
        try {
            lost.close();
        } catch (NamingException e) {
            // It is lost; the call that found out tells why.
        }
    }

    private synchronized LdapContext context() {
        if (isClosed) {
            throw new NameException(NameException.Kind.UNAVAILABLE, "the connection to the directory " + config.url() + " was closed here");
        }
        if (context != null) {
            return context;
        }
        if (failure != null && nanos.getAsLong() - failure.retryNanos < 0) {
            throw failure.fault;
        }
        try {
            context = connect();
            failure = null;
            return context;
        } catch (NamingException e) {
            throw failed(fault(e));
        } catch (IOException e) {
            throw failed(new NameException(NameException.Kind.UNAVAILABLE, "the directory " + config.url() + " is not asked: " + e.getMessage(), e));
        }
    }

    private NameException failed(NameException fault) {
        long least = fault.kind() == NameException.Kind.DENIED ? RETRY_MS_MIN * DENIED_FACTOR : RETRY_MS_MIN;
        long most = fault.kind() == NameException.Kind.DENIED ? RETRY_MS_MAX * DENIED_FACTOR : RETRY_MS_MAX;
        long delayMs = failure == null ? least : Math.clamp(failure.delayMs * 2, least, most);
        failure = new Failure(fault, nanos.getAsLong() + delayMs * 1_000_000, delayMs);
        return fault;
    }

    private LdapContext connect() throws NamingException, IOException {
        Hashtable<String, Object> environment = environment();
        LdapContext made = config.ca().isEmpty() ? new InitialLdapContext(environment, null)
                : TrustedSockets.with(config.ca().get(), () -> new InitialLdapContext(environment, null));
        try {
            made.getAttributes(config.base(), new String[] {"1.1"});
            return made;
        } catch (NamingException e) {
            closeQuietly(made);
            throw e;
        }
    }

    @SuppressWarnings("JdkObsolete") // JNDI's own type.
    private Hashtable<String, Object> environment() throws IOException {
        Hashtable<String, Object> environment = new Hashtable<>();
        environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
        environment.put(Context.PROVIDER_URL, config.url());
        environment.put(Context.SECURITY_AUTHENTICATION, "simple");
        environment.put(Context.SECURITY_PRINCIPAL, config.user().toString());
        environment.put(Context.SECURITY_CREDENTIALS, password(config.passwordFile()));
        environment.put("java.naming.ldap.version", "3");
        environment.put("java.naming.ldap.derefAliases", "never");
        environment.put("com.sun.jndi.ldap.connect.pool", "false");
        environment.put("com.sun.jndi.ldap.connect.timeout", Integer.toString(config.connectTimeoutMs()));
        environment.put("com.sun.jndi.ldap.read.timeout", Integer.toString(config.readTimeoutMs()));
        if (config.ca().isPresent()) {
            environment.put("java.naming.ldap.factory.socket", TrustedSockets.class.getName());
        }
        return environment;
    }

    private static byte[] password(Path file) throws IOException {
        Optional<String> line;
        try {
            if (Files.size(file) > PASSWORD_BYTES_MAX) {
                throw new IOException("password-file=" + file + " has more than " + PASSWORD_BYTES_MAX + " bytes, expected one line");
            }
            line = Files.readString(file).lines().findFirst();
        } catch (NoSuchFileException e) {
            throw new IOException("password-file=" + file + " does not exist", e);
        }
        PosixFileAttributeView rights = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (rights != null && rights.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ)) {
            throw new IOException("password-file=" + file + " can be read by others: chmod 600 " + file);
        }
        // With an empty one directories let anybody in, as nobody.
        return line.filter(text -> !text.isEmpty())
                .orElseThrow(() -> new IOException("password-file=" + file + " is empty, expected the password in its first line"))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (context != null) {
            closeQuietly(context);
            context = null;
        }
    }
}
