package org.posthouse.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.WholeNumber;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.job.JobFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse jobs output}: what a job's folder has kept of its ranks' output. Relays carry messages, and never see what ranks print. */
@Command(
        name = "output",
        description = "Prints what the ranks of a job have printed: of a job with a folder (run --folder DIR), running or over. Of another job, where its"
                + " output goes.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse jobs output june", "  posthouse jobs output june --rank 3 --err", "  posthouse jobs output june --json"})
final class JobsOutputCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Parameters(paramLabel = "DIR|ID", description = "The job's folder, or its id, as posthouse jobs lists it.")
    private String job;

    @Option(names = "--rank", paramLabel = "R", converter = WholeNumber.NotNegative.class,
            description = "Only this rank, without the rank in front of each line.")
    private Integer rank;

    @Option(names = "--err", description = "Standard error in place of standard output.")
    private boolean standardError;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        Path folder = Path.of(job);
        if (!JobFolder.isOne(folder)) {
            throw new CommandFailure(JobId.isOne(job) ? elsewhere(job) : job + " is neither the folder of a job (run --folder) nor a job's id");
        }
        try {
            print(folder);
            return 0;
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private void print(Path folder) throws JobFailure {
        int ranks = JobFolder.ranks(folder);
        if (rank != null && rank >= ranks) {
            throw new ParameterException(command.commandLine(), "--rank " + rank + ": the job has ranks 0 to " + (ranks - 1));
        }
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (int each : rank == null ? IntStream.range(0, ranks).toArray() : new int[] {rank}) {
            List<String> lines = JobFolder.shown(folder, each, standardError ? "err" : "out");
            if (console.json()) {
                ArrayNode listed = all.addObject().put("rank", each).put("stream", standardError ? "err" : "out").putArray("lines");
                lines.forEach(listed::add);
            } else {
                lines.forEach(line -> System.out.println(rank == null ? "[" + each + "] " + line : line));
            }
        }
        if (console.json()) {
            System.out.println(all);
        }
    }

    private String elsewhere(String id) throws CommandFailure {
        ConsoleClient client = console.client();
        JsonNode found = client.json(client.get(JobId.path(id)));
        return "job " + id + " (" + OneLine.of(found.path("name").asText()) + ") prints at its launcher, the posthouse run or resume of "
                + JobsListing.owner(found) + ": a relay never has it. If it was started with run --folder DIR, name that folder on the launcher's host;"
                + " with run --output DIR, the copies are there";
    }
}
