package org.posthouse.cli.plan;

import java.util.List;
import java.util.Optional;
import org.posthouse.cli.option.WholeNumber;
import org.posthouse.plan.FailurePlan;
import org.posthouse.plan.HostPool;
import org.posthouse.plan.SiteRisk;
import org.posthouse.plan.Weibull;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The job that {@code posthouse plan} is asked about. */
final class PlanOptions {
    private static final int RANKS_MAX = 1_000_000;
    private static final int DEGREE_MAX = 64;
    private static final int DEGREE_DEFAULT = 16;

    @Option(
            names = {"-n", "-np", "--ranks"},
            paramLabel = "N",
            required = true,
            converter = WholeNumber.Positive.class,
            description = "How many ranks the job has, at most 1000000.")
    private int ranks;

    @Option(names = "--slots", paramLabel = "S", converter = WholeNumber.Positive.class,
            description = "Ranks that share a host, and fail with it (default: 1).")
    private int ranksPerHost = 1;

    @Option(names = "--time", paramLabel = "TIME", converter = Quantities.Time.class,
            description = "How long the job takes with one copy of each rank, such as 90s, 6h or 2d.")
    private Double seconds;

    @Option(names = "--sequential", paramLabel = "TIME", converter = Quantities.Time.class,
            description = "In place of --time: how long one rank alone takes (Amdahl's law).")
    private Double sequentialSeconds;

    @Option(names = "--parallel", paramLabel = "PART", converter = Quantities.Part.class,
            description = "With --sequential: the part of it that the ranks share, 0 to 1 (default: 1).")
    private Double parallel;

    @Option(names = "--overhead", paramLabel = "C", defaultValue = "0.1", converter = Quantities.Overhead.class,
            description = "The part of the time that each further copy adds (default: ${DEFAULT-VALUE}). Measure it with your program.")
    private double overhead;

    @Option(names = "--uptime", paramLabel = "TIME[:HOSTS]", split = ",", converter = Quantities.Age.class,
            description = "How long the hosts have been up; with a list, such as 30d:8,1h:4, only these are used, the best first (default: 0s).")
    private List<HostPool.Age> ages = List.of();

    @Option(names = "--sites", paramLabel = "N", converter = WholeNumber.Positive.class,
            description = "Sites that the copies are spread over, and that fail as a whole, at most 10. Needs --site-lambda.")
    private Integer sites;

    @Option(names = "--site-lambda", paramLabel = "RATE", converter = Quantities.Rate.class,
            description = "The rate at which a site fails, such as 0.01/d.")
    private Double siteLambda;

    @Option(names = "--site-delta", paramLabel = "D", converter = Quantities.Shape.class,
            description = "The shape of the sites' lifetimes (default: 1).")
    private Double siteDelta;

    @Option(names = "--restart-time", paramLabel = "TIME", defaultValue = "30s", converter = Quantities.Time.class,
            description = "How long it takes until a lost copy, or a lost rank, is there again (default: ${DEFAULT-VALUE}).")
    private double restartSeconds;

    @Option(names = "--checkpoint-time", paramLabel = "TIME", converter = Quantities.Time.class,
            description = "How long one checkpoint of a rank takes: tells the best interval for a logged job with one copy.")
    private Double checkpointSeconds;

    @Option(names = "--max-degree", paramLabel = "R", converter = WholeNumber.Positive.class,
            description = "Most copies of a rank, at most 64 (default: " + DEGREE_DEFAULT + ").")
    private int degreeMax = DEGREE_DEFAULT;

    @Option(names = "--target", paramLabel = "P", converter = Quantities.Target.class,
            description = "The probability of failure that is still acceptable: tells the smallest degree for it.")
    private Double target;

    /** @throws ParameterException if options do not fit together, or a number is too large */
    void check(CommandLine command) {
        atMost(command, "--ranks", ranks, RANKS_MAX);
        atMost(command, "--max-degree", degreeMax, DEGREE_MAX);
        atMost(command, "--sites", sites == null ? 0 : sites, SiteRisk.SITES_MAX);
        refuseIf(command, (seconds == null) == (sequentialSeconds == null),
                "--time says how long the job takes, or --sequential what one rank alone takes: give one of them");
        refuseIf(command, parallel != null && sequentialSeconds == null, "--parallel is a part of --sequential, which is not given");
        refuseIf(command, (sites == null) != (siteLambda == null), "--sites and --site-lambda go together: give both");
        refuseIf(command, siteDelta != null && sites == null, "--site-delta is of --sites, which are not given");
        refuseIf(command, ages.size() > 1 && ages.stream().anyMatch(age -> age.count() == HostPool.UNLIMITED),
                "--uptime has several times, and one of them no number of hosts: expected TIME:HOSTS for each");
    }

    private static void atMost(CommandLine command, String option, int number, int most) {
        refuseIf(command, number > most, option + " " + number + ": expected at most " + most);
    }

    private static void refuseIf(CommandLine command, boolean wrong, String why) {
        if (wrong) {
            throw new ParameterException(command, why);
        }
    }

    /** @param host when a host fails @param known the hosts that are used if no others are named */
    FailurePlan.Job job(Weibull host, HostPool known) {
        double part = parallel == null ? 1 : parallel;
        double once = seconds != null ? seconds : sequentialSeconds * (1 - part + part / ranks);
        Optional<SiteRisk> risk = Optional.ofNullable(sites).map(count -> new SiteRisk(count, new Weibull(siteLambda, siteDelta == null ? 1 : siteDelta), 0));
        return new FailurePlan.Job(
                ranks, ranksPerHost, once, overhead, host, ages.isEmpty() ? known : new HostPool(ages), risk, restartSeconds, degreeMax);
    }

    Optional<Double> target() {
        return Optional.ofNullable(target);
    }

    Optional<Double> checkpointSeconds() {
        return Optional.ofNullable(checkpointSeconds);
    }
}
