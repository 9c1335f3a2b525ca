package org.posthouse.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.wan.WanPart;
import org.posthouse.bench.wan.WanPlan;
import org.posthouse.cli.option.ByteCount;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.JobProgram;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.tunnel.Compression;
import org.posthouse.wan.WanProfile;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench wan}: sites that are apart. */
@Command(
        name = "wan",
        description = "Measures links between sites over an emulated network, or over none, beside other programs' tunnels; and whole jobs over all sites.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Profiles: grid5000 (four sites, 40 to 110 Mb/s, 4 to 9 ms one way), modern (two sites, 10 Gb/s or half of what the machine carries,",
            "50 ms one way), none (two sites on the loopback).",
            "Tunnels are measured if ssh with sshd, or stunnel, are installed; they run as the bench's children with keys of their own.",
            "",
            "Examples:",
            "  posthouse bench wan --profile grid5000 --json grid.json --plot grid.svg",
            "  posthouse bench wan --profile modern --jobs none",
            "  posthouse bench wan --profile none"
        })
final class WanCommand implements Callable<Integer> {
    private static final int RANKS_PER_SITE = 2;
    private static final String NO_JOBS = "none";
    private static final int JITTER_MS_MAX = 10_000;

    @Spec
    private CommandSpec command;

    @Option(names = "--profile", required = true, paramLabel = "PROFILE", description = "grid5000, modern or none.")
    private String profile;

    @Option(
            names = "--megabits",
            paramLabel = "MBITS",
            description = "Bandwidth of the broadest way, the others in proportion (default: the profile's, or what the machine can).")
    private Double megabits;

    @Option(
            names = "--jitter",
            paramLabel = "MS",
            description = "Everything is up to so much later on its way, as networks do that others use too (default: 0).")
    private double jitter;

    @Option(names = "--sizes", paramLabel = "BYTES", description = "Sizes of ping-pongs (default: 1; without a network 1,64k,1m).")
    private String sizes;

    @Option(
            names = "--bytes",
            converter = ByteCount.class,
            paramLabel = "BYTES",
            description = "Size of a stream's messages (default: 1m; of modern 16m).")
    private Long bytes;

    @Option(
            names = "--window",
            paramLabel = "M",
            description = "Messages of a stream that are under way at once (default: 4; without a network 64).")
    private Integer window;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long a stream lasts, about (default: 60 round trips, at least 1; without a network it is one window).")
    private Double seconds;

    @Option(
            names = "--tunnels",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Measure ssh -L and stunnel too, if they are installed (default: yes).")
    private boolean tunnels;

    @Option(
            names = "--durability",
            split = ",",
            defaultValue = "NONE,PROCESS",
            paramLabel = "WHAT",
            description = "none or process, or both to compare (default: none,process).")
    private List<Durability> durabilities;

    @Option(names = "--repetitions", defaultValue = "3", paramLabel = "R", description = "Interleaved repetitions (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Option(
            names = "--phase-ms",
            defaultValue = "250",
            paramLabel = "MS",
            description = "How long one repetition of a ping-pong lasts, about (default: ${DEFAULT-VALUE}).")
    private int phaseMs;

    @Option(
            names = "--parts",
            split = ",",
            defaultValue = "LINKS,BESIDE,JOBS",
            paramLabel = "PART",
            description = "What is measured: links, each alone; beside, short messages beside a stream; jobs (default: links,beside,jobs).")
    private Set<WanPart> parts;

    @Option(
            names = "--between",
            split = ",",
            paramLabel = "SITE-SITE",
            description = "Only these links, as orsay-rennes (default: each two sites').")
    private List<String> between = List.of();

    @Option(
            names = "--compress",
            defaultValue = "NEVER",
            paramLabel = "WHEN",
            description = "Whether the links pack: never, auto or always. What is sent here becomes short when it is packed, which is not the links' merit"
                    + " (default: never).")
    private Compression compression;

    @Option(
            names = "--jobs",
            split = ",",
            defaultValue = "nas-ep:W,nas-is:W,nas-cg:S",
            paramLabel = "EXAMPLE[:ARG]",
            description = "Whole jobs over all sites, or none (default: ${DEFAULT-VALUE}).")
    private List<String> jobs;

    @Option(names = {"-n", "-np", "--ranks"}, paramLabel = "N", description = "Ranks of these jobs (default: 2 for each site).")
    private Integer ranks;

    @Option(names = "--job-repetitions", defaultValue = "3", paramLabel = "R", description = "Runs of each, in turns (default: ${DEFAULT-VALUE}).")
    private int jobRepetitions;

    @Option(
            names = "--layouts",
            split = ",",
            defaultValue = "FREE",
            paramLabel = "WHERE",
            description = "Without a network, on which of two processors each site's relay, rank and end of a tunnel run, ${COMPLETION-CANDIDATES}; several to"
                    + " compare; Linux only (default: free).")
    private List<ProcessLayout> layouts;

    @Mixin
    private ReportOptions report;

    @Option(
            names = "--plot",
            paramLabel = "FILE.svg",
            description = "Draw bandwidth here, latency in FILE-latency.svg, jobs in FILE-jobs.svg; without a network time against size.")
    private Path plot;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        WanPlan plan = plan();
        report.measure(plan, plot);
        return 0;
    }

    private WanPlan plan() throws CommandFailure {
        WanProfile chosen = WanProfile.all().stream()
                .filter(known -> known.name().equals(profile))
                .findFirst()
                .orElseThrow(() -> new ParameterException(command.commandLine(), "\"" + profile + "\" is no profile, expected "
                        + WanProfile.all().stream().map(WanProfile::name).collect(Collectors.joining(", "))));
        boolean apart = !chosen.equals(WanProfile.NONE);
        if (!apart && megabits != null) {
            throw new ParameterException(command.commandLine(), "--megabits is the bandwidth of an emulated network, and profile none has none");
        }
        if (!(jitter >= 0 && jitter <= JITTER_MS_MAX) || !apart && jitter > 0) {
            throw new ParameterException(
                    command.commandLine(),
                    "--jitter " + jitter + " ms with profile " + profile + ", expected 0 to " + JITTER_MS_MAX + ", and of an emulated network");
        }
        if (plot != null && apart && !parts.contains(WanPart.LINKS) && (!parts.contains(WanPart.JOBS) || jobs.equals(List.of(NO_JOBS)))) {
            throw new ParameterException(command.commandLine(), "--plot draws links and jobs, and neither is measured");
        }
        try {
            return new WanPlan(
                    jitter > 0 ? chosen.jitter(jitter) : chosen,
                    given("--megabits", megabits),
                    SizeList.parse(sizes != null ? sizes : apart ? "1" : "1,64k,1m"),
                    WanPlan.messageBytes(bytes != null ? bytes : chosen.equals(WanProfile.MODERN) ? 16 << 20 : 1 << 20),
                    window != null ? window : apart ? 4 : 64,
                    given("--seconds", seconds),
                    tunnels,
                    Durabilities.logged(durabilities, command),
                    repetitions,
                    phaseMs,
                    specs(ranks != null ? ranks : RANKS_PER_SITE * chosen.sites().size()),
                    jobRepetitions,
                    parts,
                    between,
                    compression,
                    layouts.stream().distinct().toList());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }

    /** The value for a plan, which has 0 for an option that was not given. */
    private double given(String option, Double value) {
        if (value != null && value == 0) {
            throw new ParameterException(command.commandLine(), option + " " + value + ", expected more than 0");
        }
        return value == null ? 0 : value;
    }

    private List<JobSpec> specs(int count) throws CommandFailure {
        List<JobSpec> specs = new ArrayList<>();
        for (String job : jobs.equals(List.of(NO_JOBS)) ? List.<String>of() : jobs) {
            List<String> words = List.of(job.split(":", -1));
            JobProgram program = JobProgram.find("example:" + words.getFirst(), "");
            specs.add(new JobSpec(
                    words.getFirst(), count, program.classPath(), program.mainClass(), words.subList(1, words.size()), List.of(), Map.of(),
                    false, RestartPolicy.DEFAULT));
        }
        return specs;
    }
}
