package org.posthouse.lab;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.posthouse.chaos.Campaign;
import org.posthouse.chaos.CampaignPlan;
import org.posthouse.chaos.CampaignReport;
import org.posthouse.cli.option.CheckpointOption;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.LogOptions;
import org.posthouse.cli.option.ModeOptions;
import org.posthouse.cli.option.ReplicasOption;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.launch.install.RelayGrid;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.provision.LocalAgents;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.host.UserToken;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FailureMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse chaos}: whether a job endures what it is promised to endure. */
@Command(
        name = "chaos",
        description = "Runs a job again and again, kills random ranks of it, their followers, its relays, the agents of its nodes, and its launchers, with SIGKILL,"
                + " and checks that every run verifies.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The program says \"Verification: SUCCESSFUL\" once if its result is right.",
            "Relays are processes that this one starts, and starts again where they were. The status is 0 only if every kill was survived.",
            "",
            "Examples:",
            "  posthouse chaos --job example:nas-is W -n 4 --kills 50",
            "  posthouse chaos --job example:ring -n 4 --sites 2 --kills 10 20000 1024",
            "  posthouse chaos --job example:heat -n 4 --kills 20 --launcher-every 3",
            "  posthouse chaos --job example:heat -n 6 --nodes 3 --kills 50 96 2000",
            "  posthouse chaos --job example:heat -n 3 -r 2 --kills 20 96 2000",
            "  posthouse chaos --job example:ring -n 3 -r 2 --durability none 20000 1024",
            "  posthouse chaos --job example:life -n 4 --kills 10 -- --pattern diehard",
            "  posthouse chaos --job example:waves -n 4 --kills 10 --checkpoint-every 100ms",
            "  posthouse chaos --job Main -cp main.jar --kills 10 --log-limit 64m"
        })
final class ChaosCommand implements Callable<Integer> {
    private static final int RELAY_EVERY = 10;

    /** Ranks, agents, relays. */
    private static final int IN_TURN = 3;

    /** Leaders and followers. */
    private static final int FOLLOWER_EVERY = 2;

    private static final int SITES_OF_NODES = 2;

    /** A killed agent does not come back as the same one. One whose relay was killed does, some 2 s after the relay. */
    private static final long NODE_TIMEOUT_MS = 5_000;

    @Spec
    private CommandSpec command;

    @Mixin
    private JobOptions job;

    @Option(names = "--kills", defaultValue = "10", paramLabel = "N", description = "How many processes are killed (default: ${DEFAULT-VALUE}).")
    private int kills;

    @Option(
            names = "--relay-every",
            paramLabel = "N",
            description = "Each N-th kill is of a relay, which is started again on its log; 0: none (default: 10; with --nodes 3; with"
                    + " --durability none 0).")
    private Integer relayEvery;

    @Option(
            names = "--nodes",
            defaultValue = "0",
            paramLabel = "N",
            description = "Agents of each of two sites, or of as many as --sites says, on which the ranks run; 0: they run without nodes"
                    + " (default: ${DEFAULT-VALUE}). Ranks, agents and relays are then killed in turn.")
    private int nodes;

    @Mixin
    private ReplicasOption replicas;

    @Option(
            names = "--follower-every",
            paramLabel = "N",
            description = "With --replicas each N-th kill of a rank is of a process that follows; 0: none (default: 2).")
    private Integer followerEvery;

    @Option(
            names = "--launcher-every",
            defaultValue = "0",
            paramLabel = "N",
            description = "The first kill and each N-th behind it is of the launcher, whose job is resumed at once; 0: none"
                    + " (default: ${DEFAULT-VALUE}).")
    private int launcherEvery;

    @Option(
            names = "--durability",
            defaultValue = "PROCESS",
            description = "none, process or host: what messages survive. none needs --replicas, and no relay is killed; nothing that is killed"
                    + " here needs host, which costs a disk's latency (default: process).")
    private Durability durability;

    @Mixin
    private CheckpointOption checkpoints;

    @Option(names = "--seed", paramLabel = "N", description = "Decides which ranks are killed, and when (default: another each time).")
    private Long seed;

    @Option(
            names = "--run-timeout",
            defaultValue = "120",
            paramLabel = "SECONDS",
            description = "A run that is not over then, and not after eight times the run without kills, is ended and has failed; a relay is waited for as long"
                    + " (default: ${DEFAULT-VALUE}).")
    private int runSecondsMax;

    @Option(names = "--json", description = "Print one JSON object at the end; the lines for people go to the error stream.")
    private boolean json;

    @Mixin
    private LogOptions log;

    @Mixin
    private ModeOptions mode;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        if (kills < 1 || runSecondsMax < 1) {
            throw new ParameterException(command.commandLine(), "--kills and --run-timeout are counts from 1");
        }
        if (relayEvery != null && relayEvery < 0 || launcherEvery < 0) {
            throw new ParameterException(command.commandLine(), "--relay-every and --launcher-every are counts from 0");
        }
        if (nodes < 0 || nodes == 1) {
            throw new ParameterException(command.commandLine(), "--nodes " + nodes + ", expected 2 or more: the ranks of a node that dies need another");
        }
        if (nodes > 0 && launcherEvery > 0) {
            throw new ParameterException(command.commandLine(), "--nodes and --launcher-every: give one of them");
        }
        checkReplicas();
        if (durability == Durability.NONE) {
            checkWithoutLog();
        }
        Map<String, String> environment = new HashMap<>();
        checkpoints.into(environment);
        // A killed relay comes back, however busy the host is. A thread that waits for it gives up with the run, and not
        // before.
        environment.put(Settings.RECONNECT_S, Integer.toString(Math.min(runSecondsMax, Settings.RECONNECT_S_MAX)));
        RestartPolicy restartPolicy = new RestartPolicy(CampaignPlan.KILLS_PER_RUN_MAX, TimeUnit.SECONDS.toMillis(runSecondsMax));
        JobSpec spec = job.spec(command, environment, durability, restartPolicy, replicas.replicas());
        try (Interruption interruption = Interruption.open();
                RelayGrid grid = RelayGrid.start(sites(), job.relaysPerSite(), relayOptions(), ready -> {}, interruption.cancellation());
                LocalAgents agents = LocalAgents.start(
                        grid.relays().stream().map(RelayProcess::ready).toList(), nodes, spec.ranks(), UserToken.find())) {
            NodeRequest request = nodes == 0 ? NodeRequest.LOCAL : NodeRequest.always(environment, NODE_TIMEOUT_MS);
            PlacementRequest placementRequest = new PlacementRequest(grid.addresses(), sites(), job.relaysPerSite(), UserToken.find(), request);
            long chosen = seed == null ? new SecureRandom().nextInt(1_000_000) : seed;
            return report(
                    new CampaignPlan(
                            spec, placementRequest, grid.relays(), agents.agents(), kills, everyFollower(), everyRelay(), nodes > 0 ? IN_TURN : 0,
                            launcherEvery,
                            chosen,
                            runSecondsMax),
                    grid, interruption);
        } catch (IOException e) {
            throw new CommandFailure("the relays, or their agents, cannot start: " + e.getMessage(), e);
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private void checkReplicas() throws CommandFailure {
        if (followerEvery != null && (followerEvery < 0 || !replicas.replicas().areWanted())) {
            throw new ParameterException(command.commandLine(), "--follower-every is a count from 0, and of use with --replicas 2 or more");
        }
        if (!replicas.replicas().areWanted()) {
            return;
        }
        replicas.check(job.ranks(), durability != Durability.NONE, FailureMode.RESTART, CampaignPlan.KILLS_PER_RUN_MAX, false, true);
        if (launcherEvery > 0) {
            throw new CommandFailure(
                    "-r " + replicas.replicas() + " and --launcher-every: another launcher cannot go on with followers; leave one of the two out");
        }
        int hosts = nodes / job.relaysPerSite();
        if (nodes > 0 && hosts < replicas.replicas().degree()) {
            throw new CommandFailure(
                    "-r " + replicas.replicas() + " wants " + replicas.replicas().degree() + " hosts at each relay, and --nodes " + nodes
                            + (job.relaysPerSite() == 1 ? "" : " with --relays-per-site " + job.relaysPerSite()) + " gives " + hosts + ": give --nodes "
                            + replicas.replicas().degree() * job.relaysPerSite() + " or more");
        }
    }

    /** Only followers survive then, and only the deaths of processes. */
    private void checkWithoutLog() throws CommandFailure {
        if (!replicas.replicas().areWanted()) {
            throw new ParameterException(
                    command.commandLine(), "a job with --durability none survives no kill: give --durability process or host, or followers with -r 2");
        }
        if (relayEvery != null && relayEvery > 0) {
            throw new CommandFailure(
                    "--relay-every " + relayEvery + " and --durability none: without a log followers read from the memory of their relay, and the job"
                            + " ends with it; leave one of the two out");
        }
        if (IntStream.of(replicas.replicas().degrees(job.ranks())).anyMatch(degree -> degree == 1)) {
            throw new CommandFailure(
                    "-r " + replicas.replicas() + " and --durability none: without a log the death of a rank that is not replicated ends the job, and"
                            + " each rank may be killed; give -r " + replicas.replicas().degree() + ", or --durability process");
        }
    }

    private int everyRelay() {
        if (relayEvery != null) {
            return relayEvery;
        }
        return durability == Durability.NONE ? 0 : nodes > 0 ? IN_TURN : RELAY_EVERY;
    }

    private int everyFollower() {
        if (!replicas.replicas().areWanted()) {
            return 0;
        }
        return followerEvery == null ? FOLLOWER_EVERY : followerEvery;
    }

    private int sites() {
        return nodes > 0 ? Math.max(job.sites(), SITES_OF_NODES) : job.sites();
    }

    private List<String> relayOptions() throws CommandFailure {
        return Stream.of(mode.arguments(), log.arguments()).flatMap(List::stream).toList();
    }

    private int report(CampaignPlan plan, RelayGrid grid, Interruption interruption) throws InterruptedException {
        PrintStream people = new PrintStream(json ? System.err : System.out, true, StandardCharsets.UTF_8);
        CampaignReport report;
        try {
            report = new Campaign(plan, people, interruption::guardNext).run();
        } catch (JobFailure e) {
            System.err.println(command.qualifiedName() + ": " + e.getMessage()); // Not behind the interruption's end: this process may be gone then.
            return ExitCode.FAILED.status();
        }
        report.print(people);
        if (!report.lostRelay().isEmpty()) {
            people.println("what its relays have said and logged stays in " + grid.keep());
        }
        if (json) {
            System.out.println(report.json());
        }
        return report.isSuccess() ? 0 : ExitCode.FAILED.status();
    }
}
