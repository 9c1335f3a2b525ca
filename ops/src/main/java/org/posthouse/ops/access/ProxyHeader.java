package org.posthouse.ops.access;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A reverse proxy that has logged its users in, and names them in a header. Immutable.
 *
 * @param address where its connections come from; a header from elsewhere is nothing
 * @param header the header's name
 * @param operators its users that give orders; all others look
 * @param uid the user of its process where it is on the relay's host, as any process there has the same address. Empty: the relay's own user, or root
 */
public record ProxyHeader(InetAddress address, String header, Set<String> operators, OptionalLong uid) {
    private static final Pattern HEADER = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,63}");

    /** Headers that say who a client is or how it is connected: no proxy may use one of them for its users. */
    private static final Set<String> TAKEN = Set.of("authorization", "cookie", "host", "origin", "forwarded", "via", "connection", "content-type");

    /** @throws IllegalArgumentException with what is expected */
    public ProxyHeader {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(uid, "uid");
        operators = Set.copyOf(operators);
        if (!HEADER.matcher(header).matches() || TAKEN.contains(header.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    "--ops-proxy-header is \"" + Shown.text(header) + "\", expected a header of the proxy's own, such as X-Remote-User");
        }
        operators.forEach(ProxyHeader::requireName);
    }

    private static void requireName(String name) {
        if (!ConsoleUser.isName(name)) {
            throw new IllegalArgumentException("--ops-proxy-operators has \"" + Shown.text(name) + "\", expected " + ConsoleUser.NAMES);
        }
    }

    /**
     * Whether a connection is the proxy's.
     *
     * @param from the address it comes from
     * @param peer the user of the process at its other end, such as "user 33"; empty if that is on another host
     * @param trusted whether that is the relay's own user, or root
     */
    public boolean isProxy(InetAddress from, Optional<String> peer, boolean trusted) {
        if (!address.equals(from)) {
            return false;
        }
        if (peer.isEmpty()) {
            return !from.isLoopbackAddress(); // Of a loopback connection the system must know the user.
        }
        return uid.isPresent() ? peer.get().equals("user " + uid.getAsLong()) : trusted;
    }

    /** The role of a user whom the proxy names. */
    public Role role(String name) {
        return operators.contains(name) ? Role.OPERATOR : Role.VIEWER;
    }
}
