package org.posthouse.mpj.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The addresses of a relay. A host name may have several, some of which do not answer, which only a timed-out connect
 * shows. The one that answered last comes first. For one thread at a time.
 */
public final class RelayAddresses {
    /** Looks a host's addresses up. */
    interface Lookup {
        InetAddress[] of(String host) throws UnknownHostException;
    }

    private static final Pattern HOST_AND_PORT = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int PORT_MAX = 65_535;

    private final String hostAndPort;
    private final Lookup lookup;

    /** Null before the first answer. */
    private InetAddress answered;

    /** @param hostAndPort the relay, as host:port */
    public RelayAddresses(String hostAndPort) {
        this(hostAndPort, InetAddress::getAllByName);
    }

    /** For tests too. */
    public RelayAddresses(String hostAndPort, Lookup lookup) {
        this.hostAndPort = hostAndPort;
        this.lookup = lookup;
    }

    /**
     * The addresses in the order to try, at least one. Looked up anew each time: a host may move.
     *
     * @throws IOException if this is no address, or the host is not known
     */
    Iterable<InetSocketAddress> all() throws IOException {
        Matcher parts = HOST_AND_PORT.matcher(hostAndPort);
        if (!parts.matches() || Integer.parseInt(parts.group(2)) > PORT_MAX) {
            throw new IOException("expected host:port, a port of at most " + PORT_MAX);
        }
        String host = parts.group(1).replaceAll("^\\[|]$", "");
        int port = Integer.parseInt(parts.group(2));
        try {
            return Stream.of(lookup.of(host))
                    .sorted(Comparator.comparing(address -> !address.equals(answered)))
                    .map(address -> new InetSocketAddress(address, port))
                    .toList();
        } catch (UnknownHostException e) {
            throw new IOException("unknown host " + host, e);
        }
    }

    void answered(InetSocketAddress address) {
        answered = address.getAddress();
    }

    /** The address as given: host:port. */
    @Override
    public String toString() {
        return hostAndPort;
    }
}
