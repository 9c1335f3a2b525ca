package org.posthouse.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.posthouse.chaos.Campaign;
import org.posthouse.chaos.CampaignPlan;
import org.posthouse.chaos.CampaignReport;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobSpec;
import org.posthouse.launch.Patience;
import org.posthouse.launch.Reach;
import org.posthouse.launch.RelayGrid;
import org.posthouse.wire.Token;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse chaos}: whether a job endures what it is promised to endure. */
@Command(
        name = "chaos",
        description = "Runs a logged job again and again, kills random ranks of it, and its relays, with SIGKILL, and checks that every run"
                + " verifies.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Relays are processes that this one starts, and starts again where they were. The status is 0 only if every kill was survived.",
            "",
            "Examples:",
            "  posthouse chaos --job example:nas-is W -n 4 --kills 50",
            "  posthouse chaos --job example:ring -n 4 --sites 2 --kills 10 --seed 7 20000 1024",
            "  posthouse chaos --job example:life -n 4 --kills 10 -- --pattern diehard"
        })
final class ChaosCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(
            names = "--job",
            required = true,
            paramLabel = "CLASS",
            description = "The program: a main class, or example:NAME. It says \"Verification: SUCCESSFUL\" once if its result is right.")
    private String job;

    @Parameters(arity = "0..*", paramLabel = "ARG", description = "The program's arguments; after -- if they begin with a dash.")
    private List<String> arguments = List.of();

    @Option(names = {"-cp", "--class-path"}, paramLabel = "JAR[:DIR...]", description = "The program's jars and folders.")
    private String classPath = "";

    @Option(names = {"-n", "--ranks"}, defaultValue = "4", paramLabel = "N", description = "Number of ranks (default: ${DEFAULT-VALUE}).")
    private int ranks;

    @Option(names = "--sites", defaultValue = "1", paramLabel = "S", description = "Number of sites to spread over (default: ${DEFAULT-VALUE}).")
    private int sites;

    @Option(
            names = "--relays-per-site",
            defaultValue = "1",
            paramLabel = "K",
            description = "Number of relays of each site (default: ${DEFAULT-VALUE}).")
    private int relaysPerSite;

    @Option(names = "--kills", defaultValue = "10", paramLabel = "N", description = "How many processes are killed (default: ${DEFAULT-VALUE}).")
    private int kills;

    @Option(
            names = "--relay-every",
            defaultValue = "10",
            paramLabel = "N",
            description = "Each N-th kill is of a relay, which is started again on its log; 0: none (default: ${DEFAULT-VALUE}).")
    private int relayEvery;

    @Option(names = "--seed", paramLabel = "N", description = "Decides which ranks are killed, and when (default: another each time).")
    private Long seed;

    @Option(
            names = "--run-timeout",
            defaultValue = "120",
            paramLabel = "SECONDS",
            description = "A run that is not over then is ended and has failed (default: ${DEFAULT-VALUE}).")
    private int runSecondsMax;

    @Option(names = "--json", description = "Print one JSON object at the end; the lines for people go to the error stream.")
    private boolean json;

    @Mixin
    private ModeOptions mode;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        if (ranks < 1 || sites < 1 || relaysPerSite < 1 || kills < 1 || runSecondsMax < 1) {
            throw new ParameterException(
                    command.commandLine(), "-n, --sites, --relays-per-site, --kills and --run-timeout are counts from 1");
        }
        if (relayEvery < 0) {
            throw new ParameterException(command.commandLine(), "--relay-every is a count from 0");
        }
        JobProgram found = JobProgram.find(job, classPath);
        Patience patience = new Patience(CampaignPlan.KILLS_PER_RUN_MAX, Patience.DEFAULT.relayTimeoutMs());
        JobSpec spec = new JobSpec(
                job, ranks, found.classPath(), found.mainClass(), arguments, List.of(), Map.of(), true, patience);
        try (Interruption interruption = Interruption.open();
                RelayGrid grid = RelayGrid.start(sites, relaysPerSite, mode.arguments(), ready -> {})) {
            Reach reach = new Reach(grid.addresses(), sites, relaysPerSite, Token.NONE);
            long chosen = seed == null ? new SecureRandom().nextInt(1_000_000) : seed;
            return report(
                    new CampaignPlan(spec, reach, grid.relays(), kills, relayEvery, chosen, runSecondsMax), interruption);
        } catch (IOException e) {
            throw new CommandFailure("the relays cannot start: " + e.getMessage(), e);
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private int report(CampaignPlan plan, Interruption interruption) throws JobFailure, InterruptedException {
        PrintStream people = new PrintStream(json ? System.err : System.out, true, StandardCharsets.UTF_8);
        CampaignReport report = new Campaign(plan, people, interruption::guard).run();
        report.print(people);
        if (json) {
            System.out.println(report.json());
        }
        return report.isSuccess() ? 0 : Posthouse.STATUS_FAILED;
    }
}
