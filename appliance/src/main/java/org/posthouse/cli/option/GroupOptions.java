package org.posthouse.cli.option;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.directory.GroupConfig;
import org.posthouse.directory.GroupTiming;
import org.posthouse.keys.SiteProof;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.tunnel.forward.LoopbackConfig;
import picocli.CommandLine.Option;

/** The way in which a relay's group member reaches the others: on this host, or over the relays' links. */
public final class GroupOptions {
    private static final String GROUP = "posthouse";

    /** The door that leads to a relay's member, at every relay that has one. */
    private static final String DOOR = "group";

    @Option(
            names = "--group",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            defaultValue = "127.0.0.1:7414",
            description = "Where this relay's group member listens, on loopback (default: ${DEFAULT-VALUE}).")
    private HostPort group;

    @Option(
            names = "--member",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "Another member of the group; may be repeated.")
    private List<HostPort> members = List.of();

    @Option(
            names = "--tunnel-group",
            paramLabel = "PORT",
            arity = "0..1",
            fallbackValue = "7414",
            description = "Members meet over the relays' links, in place of --group and --member: each listens on loopback at its relay's own"
                    + " address, and at all other relays a port at that address leads there. The same port at all (default: ${FALLBACK-VALUE}).")
    private Integer tunnelPort;

    @Option(
            names = "--loopback",
            paramLabel = "RELAY=ADDRESS",
            parameterConsumer = EachOnce.class,
            description = "A relay's address for --tunnel-group, if two would have the same; the same at all relays. May be repeated.")
    private Map<String, String> addresses = new LinkedHashMap<>();

    /** Adds what is wrong with the addresses of members on this host to {@code problems}. */
    public void check(Problems problems) {
        if (tunnelPort == null) {
            problems.of(() -> onThisHost("relay", Optional.empty()));
        }
    }

    /** The settings of the group's traffic over links; empty if there is none. Adds errors to {@code problems}. */
    public Optional<LoopbackConfig> loopback(boolean linked, Problems problems) {
        if (tunnelPort == null) {
            if (!addresses.isEmpty()) {
                problems.add("--loopback is for --tunnel-group");
            }
            return Optional.empty();
        }
        if (!linked) {
            problems.add("--tunnel-group needs --keys, and --links or --peer: members meet over links");
        }
        if (!members.isEmpty()) {
            problems.add("--member is for members on this host: with --tunnel-group those of linked relays are found");
        }
        try {
            return Optional.of(new LoopbackConfig(DOOR, tunnelPort, addresses));
        } catch (IllegalArgumentException e) {
            problems.add(e.getMessage());
            return Optional.empty();
        }
    }

    /** The settings of the group that {@code relay} joins; over its links if there are any that carry it. */
    public GroupConfig config(RelayConfig relay) {
        Optional<LoopbackConfig> loopback = relay.links().flatMap(links -> links.forwards().loopback());
        return loopback.map(service -> overLinks(relay, service)).orElseGet(() -> onThisHost(relay.relay(), proof(relay)));
    }

    private GroupConfig onThisHost(String relay, Optional<SiteProof> proof) {
        return new GroupConfig(GROUP, group.host(), group.port(), members.stream().map(HostPort::toString).toList(), relay, GroupTiming.WAN, proof);
    }

    private static Optional<SiteProof> proof(RelayConfig relay) {
        return relay.links().map(links -> links.keys().proof());
    }

    private static GroupConfig overLinks(RelayConfig relay, LoopbackConfig service) {
        List<String> peers = relay.links().orElseThrow().peers().keySet().stream().map(service::endpointOf).toList();
        return new GroupConfig(
                GROUP, service.addressOf(relay.relay()), service.port(), peers, relay.relay(), GroupTiming.LINKS, proof(relay));
    }
}
