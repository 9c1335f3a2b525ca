package org.posthouse.names.ldap;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;

/**
 * Where a directory's names are, and as whom they are changed. Immutable.
 *
 * @param host a name or an address; IPv6 in brackets
 * @param isTls LDAPS; without it the host is this one
 * @param base the entry right below which all names are
 * @param user who binds to the directory
 * @param passwordFile its first line is the password; read at each connection
 * @param ca certificates of authorities in PEM, one of which has signed the server's; empty: those that Java trusts
 * @param connectTimeoutMs 1 to {@value #TIMEOUT_MS_MAX}
 * @param readTimeoutMs 1 to {@value #TIMEOUT_MS_MAX}, for each answer
 */
public record LdapConfig(
        String host, int port, boolean isTls, LdapName base, LdapName user, Path passwordFile, Optional<Path> ca, int connectTimeoutMs, int readTimeoutMs) {
    /** Longest of both timeouts. */
    public static final int TIMEOUT_MS_MAX = 60_000;

    /** What an operator is shown as an example. */
    public static final String EXAMPLE =
            "ldaps://host/ou=posthouse,dc=example,dc=org?user=cn=posthouse,dc=example,dc=org&password-file=/etc/posthouse/ldap.password";

    private static final int TIMEOUT_MS_DEFAULT = 5_000;
    private static final int PORT_MAX = 65_535;
    private static final List<String> KEYS = List.of("user", "password-file", "ca", "connect-timeout-ms", "read-timeout-ms");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    /** Refuses timeouts that are out of range, and passwords on their way in the clear. */
    public LdapConfig {
        checkTimeout("connect-timeout-ms", connectTimeoutMs);
        checkTimeout("read-timeout-ms", readTimeoutMs);
        if (!isTls && !isLoopback(host)) {
            throw new IllegalArgumentException("ldap:// to " + host + " would send the password and all names in the clear: use ldaps://" + host
                    + " (ldap:// is for a server on this host)");
        }
    }

    /**
     * Reads {@code ldap[s]://host[:port]/base?user=DN&password-file=FILE[&ca=FILE][&connect-timeout-ms=N][&read-timeout-ms=N]}.
     *
     * @throws IllegalArgumentException with one line that says what is wrong
     */
    public static LdapConfig parse(String text) {
        URI uri = uri(text);
        boolean isTls = "ldaps".equalsIgnoreCase(uri.getScheme());
        Map<String, String> options = options(uri.getRawQuery() == null ? "" : uri.getRawQuery());
        return new LdapConfig(
                uri.getHost(),
                port(uri, isTls),
                isTls,
                base(uri.getPath()),
                dn("user", required(options, "user")),
                Path.of(required(options, "password-file")),
                Optional.ofNullable(options.get("ca")).map(Path::of),
                timeout(options, "connect-timeout-ms"),
                timeout(options, "read-timeout-ms"));
    }

    private static URI uri(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("\"" + text + "\" is no address of a directory: " + e.getReason() + " at character " + e.getIndex()
                    + " (spaces are written %20); expected for instance " + EXAMPLE, e);
        }
        boolean isLdap = "ldap".equalsIgnoreCase(uri.getScheme()) || "ldaps".equalsIgnoreCase(uri.getScheme());
        if (!isLdap || uri.getHost() == null || uri.getUserInfo() != null || uri.getFragment() != null) {
            throw new IllegalArgumentException("\"" + text + "\" is no address of a directory: expected for instance " + EXAMPLE);
        }
        return uri;
    }

    private static int port(URI uri, boolean isTls) {
        int port = uri.getPort() == -1 ? isTls ? 636 : 389 : uri.getPort();
        if (port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException("port " + port + " of " + uri.getHost() + ", expected 1 to " + PORT_MAX);
        }
        return port;
    }

    private static LdapName base(String path) {
        if (path == null || path.length() < 2) {
            throw new IllegalArgumentException("the directory's address has no entry for the names after the host, expected for instance " + EXAMPLE);
        }
        return dn("base", path.substring(1));
    }

    private static LdapName dn(String what, String text) {
        try {
            LdapName dn = new LdapName(text);
            if (dn.isEmpty()) {
                throw new IllegalArgumentException(what + " is empty, expected a distinguished name as ou=posthouse,dc=example,dc=org");
            }
            return dn;
        } catch (InvalidNameException e) {
            throw new IllegalArgumentException(
                    what + " \"" + text + "\" is no distinguished name, expected one as ou=posthouse,dc=example,dc=org: " + e.getMessage(), e);
        }
    }

    private static Map<String, String> options(String query) {
        Map<String, String> options = new HashMap<>();
        for (String option : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int end = option.indexOf('=');
            String key = end < 0 ? option : option.substring(0, end);
            if (end < 0 || !KEYS.contains(key)) {
                throw new IllegalArgumentException("\"" + option + "\" in the directory's address is unknown, expected " + String.join("=, ", KEYS) + "=");
            }
            String value = URLDecoder.decode(option.substring(end + 1).replace("+", "%2B"), StandardCharsets.UTF_8);
            if (options.put(key, value) != null) {
                throw new IllegalArgumentException(key + " stands twice in the directory's address");
            }
        }
        return options;
    }

    private static String required(Map<String, String> options, String key) {
        String value = options.get(key);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException("the directory's address has no " + key + "=, expected for instance " + EXAMPLE);
        }
        return value;
    }

    private static int timeout(Map<String, String> options, String key) {
        String value = options.getOrDefault(key, Integer.toString(TIMEOUT_MS_DEFAULT));
        if (!NUMBER.matcher(value).matches()) {
            throw new IllegalArgumentException(key + "=" + value + ", expected milliseconds from 1 to " + TIMEOUT_MS_MAX);
        }
        return Integer.parseInt(value);
    }

    private static void checkTimeout(String key, int millis) {
        if (millis < 1 || millis > TIMEOUT_MS_MAX) {
            throw new IllegalArgumentException(key + "=" + millis + ", expected milliseconds from 1 to " + TIMEOUT_MS_MAX);
        }
    }

    /** Names other than localhost are not looked up: what they mean may change. */
    private static boolean isLoopback(String host) {
        try {
            boolean isAddress = host.startsWith("[") || host.matches("[0-9.]+");
            return "localhost".equalsIgnoreCase(host) || isAddress && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // No address, so no loopback one.
        }
    }

    /** The server, as JNDI has it. */
    String url() {
        return (isTls ? "ldaps" : "ldap") + "://" + host + ":" + port;
    }
}
