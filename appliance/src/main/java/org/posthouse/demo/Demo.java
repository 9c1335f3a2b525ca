package org.posthouse.demo;

import java.io.IOException;
import java.io.PrintStream;
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
 * Two sites, each with a relay process or more, linked over TLS, and the example jobs over both. Confined to the command's thread.
 */
public final class Demo implements AutoCloseable {
    /** So that each relay has a rank. */
    public static final int RELAYS_PER_SITE_MAX = 4;

    private static final int RANKS = 8;
    private static final int KEY_DAYS = 2;
    private static final List<String> SITES = List.of("site-a", "site-b");

    /** One example with its arguments. */
    private record Example(String name, List<String> arguments) {}

    private static final List<Example> JOBS = List.of(
            new Example("pi", List.of()),
            new Example("ring", List.of("50", "1024")),
            new Example("heat", List.of("256", "200")),
            new Example("life", List.of("--pattern", "diehard")),
            new Example("kmeans", List.of()),
            new Example("matmul", List.of("384", "256", "512")),
            new Example("nas-ep", List.of("S")),
            new Example("nas-is", List.of("S")),
            new Example("nas-cg", List.of("S")));

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
        for (Example job : JOBS) {
            out.println();
            out.println("  ┌ example:" + job.name() + " " + String.join(" ", job.arguments()) + " on " + RANKS + " ranks, "
                    + RANKS / SITES.size() + " at each site");
            JobReport report = run(job, watch);
            if (report.stopped()) {
                return false;
            }
            reports.add(report);
            out.println("  └ " + (report.verified() ? "verified" : "FAILED " + report.outcome().cause()) + String.format(
                    " after %.1f s", report.outcome().seconds()));
        }
        new Drawing(out).draw(relays.stream().map(RelayProcess::ready).toList(), reports);
        return reports.stream().allMatch(JobReport::verified);
    }

    private JobReport run(Example job, Consumer<JobRun> watch) throws IOException, JobFailure, InterruptedException {
        JobSpec spec = new JobSpec(
                "example:" + job.name(),
                RANKS,
                List.of(Installation.jarOf(Examples.class)),
                Examples.mainClass(job.name()).orElseThrow(),
                job.arguments(),
                List.of(),
                false);
        Traffic before = Traffic.read(relays);
        Verdicts verdicts = new Verdicts(out);
        PrintStream stream = new PrintStream(verdicts, true, StandardCharsets.UTF_8);
        List<String> addresses = relays.stream().map(relay -> relay.ready().ranks()).toList();
        Reach reach = new Reach(addresses, SITES.size(), relaysPerSite, Token.NONE);
        JobRun run = JobRun.prepare(spec, reach, RankOutput.tagged(RANKS, stream, stream));
        watch.accept(run);
        JobOutcome outcome = run.run();
        if (run.isStopped()) {
            return new JobReport(job.name(), RANKS, outcome, false, true, before);
        }
        boolean verified = outcome.isSuccess() && verdicts.verified();
        return new JobReport(job.name(), RANKS, outcome, verified, false, Traffic.read(relays).since(before));
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
