package org.posthouse.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.posthouse.ops.access.ConsoleTls;
import org.posthouse.ops.access.ProxyHeader;
import org.posthouse.ops.access.UsersFile;

/**
 * Where the console listens, which names it answers to, and who may give it orders. Immutable. Whoever reaches the port can look, unless
 * {@link Access#closed}, so the default is the loopback interface.
 *
 * @param host         address to listen on: what stands before the colon in {@code --ops}
 * @param port         TCP port, 0 to 65535, 0 lets the system choose: what stands behind it
 * @param allowedHosts further names that a browser may use in its Host header, without port: {@code --ops-name}.
 *                     Loopback names and the listen address always work.
 * @param access       who may give orders
 * @param tls          the certificate with which it speaks TLS alone; empty: it speaks plain HTTP
 */
public record OpsConfig(String host, int port, List<String> allowedHosts, Access access, Optional<ConsoleTls> tls) {
    /**
     * The access rules for orders and for reading.
     *
     * @param trust  tells the users at the other ends of connections
     * @param secret a client that presents it is allowed; empty: no client is allowed by a secret
     * @param closed whether a client that may not give orders may not look either: {@code --private-console}
     * @param audit receives orders, logins and refusals
     * @param users who else may log in, and then look or give orders: {@code --ops-users}. With it the console is closed
     * @param proxy a proxy that says who its users are: {@code --ops-proxy}. With it the console is closed
     */
    public record Access(
            PeerTrust trust, Optional<String> secret, boolean closed, ConsoleAudit audit, Optional<UsersFile> users, Optional<ProxyHeader> proxy) {
        /** No client may give orders, and all may read. */
        public static final Access NO_ORDERS = new Access(PeerTrust.NOBODY, Optional.empty(), false, ConsoleAudit.NONE);

        public Access {
            Objects.requireNonNull(trust, "trust");
            Objects.requireNonNull(audit, "audit");
        }

        /** The same without users. */
        public Access(PeerTrust trust, Optional<String> secret, boolean closed, ConsoleAudit audit) {
            this(trust, secret, closed, audit, Optional.empty(), Optional.empty());
        }

        /** The same with these users. */
        public Access users(Optional<UsersFile> file) {
            return new Access(trust, secret, closed, audit, file, proxy);
        }

        /** The same with this proxy. */
        public Access proxy(Optional<ProxyHeader> other) {
            return new Access(trust, secret, closed, audit, users, other);
        }

        /** The same with this secret. */
        public Access secret(Optional<String> other) {
            return new Access(trust, other, closed, audit, users, proxy);
        }

        /** The same with this audit log. */
        public Access audit(ConsoleAudit other) {
            return new Access(trust, secret, closed, other, users, proxy);
        }

        /** Whether a client that proves nothing may not look. */
        boolean isClosed() {
            return closed || users.isPresent() || proxy.isPresent();
        }

        @Override
        public String toString() {
            return secret.isPresent() ? "with a secret" : "without a secret";
        }
    }

    private static final String LOOPBACK = "127.0.0.1";

    /** Checks everything and reports all problems in one exception. */
    public OpsConfig {
        allowedHosts = List.copyOf(allowedHosts);
        List<String> problems = new ArrayList<>();
        if (host == null || host.isBlank()) {
            problems.add("--ops names no host; give an address to listen on, such as " + LOOPBACK);
        }
        if (port < 0 || port > 65535) {
            problems.add("--ops has the port " + port + "; give one from 0 to 65535");
        }
        for (String name : allowedHosts) {
            if (name.isBlank() || name.contains("/") || name.contains("*")) {
                problems.add("--ops-name is \"" + name + "\"; give a plain name without scheme or pattern");
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** One that speaks plain HTTP. */
    public OpsConfig(String host, int port, List<String> allowedHosts, Access access) {
        this(host, port, allowedHosts, access, Optional.empty());
    }

    /** The same console with TLS. */
    public OpsConfig tls(Optional<ConsoleTls> files) {
        return new OpsConfig(host, port, allowedHosts, access, files);
    }

    /**
     * A console on any host and port that answers to loopback names and that host only.
     *
     * @param host address to listen on
     * @param port 0 to 65535; 0 lets the system choose
     */
    public OpsConfig(String host, int port) {
        this(host, port, List.of(), Access.NO_ORDERS);
    }

    /** The same console, with others who may give it orders. */
    public OpsConfig access(Access other) {
        return new OpsConfig(host, port, allowedHosts, other, tls);
    }

    /**
     * A console that only this machine can reach.
     *
     * @param port 0 to 65535; 0 lets the system choose
     */
    public static OpsConfig loopback(int port) {
        return new OpsConfig(LOOPBACK, port);
    }
}
