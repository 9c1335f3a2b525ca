package org.posthouse.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.KubernetesOptions;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.GridNodes;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.provision.HostFile;
import org.posthouse.launch.provision.StandingAgents;
import org.posthouse.wire.Token;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code posthouse agents}: agents that stand until they are stopped. */
@Command(
        name = "agents",
        description = "Starts agents on several hosts that stay until they are stopped, lists and stops them. Relays' lists of nodes are the only record.",
        mixinStandardHelpOptions = true,
        subcommands = {AgentsCommand.Start.class, AgentsCommand.Stop.class, AgentsCommand.Ls.class},
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  posthouse agents ls --relay login:7411 --token-file token"})
final class AgentsCommand {
    /** The relay, and what proves this user to it. */
    static final class AtRelay {
        @Option(
                names = "--relay",
                paramLabel = "HOST:PORT",
                required = true,
                converter = HostPort.Converter.class,
                description = "A running relay (its --listen).")
        private HostPort relay;

        @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relays.")
        private Path tokenFile;

        Token token() throws CommandFailure {
            return TokenFile.read(tokenFile);
        }

        /** Agents that this user has started, at the relay and at all that it knows. */
        List<GridNodes.Node> own() throws CommandFailure, JobFailure {
            GridNodes grid = GridNodes.ask(List.of(relay.toString()), token());
            grid.unreached().forEach(other -> System.err.println("posthouse agents: " + OneLine.of(other.toString())));
            return grid.nodes().stream().filter(node -> node.offer().labels().entrySet().containsAll(StandingAgents.label().entrySet())).toList();
        }
    }

    /** {@code posthouse agents start}. */
    @Command(
            name = "start",
            description = "Starts an agent on each host of a file, on each node of a Slurm batch job, or in each Pod of a Kubernetes Job.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Examples:",
                "  posthouse agents start --relay a:1 --hostfile h --launch-agent 'ssh {host}'",
                "  posthouse agents start --relay a:1 --token-file token --slurm '-N 4 -t 600'",
                "  posthouse agents start --relay a:1 --kubernetes agents.yaml --pods 4"
            })
    static final class Start implements Callable<Integer> {
        @Mixin
        private AtRelay at;

        @Option(names = "--hostfile", paramLabel = "FILE", description = "The hosts: HOST [slots=N] a line.")
        private Path hostFile;

        @Option(names = "--launch-agent", paramLabel = "COMMAND", description = "The command that runs another one on a host, such as 'ssh {host}'.")
        private String launchCommand;

        @Option(names = "--slurm", paramLabel = "OPTIONS", description = "Options of sbatch, such as '-N 4 -t 600'.")
        private String slurm;

        @Mixin
        private KubernetesOptions kubernetes;

        @Override
        public Integer call() throws CommandFailure {
            kubernetes.check();
            int ways = (hostFile == null ? 0 : 1) + (slurm == null ? 0 : 1) + (kubernetes.isGiven() ? 1 : 0);
            if ((hostFile == null) != (launchCommand == null) || ways != 1) {
                throw new CommandFailure("give --hostfile and --launch-agent, or --slurm, or --kubernetes");
            }
            try {
                if (kubernetes.isGiven()) {
                    System.out.println(kubernetes.createStanding(at.relay.toString()));
                    return 0;
                }
                Token token = at.token();
                if (slurm != null) {
                    if (at.tokenFile == null) {
                        throw new CommandFailure("--slurm: the agents read the token from --token-file, which the nodes need to see; name it");
                    }
                    String job = StandingAgents.submit(slurm, Installation.program(), at.relay.toString(), at.tokenFile);
                    System.out.println("Slurm's job " + job + " starts the agents; scancel " + job + " takes it back while it waits");
                    return 0;
                }
                List<String> without = StandingAgents.start(
                        launchCommand, HostFile.read(hostFile).hosts(), Installation.program(), host -> at.relay.toString(), token, System.err::println);
                without.forEach(line -> System.err.println("posthouse agents: " + line));
                return without.isEmpty() ? 0 : 1;
            } catch (JobFailure e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
    }

    /** {@code posthouse agents stop}. */
    @Command(
            name = "stop",
            description = "Stops agents that this user has started with posthouse agents start, each when its last job has left.",
            mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse agents stop --relay login:7411 --token-file token",
                "  posthouse agents stop --relay login:7411 --token-file token --now n1 n2"})
    static final class Stop implements Callable<Integer> {
        private static final long END_SECONDS = 30;
        private static final long LOOK_MS = 200;

        @Mixin
        private AtRelay at;

        @Option(names = "--now", description = "At once, with the ranks that run there.")
        private boolean now;

        @Parameters(paramLabel = "NAME", arity = "0..*", description = "Only these (default: all).")
        private List<String> names = List.of();

        @Override
        public Integer call() throws CommandFailure, InterruptedException {
            try {
                List<GridNodes.Node> chosen = at.own();
                if (!names.isEmpty()) {
                    List<GridNodes.Node> named = new ArrayList<>();
                    for (String name : names) {
                        named.add(NodesCommand.named(chosen, name));
                    }
                    chosen = named;
                }
                for (GridNodes.Node node : chosen) {
                    try (RelayClient relay = RelayClient.connect(node.address(), at.token())) {
                        relay.endAgent(node.offer().agent(), now);
                    }
                }
                return await(chosen);
            } catch (JobFailure e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }

        /** Those with jobs go on, without the option. */
        private int await(List<GridNodes.Node> chosen) throws CommandFailure, JobFailure, InterruptedException {
            List<Long> numbers = chosen.stream().map(node -> node.offer().agent()).toList();
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
            while (true) {
                List<GridNodes.Node> left = at.own().stream().filter(node -> numbers.contains(node.offer().agent())).toList();
                boolean allBusy = !now && left.stream().allMatch(node -> node.offer().jobsNow() > 0);
                if (left.isEmpty() || allBusy || System.nanoTime() > endNs) {
                    left.forEach(node -> System.out.println(node.fullName() + (allBusy ? " ends when its last job has left" : " has not ended")));
                    System.out.println(chosen.size() - left.size() + " of " + chosen.size() + " agents have ended");
                    return left.isEmpty() || allBusy ? 0 : 1;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        }
    }

    /** {@code posthouse agents ls}. */
    @Command(name = "ls", description = "Lists agents that this user has started with posthouse agents start.", mixinStandardHelpOptions = true,
            footer = {"", "Examples:", "  posthouse agents ls --relay login:7411 --token-file token",
                "  posthouse agents ls --relay login:7411 --token-file token --json"})
    static final class Ls implements Callable<Integer> {
        @Mixin
        private AtRelay at;

        @Option(names = "--json", description = "Print the agents as JSON.")
        private boolean json;

        @Override
        public Integer call() throws CommandFailure {
            try {
                List<GridNodes.Node> own = at.own();
                System.out.print(json ? NodesCommand.object(own, List.of()) + System.lineSeparator() : NodesTable.of(own));
                return 0;
            } catch (JobFailure e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
    }
}
