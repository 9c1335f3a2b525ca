package org.posthouse.tunnel;

import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.SiteName;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.socket.TlsKind;
import org.posthouse.tunnel.window.LinkWindow;

/**
 * The configuration of one relay's links. Immutable; its constructor reports all problems together.
 *
 * @param relay the relay's id, as {@link RelayId} writes it; one of the certificate's site
 * @param epoch of the relay's start: larger than at every earlier start of this relay, at least 1
 * @param keys the site's certificate and key
 * @param listenHost where to accept peers, or empty to dial only
 * @param listenPort 0 to 65,535; 0 lets the system choose
 * @param peers relay id to host:port, for the peers that this relay dials
 * @param limits the resource limits of the links
 * @param tls the TLS implementation
 * @param timeouts the named times
 * @param forwards the doors and ports of streams
 * @param compression whether bulk is packed
 */
public record LinkConfig(
        String relay,
        long epoch,
        SiteKeys keys,
        String listenHost,
        int listenPort,
        Map<String, String> peers,
        LinkLimits limits,
        TlsKind tls,
        LinkTimeouts timeouts,
        ForwardConfig forwards,
        Compression compression) {
    public LinkConfig {
        peers = Map.copyOf(peers);
        List<String> problems = new ArrayList<>();
        checkSelf(problems, keys.site(), relay, epoch);
        LinkLimits.checkRange(problems, "listen port", listenPort, 0, 65_535);
        LinkLimits.checkRange(problems, "peers", peers.size(), 0, LinkLimits.LINKS_MAX);
        peers.forEach((peer, address) -> checkPeer(problems, relay, peer, address));
        limits.check(problems);
        tls.check(problems);
        timeouts.check(problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("links of relay " + relay + ": " + String.join("; ", problems));
        }
    }

    /** Creates a configuration that only dials, with the default limits and times. */
    public static LinkConfig of(String relay, long epoch, SiteKeys keys) {
        return new LinkConfig(
                relay, epoch, keys, "", 0, Map.of(), LinkLimits.DEFAULT, TlsKind.AUTO, LinkTimeouts.DEFAULT, ForwardConfig.NONE, Compression.AUTO);
    }

    /** A copy with another epoch. */
    public LinkConfig epoch(long epoch) {
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, peers, limits, tls, timeouts, forwards, compression);
    }

    /** A copy that accepts peers at {@code host}:{@code port}. */
    public LinkConfig listen(String host, int port) {
        return new LinkConfig(relay, epoch, keys, host, port, peers, limits, tls, timeouts, forwards, compression);
    }

    /** A copy that also dials {@code peer} at {@code address}, host:port or [host]:port. */
    public LinkConfig peer(String peer, String address) {
        Map<String, String> more = new HashMap<>(peers);
        more.put(peer, address);
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, more, limits, tls, timeouts, forwards, compression);
    }

    /** A copy that dials only those of its peers. */
    public LinkConfig dialling(Predicate<String> which) {
        Map<String, String> fewer = new HashMap<>(peers);
        fewer.keySet().removeIf(which.negate());
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, fewer, limits, tls, timeouts, forwards, compression);
    }

    /** A copy with other limits. */
    public LinkConfig limits(long windowBytes, int connectionsMax) {
        return limits(new LinkLimits(windowBytes, connectionsMax, limits.lanes()));
    }

    /** A copy with other times. */
    public LinkConfig timeouts(LinkTimeouts timeouts) {
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, peers, limits, tls, timeouts, forwards, compression);
    }

    /** A copy with this number of connections in each link that it dials; 0: as many as are useful. */
    public LinkConfig lanes(int lanes) {
        return limits(new LinkLimits(limits.windowBytes(), limits.connectionsMax(), lanes));
    }

    private LinkConfig limits(LinkLimits limits) {
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, peers, limits, tls, timeouts, forwards, compression);
    }

    /** A copy with another TLS implementation. */
    public LinkConfig tls(TlsKind tls) {
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, peers, limits, tls, timeouts, forwards, compression);
    }

    /** A copy with doors and ports to doors. */
    public LinkConfig forwards(ForwardConfig forwards) {
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, peers, limits, tls, timeouts, forwards, compression);
    }

    /** A copy that packs bulk as {@code compression} says. */
    public LinkConfig compression(Compression compression) {
        return new LinkConfig(relay, epoch, keys, listenHost, listenPort, peers, limits, tls, timeouts, forwards, compression);
    }

    /** Maximum number of open sockets: accepted and dialled ones, and one end of each stream. */
    public int socketsMax() {
        return limits.connectionsMax() + peers.size() * LinkWindow.LANES_MAX + forwards.streams().streams();
    }

    /** The relay's own site. */
    String site() {
        return keys.site();
    }

    boolean listens() {
        return !listenHost.isEmpty();
    }

    /** The address of {@code peer}; an IPv6 address has no brackets. */
    HostAndPort addressOf(String peer) {
        return ForwardConfig.parse(peers.get(peer));
    }

    private static void checkSelf(List<String> problems, String site, String relay, long epoch) {
        if (!SiteName.isValid(site)) {
            problems.add("site name \"" + site + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
        if (!RelayId.isOf(site, relay)) {
            problems.add("relay id \"" + relay + "\", expected " + site + " or " + site + "/NAME");
        }
        LinkLimits.checkRange(problems, "epoch", epoch, 1, Long.MAX_VALUE);
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
}
