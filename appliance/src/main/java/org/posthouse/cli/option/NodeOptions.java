package org.posthouse.cli.option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.cli.terminal.TerminalProgress;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.DetectorRequest;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.SiteRestriction;
import org.posthouse.launch.place.StageDisplay;
import org.posthouse.launch.provision.HostFile;
import org.posthouse.launch.provision.LaunchedAgents;
import org.posthouse.launch.provision.SlurmAllocation;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Token;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How ranks are placed on the nodes of a site's relays. */
public final class NodeOptions {
    /** {@code --nodes}. */
    enum Choice {
        auto, never, always
    }

    @Option(
            names = "--nodes",
            paramLabel = "WHEN",
            defaultValue = "auto",
            description = "Whether ranks run on the nodes of the relays' sites: auto: if there are any, else on this host; always; never (default: auto).")
    private Choice choice;

    @Option(
            names = {"-a", "--allocate"},
            paramLabel = "HOW",
            defaultValue = "SPREAD",
            description = "spread: as few ranks on each host as can be; concentrate: as many as can be, nearest hosts first (default: spread).")
    private AllocationRequest.Strategy strategy;

    @Option(
            names = "--map-by",
            paramLabel = "UNIT",
            defaultValue = "SLOT",
            description = "Which ranks are neighbours: slot: those of a host; node: ranks go from host to host; site: from site to site (default: slot).")
    private AllocationRequest.Numbering numbering;

    @Option(names = "--where", paramLabel = "LABEL=VALUE", description = "Only nodes with this label; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--wdir", paramLabel = "DIR", description = "The folder where ranks run (default: this one; on nodes, a folder of its own for each).")
    private String workFolder = "";

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "A file that each rank finds under its last name in the folder where it runs; may be repeated. Nodes get it by its content; on this"
                    + " host it is a link.")
    private List<Path> files = List.of();

    @Option(
            names = "--node-timeout",
            paramLabel = "SECONDS",
            description = "How long a node may be away before its ranks are started elsewhere, 1 to 86400 (default: 15).")
    private int timeoutSeconds = (int) TimeUnit.MILLISECONDS.toSeconds(NodeRequest.NODE_TIMEOUT_MS);

    @Option(
            names = "--detector",
            paramLabel = "NAME",
            defaultValue = "none",
            description = "How the job's nodes find silent ones among them: random, rr, brr, dbrr, swim, or none (default: none).")
    private String detector;

    @Option(
            names = "--detector-period",
            paramLabel = "TIME",
            converter = CheckpointOption.Interval.class,
            description = "How often a node sends to another for that, 50ms to 60s (default: 500ms).")
    private Long detectorPeriodMs;

    @Option(names = "--spare", paramLabel = "N",
            description = "Slots that the job keeps free at each of its relays, for ranks of a node that dies (default: 0).")
    private int spares;

    @Option(names = "--hostfile", paramLabel = "FILE", description = "Hosts that --launch-agent brings agents to: HOST [slots=N] [site=S] a line.")
    private Path hostFile;

    @Option(
            names = "--launch-agent",
            paramLabel = "COMMAND",
            description = "The command that starts an agent on each host of --hostfile, for this job alone, such as 'ssh -o BatchMode=yes {host}' or"
                    + " 'srun --overlap -w {host} -N1 -n1'.")
    private String launchCommand;

    @Option(
            names = "--slurm",
            paramLabel = "OPTIONS",
            defaultValue = "auto",
            description = "Nodes of Slurm for this job alone. auto: within an allocation of several nodes, those; never; or options of salloc, such as"
                    + " '-N 4 -t 10', for an allocation that this command asks for and gives back (default: auto).")
    private String slurm;

    @Mixin
    private KubernetesOptions kubernetes;

    @Option(
            names = "--end-margin",
            paramLabel = "TIME",
            converter = CheckpointOption.Interval.class,
            description = "How long before the time limit of a Slurm allocation the ranks are asked for checkpoints (default: a tenth of the limit, at most 5m).")
    private Long endMarginMs;

    /** Whether agents are started for the job alone. */
    public boolean launchesAgents() throws CommandFailure {
        if ((hostFile == null) != (launchCommand == null)) {
            throw new CommandFailure("--hostfile and --launch-agent go together: give both");
        }
        kubernetes.check();
        if ((hostFile != null ? 1 : 0) + (asksSlurm() ? 1 : 0) + (kubernetes.isGiven() ? 1 : 0) > 1) {
            throw new CommandFailure("--slurm, --kubernetes and --launch-agent: give one of them");
        }
        try {
            return hostFile != null || kubernetes.isGiven() || asksSlurm() || aroundUs().isPresent();
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage() + "; --slurm never does without", e);
        }
    }

    /** @throws CommandFailure if agents are asked for that would have no relay */
    public void requireNoAgents() throws CommandFailure {
        if (hostFile != null || launchCommand != null || asksSlurm() || kubernetes.isGiven()) {
            throw new CommandFailure("--slurm, --kubernetes and --launch-agent start agents, which dial a running relay: name it with --relay");
        }
    }

    private boolean asksSlurm() {
        return !slurm.equals("auto") && !slurm.equals("never");
    }

    private Optional<SlurmAllocation> aroundUs() throws JobFailure {
        return slurm.equals("auto") && choice != Choice.never ? SlurmAllocation.around(System.getenv()) : Optional.empty();
    }

    /**
     * Starts the agents of {@code --launch-agent}, {@code --slurm} or {@code --kubernetes}. It may wait for Slurm's queue or
     * for Pods, until the thread is interrupted.
     *
     * @param relays host:port of the named relays
     * @param job whose ranks are asked for checkpoints before the nodes' time is over
     */
    public LaunchedAgents launch(List<String> relays, Token token, Consumer<String> show, TimeLimit job) throws JobFailure {
        if (hostFile != null) {
            return LaunchedAgents.start(launchCommand, HostFile.read(hostFile).hosts(), Installation.program(), relays, token, show);
        }
        if (kubernetes.isGiven()) {
            return kubernetes.launch(relays, token, show);
        }
        Path program = Installation.program();
        SlurmAllocation allocation = asksSlurm() ? SlurmAllocation.request(slurm, show) : aroundUs().orElseThrow();
        LaunchedAgents agents = LaunchedAgents.start(allocation, program, relays, token, show);
        allocation.watchEnd(
                Optional.ofNullable(endMarginMs).map(Duration::ofMillis),
                left -> job.near("Slurm's job " + allocation.job() + " ends in " + left.toSeconds() + " s"));
        return agents;
    }

    /** Is told that the time of the nodes is nearly over. */
    public interface TimeLimit {
        /** @param what a sentence for people */
        void near(String what);
    }

    /** Ranks on this host, which has nobody to watch it. */
    public NodeRequest local() throws CommandFailure {
        return NodeRequest.LOCAL.in(workFolder).watchedBy(detector());
    }

    /** Adds the files, and a bar that shows their way to the relays if standard error is a terminal. */
    public NodeRequest withFiles(NodeRequest request) throws CommandFailure {
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw new CommandFailure("--file " + file + (Files.isDirectory(file) ? " is a folder: pack it into one file" : " does not exist"));
            }
        }
        if (!files.isEmpty() && !workFolder.isEmpty()) {
            throw new CommandFailure("--file and --wdir: files are for the ranks' own folders; with --wdir the nodes have them there");
        }
        return request.withFiles(files, TerminalProgress.ofTerminal().map(StageBar::new));
    }

    /** A bar at the foot of the terminal. */
    private static final class StageBar implements StageDisplay {
        private static final int STEPS = 1_000;
        private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(1);

        private final TerminalProgress terminal;
        private final long sinceNs = System.nanoTime();

        StageBar(TerminalProgress terminal) {
            this.terminal = terminal;
        }

        @Override
        public void show(long done, long total) {
            if (total > 0 && System.nanoTime() - sinceNs > QUIET_NS) {
                terminal.show(String.format(Locale.ROOT, "staging %.1f of %.1f MB", done / 1e6, total / 1e6), (int) (STEPS * done / total), STEPS);
            }
        }

        @Override
        public void end() {
            terminal.close();
        }
    }

    /** Whether ranks are numbered in the order of their slots. */
    public boolean areRanksInOrder() {
        return numbering == AllocationRequest.Numbering.SLOT;
    }

    /**
     * @param sites names of sites, or empty
     * @param more labels that nodes must have besides those of {@code --where}
     * @param environment variables of the ranks
     */
    public NodeRequest request(String sites, Map<String, String> more, Map<String, String> environment) throws CommandFailure {
        labels.putAll(more);
        if (spares < 0 || spares > AgentOffer.SLOTS_MAX) {
            throw new CommandFailure("--spare " + spares + ", expected 0 to " + AgentOffer.SLOTS_MAX + " slots");
        }
        if (timeoutSeconds < 1 || timeoutSeconds > TimeUnit.DAYS.toSeconds(1)) {
            throw new CommandFailure("--node-timeout " + timeoutSeconds + ", expected 1 to 86400 seconds");
        }
        DetectorRequest watch = detector();
        NodeRequest.Use use = !more.isEmpty() ? NodeRequest.Use.ALWAYS : switch (choice) {
            case auto -> NodeRequest.Use.IF_THERE;
            case always -> NodeRequest.Use.ALWAYS;
            case never -> NodeRequest.Use.NEVER;
        };
        try {
            SiteRestriction restriction = sites.isEmpty() ? SiteRestriction.NONE : SiteRestriction.parse(sites);
            return new NodeRequest(use, strategy, numbering, restriction, labels, workFolder, spares, environment, TimeUnit.SECONDS.toMillis(timeoutSeconds),
                    List.of(), Optional.empty(), watch);
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private DetectorRequest detector() throws CommandFailure {
        try {
            long periodMs = detectorPeriodMs == null ? DetectorRequest.PERIOD_MS : detectorPeriodMs;
            DetectorProtocol protocol = DetectorProtocol.of(detector);
            if (periodMs < AgentMessage.Detect.PERIOD_MS_MIN || periodMs > AgentMessage.Detect.PERIOD_MS_MAX) {
                throw new CommandFailure("--detector-period of " + periodMs + " ms, expected 50ms to 60s");
            }
            if (protocol == DetectorProtocol.NONE && detectorPeriodMs != null) {
                throw new CommandFailure("--detector-period goes with --detector: give one that is not none");
            }
            return new DetectorRequest(protocol, (int) periodMs);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure("--detector " + e.getMessage(), e);
        }
    }
}
