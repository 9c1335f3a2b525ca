package org.posthouse.cli.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.GridRelays;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.plan.HostPool;
import org.posthouse.plan.Lifetime;
import org.posthouse.plan.Weibull;
import org.posthouse.plan.WeibullFit;
import org.posthouse.wire.NodeLifetimes;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** When the hosts fail: as the options say, or as the relays of a grid have seen it. */
final class HostModelOptions {
    private static final double MS_PER_S = TimeUnit.SECONDS.toMillis(1);

    @Option(names = "--lambda", paramLabel = "RATE", converter = Quantities.Rate.class,
            description = "The rate at which a host fails, such as 0.002/h; a number alone is a second's.")
    private Double lambda;

    @Option(names = "--delta", paramLabel = "D", converter = Quantities.Shape.class,
            description = "The shape of the hosts' lifetimes: below 1 old hosts are better (default: 1).")
    private Double delta;

    @Option(names = "--from-directory",
            description = "In place of --lambda and --delta: as the nodes of --relay, and of all relays that it knows, have lived and failed. Their ages are the"
                    + " hosts' if there is no --uptime.")
    private boolean fromDirectory;

    @Option(names = "--relay", paramLabel = "HOST:PORT", converter = HostPort.Converter.class, description = "A running relay (its --listen); may be repeated.")
    private List<HostPort> relays = List.of();

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relays.")
    private Path tokenFile;

    /**
     * What is known of the hosts.
     *
     * @param host when one fails
     * @param pool those that there are
     * @param source where the parameters are from, for people; empty if they were given
     * @param notes what could not be asked, a line each
     */
    record Hosts(Weibull host, HostPool pool, String source, List<String> notes) {}

    /** Blocks while relays are asked. @throws ParameterException if the options do not fit together */
    Hosts model(CommandLine command) throws CommandFailure {
        if ((lambda == null) == !fromDirectory) {
            throw new ParameterException(command, "--lambda says how often a host fails, or --from-directory asks the relays: give one of them");
        }
        if (fromDirectory == relays.isEmpty()) {
            throw new ParameterException(command, "--from-directory and --relay go together: give both");
        }
        if (fromDirectory && delta != null) {
            throw new ParameterException(command, "--delta is of --lambda, which is not given");
        }
        return fromDirectory ? fitted() : new Hosts(new Weibull(lambda, delta == null ? 1 : delta), HostPool.unlimited(0), "", List.of());
    }

    private Hosts fitted() throws CommandFailure {
        try {
            GridRelays<List<NodeLifetimes.Lifetime>> grid =
                    GridRelays.ask(relays.stream().map(HostPort::toString).toList(), TokenFile.read(tokenFile), RelayClient::lifetimes);
            List<Lifetime> lifetimes = new ArrayList<>();
            List<HostPool.Age> ages = new ArrayList<>();
            for (NodeLifetimes.Lifetime each : grid.answers().stream().flatMap(List::stream).toList()) {
                double seconds = each.millis() / MS_PER_S;
                lifetimes.add(new Lifetime(seconds, each.state() == NodeLifetimes.State.FAILED));
                if (each.state() == NodeLifetimes.State.ALIVE) {
                    ages.add(new HostPool.Age(seconds, 1));
                }
            }
            WeibullFit fit = WeibullFit.of(lifetimes);
            String source =
                    "fitted to " + fit.lifetimes() + " lifetimes of nodes at " + grid.answers().size() + (grid.answers().size() == 1 ? " relay, " : " relays, ")
                            + fit.failures() + " of them ended by a failure";
            return new Hosts(fit.model(), new HostPool(ages), source, grid.unreached().stream().map(GridRelays.Unreached::toString).toList());
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage() + "; give --lambda and --delta", e);
        }
    }
}
