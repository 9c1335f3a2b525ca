package org.posthouse.cli;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.BusyPollTime;
import org.posthouse.cli.option.CheckpointOption;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.EagerMax;
import org.posthouse.cli.option.FailureOption;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.option.InputOption;
import org.posthouse.cli.option.JobProgram;
import org.posthouse.cli.option.LogOptions;
import org.posthouse.cli.option.LogWords;
import org.posthouse.cli.option.MemoryOptions;
import org.posthouse.cli.option.ModeOptions;
import org.posthouse.cli.option.NodeOptions;
import org.posthouse.cli.option.PartsOptions;
import org.posthouse.cli.option.RankOptions;
import org.posthouse.cli.option.ReplicasOption;
import org.posthouse.cli.option.SupervisedOption;
import org.posthouse.cli.option.TagOption;
import org.posthouse.cli.option.WholeNumber;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.cli.terminal.Signals;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.PlacementPlan;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.provision.LaunchedAgents;
import org.posthouse.mpj.ArgumentWords;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.SocketKind;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;
import org.posthouse.relay.host.VertxPrestart;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse run}: starts an MPI program. */
@Command(
        name = "run",
        description = "Runs an MPI program; its ranks' output is tagged and its status is this command's.",
        mixinStandardHelpOptions = true,
        customSynopsis = "posthouse run -n N [OPTION...] CLASS [ARG...]",
        footer = {
            "",
            "Examples:",
            "  posthouse run -n 4 example:pi",
            "  posthouse run -n 4 --sites 2 -cp pi.jar Pi",
            "  posthouse run -n 16 --sites 2 --relays-per-site 2 -cp pi.jar Pi",
            "  posthouse run -n 8 --relay 127.0.0.1:7411 --sites 2 -cp job.jar Main in.txt",
            "  posthouse run --expect a=64,b=32 --relay 127.0.0.1:7411 -cp job.jar Main"
        })
public final class RunCommand implements Callable<Integer> {
    /** Default of the seconds for which relays keep a job that has a folder. */
    private static final int KEEP_SECONDS = 86_400;

    /** Status of a job whose nodes have all lost their agents. */
    private static final int STATUS_NODES_LOST = 1;

    @Spec
    private CommandSpec command;

    /** Complete when the job is prepared. */
    private final CompletableFuture<JobRun> job = new CompletableFuture<>();

    @Option(names = {"-n", "-np", "--ranks"}, paramLabel = "N", converter = WholeNumber.Positive.class,
            description = "Number of ranks. Needed without --expect.")
    private int ranks;

    @Option(
            names = "--sites",
            paramLabel = "S",
            description = "Number of sites to spread over (default: one, or one for each --relay); or, on nodes, names of sites: a,b, or with"
                    + " their numbers of ranks, a:8,b:4.")
    private String sitesWord = "0";

    /** Number of sites, or 0. */
    private int sites;

    /** Names of sites, or empty. */
    private String siteNames = "";

    @Option(
            names = "--relays-per-site",
            paramLabel = "K",
            converter = WholeNumber.NotNegative.class,
            description = "Number of relays to use at each site (default: all that a --relay knows there, or one in this process).")
    private int relaysPerSite;

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description = "Connections for each link between relays in this process, 1 to 8; 0: as many as are of use (default: 0).")
    private int lanes;

    @Option(
            names = "--relay",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "A running relay to join; may be repeated. Its site's ranks are spread over all relays there, by load."
                    + " Without it, relays run inside this process.")
    private List<HostPort> relays = List.of();

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relays.")
    private Path tokenFile;

    @Option(
            names = "--durability",
            defaultValue = "NONE",
            description = "What messages survive: none; process: the death of any process; host: of a relay's host too, at the price of its"
                    + " disk's latency for what goes to other sites (default: none).")
    private Durability durability;

    @Option(
            names = "--max-restarts",
            paramLabel = "N",
            converter = WholeNumber.NotNegative.class,
            description = "How often each rank of a logged job is started again after its process was killed or has lost its relay, until"
                    + " it has gone on for an hour; 0: the job ends with it. With --on-failure rebuild: new processes of each rank (default: 3).")
    private int maxRestarts = RestartPolicy.DEFAULT.maxRestarts();

    @Mixin
    private FailureOption onFailure;

    @Mixin
    private ReplicasOption replicas;

    @Option(
            names = "--relay-timeout",
            paramLabel = "SECONDS",
            converter = WholeNumber.NotNegative.class,
            description = "How long a logged job that has lost a relay dials it again, which brings the job back from its log; 0: the job"
                    + " ends with it (default: 60).")
    private int relayTimeoutSeconds = (int) TimeUnit.MILLISECONDS.toSeconds(RestartPolicy.DEFAULT.relayTimeoutMs());

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "A new folder that keeps what another launcher needs: if this one dies, is interrupted or cannot go on, the job stands still, and"
                    + " posthouse resume DIR goes on with it. For a logged job at running relays.")
    private Path folder;

    @Option(
            names = "--launcher-timeout",
            paramLabel = "SECONDS",
            description = "How long the relays of a logged job keep it without its launcher, at most 31 days; 0: as they are set (default: 0;"
                    + " with --folder 86400, a day).")
    private Integer launcherTimeoutSeconds;

    @Mixin
    private CheckpointOption checkpoints;

    @Option(
            names = "--silence",
            paramLabel = "SECONDS",
            converter = WholeNumber.NotNegative.class,
            description = "A process that a signal has stopped for so long is killed, and started again, or a follower leads; 0: never. For jobs"
                    + " with a log or with -r (default: 30).")
    private int silenceSeconds = RestartPolicy.DEFAULT.silenceSeconds();

    @Mixin
    private NodeOptions nodes;

    @Mixin
    private PartsOptions parts;

    @Mixin
    private ModeOptions mode;

    @Mixin
    private LogOptions log;

    @Mixin
    private MemoryOptions memory;

    @Option(names = {"-cp", "--class-path"}, paramLabel = "JAR[:DIR...]", description = "The program's jars and folders; DIR/* is all jars in DIR.")
    private String classPath = "";

    @Option(
            names = "--args",
            paramLabel = "WORDS",
            description = "What stands before the program's own arguments: default: nothing; mpjexpress: rank, configuration"
                    + " and device; mpijava: the rank. MPI.Init takes it away again.")
    private ArgumentWords words;

    @Option(
            names = "--eager-max",
            paramLabel = "BYTES",
            converter = EagerMax.class,
            description = "Longest message that a standard send does not hold back until it is received, such as 128k;"
                    + " at most 1m (default: 256k).")
    private Settings settings;

    @Option(
            names = "--busy-poll",
            paramLabel = "MICROS",
            converter = BusyPollTime.class,
            description = "How long a blocked call of a rank, and a relay that this command starts, ask again and again before they sleep,"
                    + " at most 1000000;"
                    + " faster if every rank has a processor of its own (default: 0).")
    private Integer busyPollUs;

    @Option(names = "--jvm", paramLabel = "FLAG", description = "A further flag for the ranks' JVMs; may be repeated.")
    private List<String> jvmFlags = List.of();

    @Mixin
    private TagOption tags;

    @Mixin
    private InputOption input;

    @Mixin
    private RankOptions rankOptions;

    @Option(names = "--dry-run", description = "Print where the ranks would be, and start nothing.")
    private boolean dryRun;

    @Option(
            names = "--compare-stderr",
            description = "Tell where a rank that was started again prints something else to standard error than before, too: not only to standard output.")
    private boolean compareErr;

    @Option(
            names = "--no-output-tail",
            description = "Send the relays nothing of what ranks print: their consoles show no output of this job.")
    private boolean noOutputTail;

    @Mixin
    private SupervisedOption supervised;

    @Parameters(
            index = "0..*",
            arity = "1..*",
            paramLabel = "CLASS [ARG...]",
            description = "The program's main class, a jar that names it, or example:NAME, and its arguments.")
    private List<String> program = List.of();

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        boolean isCount = sitesWord.matches("-?[0-9]{1,9}");
        sites = isCount ? Integer.parseInt(sitesWord) : 0;
        siteNames = isCount ? "" : sitesWord;
        String ofOtherAgents = LogWords.given(command, "--sites", "--nodes", "--slurm", "--kubernetes", "--pods", "--hostfile", "--launch-agent");
        ranks = parts.ranks(ranks, command.commandLine().getParseResult().hasMatchedOption("--ranks"), ofOtherAgents);
        if (ranks > JobOpen.RANKS_MAX) {
            throw new ParameterException(command.commandLine(), "-n " + ranks + ", expected 1 to " + JobOpen.RANKS_MAX + " ranks");
        }
        checkSites();
        if (lanes < 0 || lanes > LinkWindow.LANES_MAX) {
            throw new ParameterException(command.commandLine(), "--lanes is a count from 0 to " + LinkWindow.LANES_MAX);
        }
        if (!relays.isEmpty()) {
            refuseOfRelaysInside();
        } else {
            nodes.requireNoAgents();
            if (parts.areExpected()) {
                throw new ParameterException(command.commandLine(), "--expect waits for agents, which dial a running relay: name it with --relay");
            }
        }
        if (parts.areExpected() && replicas.replicas().areWanted()) {
            throw new ParameterException(
                    command.commandLine(),
                    "-r " + replicas.replicas() + " and --expect: the parts bring a slot for each rank, and followers need more; leave one of the two out");
        }
        rankOptions.check();
        onFailure.check(durability != Durability.NONE, maxRestarts, folder != null);
        FailureMode failureMode = onFailure.mode(durability != Durability.NONE);
        replicas.check(ranks, durability != Durability.NONE, failureMode, maxRestarts, folder != null, nodes.areRanksInOrder());
        maxRestarts = failureMode == FailureMode.ABORT ? 0 : maxRestarts;
        int keepSeconds = keepSeconds();
        Map<String, String> environment = environment(System.getenv());
        withoutEffect().ifPresent(System.err::println);
        JobProgram found = JobProgram.find(program.get(0), classPath);
        JobSpec spec = new JobSpec(
                program.get(0),
                ranks,
                found.classPath(),
                found.mainClass(),
                program.subList(1, program.size()),
                Stream.concat(found.jvmFlags().stream(), jvmFlags.stream()).toList(),
                environment,
                durability,
                new RestartPolicy(maxRestarts, TimeUnit.SECONDS.toMillis(relayTimeoutSeconds), silenceSeconds, keepSeconds, failureMode),
                new RankStreams(supervised.isOn() ? RankStreams.NO_INPUT : input.ranks(command, ranks), compareErr, !noOutputTail),
                replicas.replicas());
        Signals.ignore("TTIN"); // Of a terminal that gives its input to others.
        JobOutcome outcome;
        try (Interruption interruption = Interruption.open()) {
            outcome = relays.isEmpty() ? runEmbedded(spec, interruption) : runJoined(spec, interruption);
            Epilogue.tellLeft(outcome, folder);
        }
        return Epilogue.tell(outcome);
    }

    /** Refuses more sites than processes, before a relay is started or asked. */
    private void checkSites() {
        if (sites < 0) {
            throw new ParameterException(command.commandLine(), "--sites " + sitesWord + ": expected a whole number of 1 or more, or names of sites");
        }
        int degree = replicas.replicas().degree();
        int processes = ranks * degree;
        if (sites > processes) {
            throw new ParameterException(
                    command.commandLine(), "-n " + ranks + (degree > 1 ? ", -r " + degree : "") + " and --sites " + sites + ": each site needs a "
                            + (degree > 1 ? "process" : "rank") + ", expected at most " + (processes == 1 ? "1 site" : processes + " sites"));
        }
    }

    /**
     * Seconds for which relays keep the job, by {@code --folder} and {@code --launcher-timeout}.
     *
     * @throws CommandFailure if the job could not be continued
     */
    private int keepSeconds() throws CommandFailure {
        int seconds = launcherTimeoutSeconds == null ? folder == null ? 0 : KEEP_SECONDS : launcherTimeoutSeconds;
        if (seconds < 0 || seconds > JobOpen.KEEP_SECONDS_MAX) {
            throw new ParameterException(
                    command.commandLine(), "--launcher-timeout " + seconds + ", expected 0 to " + JobOpen.KEEP_SECONDS_MAX + " seconds (31 days)");
        }
        if (folder != null && (relays.isEmpty() || durability == Durability.NONE || maxRestarts == 0)) {
            throw new CommandFailure("--folder is for a job that can be gone on with: give --relay, as relays inside this command end with it, and"
                    + " --durability process or host, and not --max-restarts 0");
        }
        return seconds;
    }

    private void refuseOfRelaysInside() {
        String given =
                LogWords.given(command, "--mode", "--loops", "--pipeline", "--lanes", "--log-limit", "--log-high-mark", "--on-log-full", "--unexpected-max");
        if (!given.isEmpty()) {
            throw new ParameterException(command.commandLine(), given + ": of relays inside this process; with --relay, posthouse relay has them");
        }
    }

    /** A notice about log options that were given to a job without a log; empty if there are none. */
    public Optional<String> withoutEffect() {
        if (durability != Durability.NONE) {
            return Optional.empty();
        }
        boolean endsSilent = replicas.replicas().areWanted(); // So that a follower leads.
        String[] ofLog = Stream.of("--max-restarts", "--relay-timeout", "--launcher-timeout", "--checkpoint-every", "--silence", "--log-limit",
                "--log-high-mark", "--on-log-full")
                .filter(option -> !endsSilent || !option.equals("--silence"))
                .filter(option -> !onFailure.startsAgain(false) || !option.equals("--max-restarts"))
                .toArray(String[]::new);
        return LogWords.withoutLog(command, "the job is not logged; give --durability process", ofLog);
    }

    /**
     * The variables that flags set for the ranks; for a job with a folder, all variables that its ranks need. Where no
     * flag is given, the user's own environment is checked.
     */
    Map<String, String> environment(Map<String, String> own) throws CommandFailure {
        Map<String, String> environment = ofFlags(own);
        Map<String, String> all = new HashMap<>(own);
        all.putAll(environment);
        try {
            ArgumentWords.of(all);
            Settings.of(all);
            Endpoints.checkpointMs(all);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
        Path java = Installation.rankJava(all);
        if (!Files.isExecutable(java)) {
            throw new CommandFailure("no program " + java + ": " + Installation.RANK_JAVA_HOME + " names the folder of the ranks' Java");
        }
        if (folder == null) {
            return environment;
        }
        all.putIfAbsent(Installation.RANK_JAVA_HOME, ""); // What it is where another launcher goes on is none of this job's.
        return all;
    }

    /** The variables that flags set for the ranks. */
    private Map<String, String> ofFlags(Map<String, String> own) throws CommandFailure {
        Map<String, String> environment = new HashMap<>(rankOptions.environment(own));
        if (words != null) {
            environment.put(ArgumentWords.VARIABLE, words.word());
        }
        if (settings != null) {
            environment.put(Settings.EAGER_MAX, Integer.toString(settings.eagerBytesMax()));
        }
        if (busyPollUs != null) {
            environment.put(Settings.BUSY_POLL, Integer.toString(busyPollUs));
        }
        boolean longer = durability != Durability.NONE && relayTimeoutSeconds > Settings.DEFAULT.reconnectS();
        if (longer && !own.containsKey(Settings.RECONNECT_S)) {
            environment.put(Settings.RECONNECT_S, Integer.toString(Math.min(relayTimeoutSeconds, Settings.RECONNECT_S_MAX)));
        }
        checkpoints.into(environment);
        return environment;
    }

    private JobOutcome runEmbedded(JobSpec spec, Interruption interruption) throws CommandFailure, InterruptedException {
        int count = Math.max(1, sites);
        int each = Math.max(1, relaysPerSite);
        ModeConfig placed = mode.config();
        Optional<LogLimits> logs = spec.logged() ? Optional.of(log.limits()) : Optional.empty();
        Vertx vertx = VertxPrestart.take(new EventLoopKind(SocketKind.AUTO, busyPollUs == null ? 0 : busyPollUs));
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, count, each, logs, placed, lanes, memory.unexpectedBytes(), interruption::isStopped)) {
            return run(spec, new PlacementRequest(grid.addresses(), count, each, UserToken.find(), nodes.withFiles(nodes.local())), interruption);
        } catch (IOException e) {
            throw new CommandFailure("the embedded relays cannot start: " + e.getMessage(), e);
        } finally {
            vertx.close().await();
        }
    }

    private NodeRequest nodeRequest(Map<String, String> labels) throws CommandFailure {
        return nodes.withFiles(nodes.request(siteNames, labels, ofFlags(System.getenv())));
    }

    private JobOutcome runJoined(JobSpec spec, Interruption interruption) throws CommandFailure, InterruptedException {
        List<String> addresses = relays.stream().map(HostPort::toString).toList();
        Token token = TokenFile.read(tokenFile);
        if (parts.areExpected()) {
            NodeRequest request = nodes.withFiles(nodes.request(parts.sites(), parts.label(), ofFlags(System.getenv())));
            return run(spec, new PlacementRequest(addresses, 0, relaysPerSite, token, request, parts.request(tokenFile)), interruption);
        }
        if (!nodes.launchesAgents()) {
            return run(spec, new PlacementRequest(addresses, sites, relaysPerSite, token, nodeRequest(Map.of())), interruption);
        }
        try (LaunchedAgents agents = interruption.guardWait(
                () -> nodes.launch(addresses, token, System.err::println, what -> timeIsNearlyOver(what)))) {
            job.thenAccept(running -> agents.whenAllLost(why -> running.leave(STATUS_NODES_LOST, why)));
            return run(spec, new PlacementRequest(addresses, sites, relaysPerSite, token, nodeRequest(agents.label())), interruption);
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The launcher prints what the ranks do about it. */
    private void timeIsNearlyOver(String what) {
        job.thenAccept(running -> running.askForCheckpoints(what));
    }

    private JobOutcome run(JobSpec spec, PlacementRequest placementRequest, Interruption interruption) throws CommandFailure, InterruptedException {
        try {
            if (dryRun) {
                interruption.guardWait(() -> PlacementPlan.of(spec.ranks(), spec.replicas(), placementRequest)).places().forEach(System.out::println);
                return JobOutcome.NOTHING;
            }
            JobRun made = folder == null
                    ? interruption.guardWait(() -> JobRun.prepare(spec, placementRequest, rankOptions.copied(tags.output(spec.ranks()))))
                    : prepareLasting(spec, placementRequest, interruption);
            supervised.apply(made);
            made.adoptOrphans();
            interruption.guard(made);
            job.complete(made);
            limitTime(made);
            return made.run();
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private void limitTime(JobRun running) {
        rankOptions.timeoutSeconds()
                .ifPresent(seconds -> CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS)
                        .execute(() -> running.stop(ExitCode.TIMEOUT.status(), "it has run for " + seconds + " s, its --timeout")));
    }

    private JobRun prepareLasting(JobSpec spec, PlacementRequest placementRequest, Interruption interruption) throws JobFailure {
        JobFolder made = JobFolder.create(folder);
        try {
            return interruption.guardWait(() -> JobRun.prepare(
                    spec, placementRequest, rankOptions.copied(tags.outputOfLines(spec.ranks())), Optional.ofNullable(tokenFile).map(Path::toAbsolutePath),
                    made));
        } catch (JobFailure e) {
            try {
                made.delete();
            } catch (JobFailure left) {
                e.addSuppressed(left); // Why the job did not begin is what a user can mend.
            }
            throw e;
        }
    }
}
