package org.posthouse.cli.option;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.posthouse.directory.GroupConfig;
import org.posthouse.directory.GroupTiming;
import org.posthouse.directory.LoopbackGuard;
import org.posthouse.keys.RelayId;
import org.posthouse.names.raft.RaftConfig;
import org.posthouse.names.raft.RaftTiming;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.forward.LoopbackAddress;
import picocli.CommandLine.Option;

/** The relays that judge names ({@code --names raft}), and how this one reaches them: each at its relay's own loopback address. */
public final class JudgesOptions {
    /** The door that leads to a relay's judge. */
    public static final String DOOR = "judge";

    private static final int PORT_MAX = 65_535;

    @Option(
            names = "--judges",
            paramLabel = "RELAY,…",
            split = ",",
            description = "The relays that keep the names of --names raft, by majority: 1, 3, 5 or 7, each as SITE or SITE/NAME, the same at all relays. A judge"
                    + " keeps them below --data.")
    private List<String> judges = List.of();

    @Option(
            names = "--judges-port",
            paramLabel = "PORT",
            defaultValue = "7415",
            description = "Where each judge listens, on its relay's own loopback address; the same at all relays (default: ${DEFAULT-VALUE}).")
    private int port;

    /**
     * Adds what is wrong to {@code problems}.
     *
     * @param isRaft whether the judges' names are used
     * @param relay this relay; it needs a data folder if it is a judge
     */
    public void check(boolean isRaft, RelayId relay, Path data, Problems problems) {
        if (!isRaft) {
            if (!judges.isEmpty()) {
                problems.add("--judges is for --names raft");
            }
            return;
        }
        for (String judge : judges) {
            if (!RelayId.isWritten(judge)) {
                problems.add("--judges \"" + judge + "\", expected SITE or SITE/NAME");
                return;
            }
        }
        if (port < 1 || port > PORT_MAX) {
            problems.add("--judges-port " + port + ", expected 1 to " + PORT_MAX);
            return;
        }
        if (addresses().containsKey(relay.toString()) && data == null) {
            problems.add("--judges names this relay, which needs --data DIR: a judge that forgets what it has answered is none");
        }
        problems.of(() -> new RaftConfig(relay.toString(), addresses(), Path.of("unused"), RaftTiming.WAN, null));
    }

    /** The doors and ports over links that judges need beside others: the own judge's, and those of the other judges. */
    public ForwardConfig over(String relay, ForwardConfig forwards) {
        ForwardConfig all = forwards;
        SortedMap<String, String> addresses = addresses();
        for (String judge : addresses.keySet()) {
            String endpoint = addresses.get(judge);
            all = judge.equals(relay) ? all.door(DOOR, endpoint) : all.serviceOf(judge, DOOR, endpoint);
        }
        return all;
    }

    /** The judges as {@code relay} reaches them; checked before. */
    public RaftConfig config(RelayConfig relay) {
        GroupConfig proofs = new GroupConfig("judges", LoopbackAddress.of(relay.relay()), port, List.of(), relay.relay(), GroupTiming.WAN,
                relay.links().map(links -> links.keys().proof()));
        return new RaftConfig(relay.relay(), addresses(), folder(relay.logFolder()), RaftTiming.WAN, new LoopbackGuard(proofs));
    }

    /** Beside the log. */
    private static Path folder(Optional<Path> log) {
        return log.map(folder -> folder.resolveSibling(folder.getFileName().toString().replaceFirst("log", "judge"))).orElse(Path.of("judge"));
    }

    private SortedMap<String, String> addresses() {
        SortedMap<String, String> addresses = new TreeMap<>();
        for (String judge : judges) {
            String id = RelayId.parse(judge).toString();
            addresses.put(id, LoopbackAddress.of(id) + ":" + port);
        }
        return addresses;
    }
}
