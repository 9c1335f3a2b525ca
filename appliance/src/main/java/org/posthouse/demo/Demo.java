package org.posthouse.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.posthouse.chaos.Executioner;
import org.posthouse.chaos.Strike;
import org.posthouse.examples.Examples;
import org.posthouse.launch.Installation;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobOutcome;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.JobSpec;
import org.posthouse.launch.RankOutput;
import org.posthouse.launch.Reach;
import org.posthouse.launch.RelayProcess;
import org.posthouse.tunnel.GridAuthority;
import org.posthouse.wire.Token;

/**
 * Two sites, each with a relay process or more, linked over TLS, and the example jobs over both. One rank of each job is killed
 * with SIGKILL while it works. Confined to the command's thread.
 */
public final class Demo implements AutoCloseable {
    /** So that each relay has a rank. */
    public static final int RELAYS_PER_SITE_MAX = 4;

    private static final int RANKS = 8;
    private static final int KEY_DAYS = 2;
    /** How long after all ranks have called Init one is killed at the earliest: every job below has more to do than that. */
    private static final long KILL_AFTER_MS = 120;

    /** From one job's victim to the next one's: with 8 ranks each comes to be one. */
    private static final int VICTIM_STEP = 3;

    /** Longer than the slowest job on a slow machine. */
    private static final long JOB_SECONDS_MAX = 120;

    private static final List<String> SITES = List.of("site-a", "site-b");

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

    private static final List<Example> JOBS = List.of(
            new Example("pi", 0, "500000000"),
            new Example("ring", 1_600, "400", "1024"),
            new Example("heat", 1_200, "256", "200"),
            new Example("life", 900, "--pattern", "diehard"),
            new Example("kmeans", 60),
            new Example("matmul", 60, "384", "256", "512"),
            new Example("nas-ep", 0, "S"),
            new Example("nas-is", 600, "S"),
            new Example("nas-cg", 6_000, "S"));

    private final PrintStream out;
    private final Path folder;
    private final int relaysPerSite;
    private final List<RelayProcess> relays = new ArrayList<>();

    private Demo(PrintStream out, Path folder, int relaysPerSite) {
        this.out = out;
        this.folder = folder;
        this.relaysPerSite = relaysPerSite;
    }

    /**
     * Starts both sites; blocks until they serve.
     *
     * @param relaysPerSite from 1 to {@link #RELAYS_PER_SITE_MAX}
     */
    public static Demo start(PrintStream out, int relaysPerSite) throws IOException, JobFailure {
        Demo demo = new Demo(out, Files.createTempDirectory("posthouse-demo-"), relaysPerSite);
        try {
            demo.startRelays();
            return demo;
        } catch (IOException | JobFailure | RuntimeException e) {
            demo.close();
            throw e;
        }
    }

    private void startRelays() throws IOException, JobFailure {
        out.println(relaysPerSite == 1
                ? "Two sites, each with a relay process of its own:"
                : "Two sites, each with " + relaysPerSite + " relay processes of its own:");
        GridAuthority authority = GridAuthority.init(folder.resolve("authority"), KEY_DAYS);
        List<String> members = new ArrayList<>();
        for (String site : SITES) {
            authority.issue(site, KEY_DAYS, folder.resolve("keys-" + site));
            for (int name = 1; name <= relaysPerSite; name++) {
                startRelay(site, Integer.toString(name), members);
            }
        }
    }

    /** Starts one relay, which dials all earlier ones. {@code members} are those of the group so far. */
    private void startRelay(String site, String name, List<String> members) throws IOException, JobFailure {
        String group = "127.0.0.1:" + freePort();
        List<String> arguments = new ArrayList<>(List.of(
                "--site", site, "--name", name, "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--links", "127.0.0.1:0",
                "--keys", folder.resolve("keys-" + site).toString(), "--data", folder.resolve("data-" + site).toString(),
                "--group", group));
        members.forEach(member -> arguments.addAll(List.of("--member", member)));
        for (RelayProcess earlier : relays) {
            arguments.addAll(List.of("--peer", earlier.ready().relay() + "=" + earlier.ready().links()));
        }
        RelayProcess relay = RelayProcess.start(arguments, folder.resolve(site + "-" + name + ".log"));
        relays.add(relay);
        members.add(group);
        out.println("  " + relay.ready().text());
    }

    /** A port that is free now. Hazelcast wants its port named before it starts. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Runs every example over both sites.
     *
     * @param watch is told of each job before it runs, so that an interrupt can end it
     * @return whether every one verified
     */
    public boolean runJobs(Consumer<JobRun> watch) throws IOException, JobFailure, InterruptedException {
        List<JobReport> reports = new ArrayList<>();
        for (int i = 0; i < JOBS.size(); i++) {
            Example job = JOBS.get(i);
            out.println();
            out.println("  ┌ example:" + job.name() + " " + String.join(" ", job.arguments()) + " on " + RANKS + " ranks, "
                    + RANKS / SITES.size() + " at each site");
            JobReport report = run(job, (1 + VICTIM_STEP * i) % RANKS, watch);
            if (report.stopped()) {
                return false;
            }
            reports.add(report);
            out.println("  └ " + (report.verified() ? "verified" : "FAILED " + report.outcome().cause()) + String.format(
                    " after %.1f s, %s", report.outcome().seconds(), report.recovery()));
        }
        new Drawing(out).draw(relays.stream().map(RelayProcess::ready).toList(), reports);
        return reports.stream().allMatch(JobReport::verified);
    }

    private JobReport run(Example job, int victim, Consumer<JobRun> watch) throws IOException, JobFailure, InterruptedException {
        JobSpec spec = new JobSpec(
                "example:" + job.name(),
                RANKS,
                List.of(Installation.jarOf(Examples.class)),
                Examples.mainClass(job.name()).orElseThrow(),
                job.arguments(),
                List.of(),
                true);
        Traffic before = Traffic.read(relays);
        Verdicts verdicts = new Verdicts(out);
        PrintStream stream = new PrintStream(verdicts, true, StandardCharsets.UTF_8);
        List<String> addresses = relays.stream().map(relay -> relay.ready().ranks()).toList();
        Reach reach = new Reach(addresses, SITES.size(), relaysPerSite, Token.NONE);
        JobRun run = JobRun.prepare(spec, reach, RankOutput.tagged(RANKS, stream, stream));
        watch.accept(run);
        JobOutcome outcome = runAndKill(run, new Strike(victim, true, KILL_AFTER_MS, () -> hasMoved(before, job.middle())));
        if (run.isStopped()) {
            return new JobReport(job.name(), RANKS, outcome, false, true, before);
        }
        boolean verified = outcome.isSuccess() && outcome.divergences().isEmpty() && verdicts.verified();
        return new JobReport(job.name(), RANKS, outcome, verified, false, Traffic.read(relays).since(before));
    }

    private boolean hasMoved(Traffic before, long messages) {
        try {
            return messages == 0 || Traffic.read(relays).since(before).matched() >= messages;
        } catch (IOException e) {
            throw new UncheckedIOException("a relay's console does not say what it has moved", e);
        }
    }

    private static JobOutcome runAndKill(JobRun run, Strike strike) throws JobFailure, InterruptedException {
        try (Executioner executioner = Executioner.begin(run, RANKS, List.of(strike), JOB_SECONDS_MAX)) {
            return run.run();
        }
    }

    /** Where the console of the first site is. */
    public String console() {
        return "http://" + relays.get(0).ready().console() + "/";
    }

    @Override
    public void close() throws IOException {
        relays.forEach(RelayProcess::close);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
