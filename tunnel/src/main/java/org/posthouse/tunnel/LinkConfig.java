package org.posthouse.tunnel;

import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the links of one relay are made with. Immutable; its constructor reports all problems together.
 *
 * @param site the relay's own site; must be the certificate's
 * @param relay the relay's id, as {@link RelayId} writes it; one of its site
 * @param epoch when the relay started: larger than at every earlier start of this relay, at least 1
 * @param keys the site's certificate and key
 * @param listenHost where to accept peers, or empty to dial only
 * @param listenPort 0 to 65,535; 0 lets the system choose
 * @param peers relay id to host:port, for the peers that this relay dials
 * @param windowBytes unacknowledged bytes per link past which it is not writable: 64 KiB to 1 GiB
 * @param connectionsMax accepted connections open at one time: 1 to 65,536
 * @param lanes connections of a link that this relay dials, 1 to {@link #LANES_MAX}; 0: as many as are of use
 * @param tls whose TLS is used
 * @param timeouts the named times
 * @param forwards what streams lead to and from
 * @param compression whether bulk goes packed
 */
public record LinkConfig(
        String site,
        String relay,
        long epoch,
        SiteKeys keys,
        String listenHost,
        int listenPort,
        Map<String, String> peers,
        long windowBytes,
        int connectionsMax,
        int lanes,
        TlsKind tls,
        LinkTimeouts timeouts,
        ForwardConfig forwards,
        Compression compression) {
    /** Most connections of one link: with 4 MiB in each, what Linux gives a connection, 28 MiB of bulk are on their way. */
    public static final int LANES_MAX = 8;

    /** Fills 10 Gbit/s over a round trip of 50 ms: 10e9 / 8 * 0.05 = 62.5 MB. */
    public static final long WINDOW_BYTES_DEFAULT = 64L * 1024 * 1024;

    /** Four for each of the {@link LinkTable#LINKS_MAX} links: one that lives, one that takes over from it, and lanes. */
    public static final int CONNECTIONS_MAX_DEFAULT = 4 * LinkTable.LINKS_MAX;

    private static final long WINDOW_BYTES_MIN = 64L * 1024;
    static final long WINDOW_BYTES_MAX = 1024L * 1024 * 1024;
    private static final int CONNECTIONS_MAX = 65_536;

    public LinkConfig {
        peers = Map.copyOf(peers);
        List<String> problems = new ArrayList<>();
        checkSelf(problems, site, relay, epoch, keys);
        checkRange(problems, "listen port", listenPort, 0, 65_535);
        checkRange(problems, "window bytes", windowBytes, WINDOW_BYTES_MIN, WINDOW_BYTES_MAX);
        checkRange(problems, "connections", connectionsMax, 1, CONNECTIONS_MAX);
        checkRange(problems, "lanes", lanes, 0, LANES_MAX);
        checkRange(problems, "peers", peers.size(), 0, LinkTable.LINKS_MAX);
        peers.forEach((peer, address) -> checkPeer(problems, relay, peer, address));
        tls.check(problems);
        timeouts.check(problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("links of relay " + relay + ": " + String.join("; ", problems));
        }
    }

    /** Links that only dial, with the default limits and times. */
    public static LinkConfig of(String relay, long epoch, SiteKeys keys) {
        return new LinkConfig(
                keys.site(),
                relay,
                epoch,
                keys,
                "",
                0,
                Map.of(),
                WINDOW_BYTES_DEFAULT,
                CONNECTIONS_MAX_DEFAULT,
                0,
                TlsKind.AUTO,
                LinkTimeouts.DEFAULT,
                ForwardConfig.NONE,
                Compression.AUTO);
    }

    /** The same relay, started as another epoch. */
    public LinkConfig epoch(long epoch) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same, accepting peers at {@code host}:{@code port}. */
    public LinkConfig listen(String host, int port) {
        return new LinkConfig(
                site, relay, epoch, keys, host, port, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same, dialling {@code peer} at {@code address}, host:port or [host]:port, too. */
    public LinkConfig peer(String peer, String address) {
        Map<String, String> more = new HashMap<>(peers);
        more.put(peer, address);
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, more, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same with other limits. */
    public LinkConfig limits(long windowBytes, int connectionsMax) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same with other times. */
    public LinkConfig timeouts(LinkTimeouts timeouts) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same with so many connections in each link that it dials; 0: as many as are of use. */
    public LinkConfig lanes(int lanes) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same with that TLS. */
    public LinkConfig tls(TlsKind tls) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same, with doors and ports to doors. */
    public LinkConfig forwards(ForwardConfig forwards) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    /** The same, packing bulk as {@code compression} says. */
    public LinkConfig compression(Compression compression) {
        return new LinkConfig(
                site, relay, epoch, keys, listenHost, listenPort, peers, windowBytes, connectionsMax, lanes, tls, timeouts, forwards,
                compression);
    }

    boolean listens() {
        return !listenHost.isEmpty();
    }

    /** The address of {@code peer} without the brackets of an IPv6 address. */
    HostAndPort addressOf(String peer) {
        return ForwardConfig.parse(peers.get(peer));
    }

    private static void checkSelf(List<String> problems, String site, String relay, long epoch, SiteKeys keys) {
        if (!SiteName.isValid(site)) {
            problems.add("site name \"" + site + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
        if (!site.equals(keys.site())) {
            problems.add("site " + site + ", but the certificate " + keys.certificate().file() + " is for site "
                    + keys.site());
        }
        if (!RelayId.isOf(site, relay)) {
            problems.add("relay id \"" + relay + "\", expected " + site + " or " + site + "/NAME");
        }
        checkRange(problems, "epoch", epoch, 1, Long.MAX_VALUE);
    }

    private static void checkPeer(List<String> problems, String relay, String peer, String address) {
        if (!RelayId.isWritten(peer) || peer.equals(relay)) {
            problems.add("peer \"" + peer + "\", expected another relay than " + relay + ", as SITE or SITE/NAME");
        }
        HostAndPort parsed = HostAndPort.parseAuthority(address, -1);
        if (parsed == null || parsed.port() < 1) {
            problems.add("address \"" + address + "\" of peer " + peer + ", expected host:port");
        }
    }

    private static void checkRange(List<String> problems, String what, long value, long min, long max) {
        if (value < min || value > max) {
            problems.add(what + " " + value + ", expected " + min + " to " + max);
        }
    }
}
