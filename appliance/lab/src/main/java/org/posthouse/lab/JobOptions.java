package org.posthouse.lab;

import java.util.List;
import java.util.Map;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.JobProgram;
import org.posthouse.cli.option.WholeNumber;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The options of commands that run one job again and again: what the job is, and over how many relays. */
final class JobOptions {
    @Option(
            names = "--job",
            required = true,
            paramLabel = "CLASS",
            description = "The program: a main class, or example:NAME.")
    private String job;

    @Parameters(arity = "0..*", paramLabel = "ARG", description = "The program's arguments; after -- if they begin with a dash.")
    private List<String> arguments = List.of();

    @Option(names = {"-cp", "--class-path"}, paramLabel = "JAR[:DIR...]", description = "The program's jars and folders; DIR/* is all jars in DIR.")
    private String classPath = "";

    @Option(names = {"-n", "-np", "--ranks"}, defaultValue = "4", paramLabel = "N", converter = WholeNumber.Positive.class,
            description = "Number of ranks (default: ${DEFAULT-VALUE}).")
    private int ranks;

    @Option(names = "--sites", defaultValue = "1", paramLabel = "S", converter = WholeNumber.Positive.class,
            description = "Number of sites to spread over (default: ${DEFAULT-VALUE}).")
    private int sites;

    @Option(
            names = "--relays-per-site",
            defaultValue = "1",
            paramLabel = "K",
            converter = WholeNumber.Positive.class,
            description = "Number of relays of each site (default: ${DEFAULT-VALUE}).")
    private int relaysPerSite;

    /**
     * The job.
     *
     * @param environment further variables of the ranks' environment
     * @param replicas processes of each rank
     * @throws ParameterException if there are more sites than ranks
     */
    JobSpec spec(CommandSpec command, Map<String, String> environment, Durability durability, RestartPolicy restartPolicy, Replicas replicas)
            throws CommandFailure {
        if (sites > ranks) {
            throw new ParameterException(command.commandLine(), "-n " + ranks + " and --sites " + sites + ": each site needs a rank");
        }
        JobProgram found = JobProgram.find(job, classPath);
        return new JobSpec(
                job, ranks, found.classPath(), found.mainClass(), arguments, found.jvmFlags(), environment, durability, restartPolicy,
                RankStreams.DEFAULT, replicas);
    }

    /** The job with one process of each rank. */
    JobSpec spec(CommandSpec command, Map<String, String> environment, Durability durability, RestartPolicy restartPolicy) throws CommandFailure {
        return spec(command, environment, durability, restartPolicy, Replicas.NONE);
    }

    int ranks() {
        return ranks;
    }

    int sites() {
        return sites;
    }

    int relaysPerSite() {
        return relaysPerSite;
    }
}
