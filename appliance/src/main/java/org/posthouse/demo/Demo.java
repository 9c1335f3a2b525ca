package org.posthouse.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.posthouse.examples.Examples;
import org.posthouse.faults.FaultInjector;
import org.posthouse.faults.KillTarget;
import org.posthouse.faults.PlannedKill;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.PlacementPlan;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.ReadyLine;
import org.posthouse.launch.install.RelayGrid;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.provision.LocalAgents;
import org.posthouse.mpj.Endpoints;
import org.posthouse.relay.host.UserToken;

/**
 * Two sites, each with a relay process or more, linked over TLS, and the example jobs over both. One rank of each job is killed
 * with SIGKILL while it works, or one node if the ranks run on nodes, and in one job the relay of the second site, too. Confined to the command's thread.
 */
public final class Demo implements AutoCloseable {
    /** So that each relay has a rank. */
    public static final int RELAYS_PER_SITE_MAX = 4;

    private static final int RANKS = 8;
    /** Milliseconds from the last rank's Init to the earliest kill. Every job below computes for longer than that. */
    private static final long KILL_AFTER_MS = 120;

    /** From one job's victim to the next one's: with 8 ranks each comes to be one. */
    private static final int VICTIM_STEP = 3;

    /** Longer than the slowest job on a slow machine. */
    private static final long JOB_SECONDS_MAX = 120;

    /** Milliseconds between checkpoints of a job that can save its state. */
    private static final int CHECKPOINT_MS = 100;

    private static final Map<String, String> VARIABLES = Map.of(Endpoints.CHECKPOINT_MS, Integer.toString(CHECKPOINT_MS));

    private static final int SITES = 2;

    /** Most agents of each site. */
    public static final int NODES_MAX = 16;

    /** A killed agent does not come back as the same one. One whose relay was killed does, some 2 s after the relay. */
    private static final long NODE_TIMEOUT_MS = 3_000;

    /**
     * One example with its arguments.
     *
     * @param middle how many of its messages have been received when a rank is killed; 0 for what computes more than it sends
     */
    private record Example(String name, long middle, List<String> arguments) {
        private Example(String name, long middle, String... arguments) {
            this(name, middle, List.of(arguments));
        }
    }

    /** The job in which a relay is killed as well, when twice as much has been moved as its rank waits for: while a relay is away nobody can tell how much was. */
    private static final String RELAY_DIES_IN = "heat";

    private static final List<Example> JOBS = List.of(
            new Example("pi", 0, "500000000"),
            new Example("ring", 1_600, "400", "1024"),
            new Example("heat", 1_200, "256", "1000"),
            new Example("waves", 6_000, "100000", "2000"),
            new Example("life", 900, "--pattern", "diehard"),
            new Example("kmeans", 60),
            new Example("matmul", 60, "384", "256", "512"),
            new Example("nas-ep", 0, "S"),
            new Example("nas-is", 600, "S"),
            new Example("nas-cg", 6_000, "S"));

    private final PrintStream out;
    private final int relaysPerSite;
    private final RelayGrid grid;
    private final LocalAgents agents;

    /**
     * Traffic of relays that were killed since: their counters start again from 0. Written by the thread that kills,
     * read by the command's.
     */
    private volatile DemoTraffic gone = DemoTraffic.NONE;

    /** Why a relay that was killed does not come back; empty if all are there. */
    private String lostRelay = "";

    private Demo(PrintStream out, int relaysPerSite, RelayGrid grid, LocalAgents agents) {
        this.out = out;
        this.relaysPerSite = relaysPerSite;
        this.grid = grid;
        this.agents = agents;
    }

    /**
     * Starts both sites; blocks until they serve.
     *
     * @param relaysPerSite from 1 to {@link #RELAYS_PER_SITE_MAX}
     * @param nodes agents of each site, on which the ranks then run, up to {@link #NODES_MAX}; 0: they run beside this process
     * @param cancelled completed from any thread when the demo is no longer wanted: relays that do not serve by then are killed
     */
    public static Demo start(PrintStream out, int relaysPerSite, int nodes, CompletableFuture<?> cancelled) throws IOException, JobFailure {
        out.println(relaysPerSite == 1
                ? "Two sites, each with a relay process of its own:"
                : "Two sites, each with " + relaysPerSite + " relay processes of its own:");
        RelayGrid grid = RelayGrid.start(SITES, relaysPerSite, List.of(), ready -> out.println("  " + ready.text()), cancelled);
        try {
            LocalAgents agents = LocalAgents.start(ready(grid), nodes, RANKS, UserToken.find());
            Demo demo = new Demo(out, relaysPerSite, grid, agents);
            demo.showNodes();
            return demo;
        } catch (IOException | JobFailure | RuntimeException e) {
            grid.close();
            throw e;
        }
    }

    private static List<ReadyLine> ready(RelayGrid grid) {
        return grid.relays().stream().map(RelayProcess::ready).toList();
    }

    private boolean hasNodes() {
        return !agents.agents().isEmpty();
    }

    /** Where ranks will be: at each job's start all slots are free. */
    private void showNodes() throws IOException, JobFailure {
        if (!hasNodes()) {
            return;
        }
        out.println("Each site has " + agents.agents().size() / SITES + " nodes, an agent process each. Ranks run on them, and each job loses a node:");
        PlacementPlan.of(RANKS, Replicas.NONE, placement()).places().forEach(line -> out.println("  " + line));
    }

    private PlacementRequest placement() throws IOException {
        NodeRequest request = hasNodes() ? NodeRequest.always(VARIABLES, NODE_TIMEOUT_MS) : NodeRequest.LOCAL;
        return new PlacementRequest(grid.addresses(), SITES, relaysPerSite, UserToken.find(), request);
    }

    /** The names of all examples, in the order in which they run. */
    public static List<String> examples() {
        return JOBS.stream().map(Example::name).toList();
    }

    /**
     * Runs examples over both sites.
     *
     * @param wanted names out of {@link #examples}; none: all
     * @param watch is told of each job before it runs, so that an interrupt can end it
     * @return whether every one of them verified
     */
    public boolean runJobs(List<String> wanted, Consumer<JobRun> watch) throws IOException, JobFailure, InterruptedException {
        List<DemoReport> reports = new ArrayList<>();
        for (int i = 0; i < JOBS.size(); i++) {
            Example job = JOBS.get(i);
            if (!wanted.isEmpty() && !wanted.contains(job.name())) {
                continue;
            }
            out.println();
            out.println("  ┌ example:" + job.name() + " " + String.join(" ", job.arguments()) + " on " + RANKS + " ranks, "
                    + (hasNodes() ? "on " + agents.agents().size() + " nodes" : RANKS / SITES + " at each site"));
            DemoReport report = run(job, (1 + VICTIM_STEP * i) % RANKS, watch);
            if (report.stopped()) {
                return false;
            }
            reports.add(report);
            out.println("  └ " + report.result() + String.format(
                    " after %.1f s, %s", report.outcome().seconds(), report.recovery()));
            if (!lostRelay.isEmpty()) {
                throw new JobFailure(lostRelay + "; what its relays have said and logged stays in " + grid.keep());
            }
        }
        new Drawing(out).draw(ready(grid), reports);
        return reports.stream().allMatch(DemoReport::verified);
    }

    private DemoReport run(Example job, int victim, Consumer<JobRun> watch) throws IOException, JobFailure, InterruptedException {
        JobSpec spec = new JobSpec(
                "example:" + job.name(),
                RANKS,
                List.of(Installation.jarOf(Examples.class)),
                Examples.mainClass(job.name()).orElseThrow(),
                job.arguments(),
                List.of(),
                VARIABLES,
                true,
                RestartPolicy.DEFAULT);
        DemoTraffic before = moved();
        Verdicts verdicts = new Verdicts(out);
        PrintStream stream = new PrintStream(verdicts, true, StandardCharsets.UTF_8);
        JobRun run = JobRun.prepare(spec, placement(), RankOutput.tagged(RANKS, stream, stream));
        watch.accept(run);
        try (FaultInjector faultInjector = FaultInjector.begin(
                run, RANKS, grid.relays(), agents.agents(), strikes(job, victim, before), JOB_SECONDS_MAX)) {
            JobOutcome outcome = run.run();
            boolean stopped = faultInjector.isInterrupted();
            faultInjector.close(); // A relay that was killed is up again, or lost.
            lostRelay = faultInjector.lostRelay();
            if (stopped || !lostRelay.isEmpty()) {
                return new DemoReport(job.name(), RANKS, outcome, faultInjector.faults().ranks(), faultInjector.faults().agents(), "", false, stopped, before);
            }
            String byItself = faultInjector.faults().unexplained(outcome);
            boolean verified =
                    outcome.isSuccess() && outcome.divergences().isEmpty() && outcome.printedOther().isEmpty() && byItself.isEmpty() && verdicts.verified();
            return new DemoReport(job.name(), RANKS, outcome, faultInjector.faults().ranks(), faultInjector.faults().agents(), byItself, verified, false,
                    moved().since(before));
        }
    }

    private List<PlannedKill> strikes(Example job, int victim, DemoTraffic before) {
        PlannedKill ofRank = new PlannedKill(
                hasNodes() ? KillTarget.AGENT : KillTarget.RANK, hasNodes() ? victim % Math.min(RANKS, agents.agents().size()) : victim, true, KILL_AFTER_MS,
                () -> hasMoved(before, job.middle()));
        if (!job.name().equals(RELAY_DIES_IN)) {
            return List.of(ofRank);
        }
        RelayProcess relay = grid.relays().get(relaysPerSite);
        return List.of(
                ofRank,
                new PlannedKill(KillTarget.RELAY, relaysPerSite, true, 0, () -> hasMoved(before, 2 * job.middle()) && isWrittenOff(relay)));
    }

    /** The relay is about to be killed: remembers what it has moved. */
    private boolean isWrittenOff(RelayProcess relay) {
        try {
            gone = gone.plus(DemoTraffic.read(List.of(relay)));
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("the console of relay " + relay.ready().relay() + " does not say what it has moved", e);
        }
    }

    private DemoTraffic moved() throws IOException {
        return DemoTraffic.read(grid.relays()).plus(gone);
    }

    /** Whether so much has been moved as far as relays can be asked: one that was killed may not be up again. */
    private boolean hasMoved(DemoTraffic before, long messages) {
        try {
            return messages == 0 || moved().since(before).matched() >= messages;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("a relay's console does not say what it has moved", e);
        }
    }

    /** Where the console of the first site is. */
    public String console() {
        return "http://" + grid.relays().get(0).ready().console() + "/";
    }

    @Override
    public void close() throws IOException {
        try (grid) {
            agents.close();
        }
    }
}
