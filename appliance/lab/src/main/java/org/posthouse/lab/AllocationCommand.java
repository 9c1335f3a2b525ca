package org.posthouse.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.posthouse.bench.allocation.AllocationPlan;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.JobProgram;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench allocation}: ranks spread over many nodes, and concentrated on few. */
@Command(
        name = "allocation",
        description = "Runs whole jobs on the nodes of two sites, spread and concentrated in turns, and compares the times.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The nodes are agents on this host; a network of a given round trip is emulated between the sites.",
            "",
            "Example:",
            "  posthouse bench allocation --jobs nas-is:S -n 2,8,16 --plot is.svg"
        })
final class AllocationCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(
            names = "--jobs",
            split = ",",
            defaultValue = "nas-ep:S,nas-is:S",
            paramLabel = "EXAMPLE[:ARG]",
            description = "The programs (default: ${DEFAULT-VALUE}).")
    private List<String> jobs;

    @Option(
            names = {"-n", "-np", "--ranks"},
            split = ",",
            defaultValue = "2,4,8,16",
            paramLabel = "N",
            description = "Numbers of ranks (default: ${DEFAULT-VALUE}).")
    private List<Integer> ranks;

    @Option(names = "--nodes-per-site", defaultValue = "2", paramLabel = "N", description = "Nodes of each of the two sites (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(names = "--slots", defaultValue = "4", paramLabel = "P", description = "Slots of each node (default: ${DEFAULT-VALUE}).")
    private int slots;

    @Option(
            names = "--round-trip",
            defaultValue = "10",
            paramLabel = "MS",
            description = "Round trip between the sites in milliseconds; 0: none is emulated (default: ${DEFAULT-VALUE}).")
    private double roundTripMs;

    @Option(names = "--repetitions", defaultValue = "5", paramLabel = "R", description = "Runs of each series, in turns (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Mixin
    private ReportOptions report;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Draw time against ranks here.")
    private Path plot;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        report.measure(plan(), plot);
        return 0;
    }

    private AllocationPlan plan() throws CommandFailure {
        List<JobSpec> specs = new ArrayList<>();
        for (String job : jobs) {
            List<String> words = List.of(job.split(":", -1));
            JobProgram program = JobProgram.find("example:" + words.getFirst(), "");
            specs.add(new JobSpec(
                    words.getFirst(), 1, program.classPath(), program.mainClass(), words.subList(1, words.size()), List.of(), Map.of(), false,
                    RestartPolicy.DEFAULT));
        }
        try {
            return new AllocationPlan(specs, ranks, nodes, slots, roundTripMs, repetitions);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
