package org.posthouse.cli.option;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.causes.Causes;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.keys.SiteName;
import org.posthouse.wire.HomeRelay;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The relay that an agent starts on its node: {@code --with-relay} and what belongs to it (ADR 83). */
public final class NodeRelayOptions {
    private static final int PORT_DEFAULT = 7_411;

    @Option(
            names = "--with-relay",
            description = "Start a relay on this node, named after it, and be its agent: ranks of this node are at home there. It dials --peer, and opens"
                    + " --relay-listen for launchers.")
    private boolean isGiven;

    @Option(
            names = "--peer",
            paramLabel = "RELAY=HOST:PORT",
            parameterConsumer = EachOnce.class,
            description = "With --with-relay: a relay of the site to dial at its --links, as a gateway to all others; may be repeated.")
    private Map<String, String> peers = new LinkedHashMap<>();

    @Option(names = "--relay-keys", paramLabel = "DIR", description = "With --with-relay: the site's keys, as \"posthouse keys issue\" wrote them.")
    private Path keys;

    @Option(
            names = "--relay-listen",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "With --with-relay: where ranks and launchers reach the node's relay (default: port 7411 of the address that reaches --peer).")
    private HostPort listen;

    @Option(
            names = "--relay-group",
            paramLabel = "PORT",
            defaultValue = "7414",
            description = "With --with-relay: the port of the --tunnel-group of the site's relay (default: ${DEFAULT-VALUE}).")
    private int groupPort;

    /** Whether a relay is to be started. */
    public boolean isGiven() {
        return isGiven;
    }

    /** Refuses what does not go together. */
    public void check(CommandSpec command, boolean hasRelay) {
        if (isGiven == hasRelay) {
            throw new ParameterException(command.commandLine(), isGiven
                    ? "--relay and --with-relay: an agent has one relay; give one of them"
                    : "--relay HOST:PORT names the site's relay, or --with-relay starts one: give one of them");
        }
        if (isGiven && (keys == null || peers.isEmpty())) {
            throw new ParameterException(
                    command.commandLine(), "--with-relay needs --relay-keys DIR, and --peer RELAY=HOST:PORT for the site's relay");
        }
        if (listen != null && (listen.port() == 0 || List.of("0.0.0.0", "::", "[::]").contains(listen.host()))) {
            throw new ParameterException(
                    command.commandLine(), "--relay-listen " + listen + ": name the address of this node, and a port, at which launchers reach it");
        }
        if (!isGiven && (keys != null || !peers.isEmpty() || listen != null)) {
            throw new ParameterException(command.commandLine(), "--peer, --relay-keys and --relay-listen are for --with-relay");
        }
    }

    /**
     * The id of a node's relay: of the site of the keys, with the node's name. What no relay's name may have becomes a
     * hyphen.
     */
    public RelayId id(String node) throws CommandFailure {
        String name = node.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-");
        if (!SiteName.isValid(name)) {
            throw new CommandFailure("a relay cannot be named after node \"" + node + "\", expected 1 to 63 of a-z, 0-9 and hyphen: give --name");
        }
        try {
            return new RelayId(SiteKeys.load(keys).site(), name);
        } catch (KeysException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The options of {@code posthouse relay}, except those of its log. {@code tokenFile} is null if there is none. */
    public List<String> options(RelayId id, Path tokenFile) throws CommandFailure {
        List<String> words = new ArrayList<>(List.of(
                "--site", id.site(), "--name", id.name(), "--keys", keys.toAbsolutePath().toString(), "--listen", address(),
                "--ops", "127.0.0.1:0", "--tunnel-group=" + groupPort));
        peers.forEach((relay, address) -> words.addAll(List.of("--peer", relay + "=" + address)));
        if (tokenFile != null) {
            words.addAll(List.of("--token-file", tokenFile.toAbsolutePath().toString()));
        }
        return words;
    }

    private String address() throws CommandFailure {
        if (listen != null) {
            return listen.toString();
        }
        String peer = peers.values().iterator().next();
        HostPort gateway = new HostPort.Converter().convert(peer);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(gateway.host(), gateway.port())); // Sends nothing.
            return HomeRelay.address(socket.getLocalAddress().getHostAddress(), PORT_DEFAULT);
        } catch (IOException | RuntimeException e) {
            throw new CommandFailure("no way to --peer " + peer + ": " + Causes.text(e), e);
        }
    }
}
