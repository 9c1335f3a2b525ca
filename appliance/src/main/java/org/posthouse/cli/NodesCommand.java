package org.posthouse.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.GridNodes;
import org.posthouse.launch.place.GridRelays;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Token;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code posthouse nodes}: the agents of all relays that a relay knows, and how an operator drains one. */
@Command(
        name = "nodes",
        description = "Lists the nodes (posthouse agent) of a relay and of all relays that it knows, and drains one of them.",
        mixinStandardHelpOptions = true,
        footer = {"", "Status 0: all relays have answered. 3: a relay could not be asked.", "", "Examples:", "  posthouse nodes --relay 127.0.0.1:7411",
            "  posthouse nodes --relay login:7411 --token-file token --json", "  posthouse nodes --relay login:7411 --token-file token --drain n17"})
final class NodesCommand implements Callable<Integer> {
    @Option(
            names = "--relay",
            paramLabel = "HOST:PORT",
            required = true,
            converter = HostPort.Converter.class,
            description = "A running relay (its --listen); may be repeated.")
    private List<HostPort> relays = List.of();

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relays.")
    private Path tokenFile;

    @Option(names = "--json", description = "Print the nodes as JSON.")
    private boolean json;

    @ArgGroup
    private Order order;

    /** What is to become of a node. */
    static final class Order {
        @Option(
                names = "--drain",
                paramLabel = "NAME",
                description = "This node takes no new job from now on; jobs that have slots there go on. NAME@RELAY if several relays have a node of this name.")
        private String drain;

        @Option(names = "--undrain", paramLabel = "NAME", description = "This node takes jobs again.")
        private String undrain;

        private String name() {
            return drain != null ? drain : undrain;
        }
    }

    @Override
    public Integer call() throws CommandFailure {
        Token token = TokenFile.read(tokenFile);
        try {
            GridNodes grid = GridNodes.ask(relays.stream().map(HostPort::toString).toList(), token);
            grid.unreached().forEach(relay -> System.err.println("posthouse nodes: " + OneLine.of(relay.toString())));
            List<GridNodes.Node> nodes = order == null ? grid.nodes() : List.of(drained(grid, token));
            String others = order == null ? NodesTable.recorded(nodes, grid.recorded(), System.currentTimeMillis()) : "";
            System.out.print(json ? json(nodes, grid) + System.lineSeparator() : NodesTable.of(nodes) + others);
            return grid.unreached().isEmpty() ? 0 : ExitCode.ATTENTION.status();
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private GridNodes.Node drained(GridNodes grid, Token token) throws CommandFailure, JobFailure {
        GridNodes.Node node = named(grid.nodes(), order.name());
        try (RelayClient relay = RelayClient.connect(node.address(), token)) {
            AgentOffer now = relay.drain(node.offer().agent(), order.drain != null);
            return new GridNodes.Node(node.site(), node.relay(), node.address(), now);
        }
    }

    /** The only node with this name, or with NAME@RELAY. */
    static GridNodes.Node named(List<GridNodes.Node> nodes, String name) throws CommandFailure {
        List<GridNodes.Node> named = new ArrayList<>();
        for (GridNodes.Node node : nodes) {
            if (node.offer().name().equals(name) || node.fullName().equals(name)) {
                named.add(node);
            }
        }
        if (named.isEmpty()) {
            throw new CommandFailure("no node is called " + name + "; posthouse nodes lists " + nodes.size() + (nodes.size() == 1 ? " node" : " nodes"));
        }
        if (named.size() > 1) {
            throw new CommandFailure(
                    named.size() + " nodes are called " + name + ": " + String.join(", ", named.stream().map(GridNodes.Node::fullName).toList())
                            + "; name one of these");
        }
        return named.getFirst();
    }

    /** As {@link #object}, and, without an order, what the elected relay has recorded of relays that have not answered. */
    private String json(List<GridNodes.Node> nodes, GridNodes grid) {
        ObjectNode root = object(nodes, grid.unreached());
        if (order != null) {
            return root.toString();
        }
        root.put("leader", grid.recorded().leader());
        ArrayNode others = root.putArray("recorded");
        grid.recorded().relays().forEach(relay -> others.addObject()
                .put("site", relay.site())
                .put("relay", relay.relay())
                .put("address", relay.address())
                .put("nodes", relay.nodes())
                .put("slots", relay.slots())
                .put("writtenAt", relay.written()));
        return root.toString();
    }

    /** The nodes, and the relays that could not be asked, in one object. */
    static ObjectNode object(List<GridNodes.Node> nodes, List<GridRelays.Unreached> unreached) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ArrayNode listed = root.putArray("nodes");
        for (GridNodes.Node node : nodes) {
            AgentOffer offer = node.offer();
            ObjectNode labels = listed.addObject()
                    .put("site", node.site())
                    .put("relay", node.relay())
                    .put("name", offer.name())
                    .put("agent", String.format(Locale.ROOT, "%016x", offer.agent()))
                    .put("host", offer.host())
                    .put("state", NodesTable.state(offer))
                    .put("slots", offer.slots())
                    .put("free", offer.free())
                    .put("jobs", offer.jobs())
                    .put("jobsNow", offer.jobsNow())
                    .put("cores", offer.cores())
                    .put("memoryBytes", offer.memoryBytes())
                    .put("rttMicros", offer.rttMicros())
                    .put("version", offer.version())
                    .putObject("labels");
            offer.labels().forEach(labels::put);
        }
        ArrayNode missing = root.putArray("unreached");
        unreached.forEach(relay -> missing.addObject()
                .put("site", relay.site())
                .put("relay", relay.relay())
                .put("address", relay.address())
                .put("why", relay.why()));
        return root;
    }
}
