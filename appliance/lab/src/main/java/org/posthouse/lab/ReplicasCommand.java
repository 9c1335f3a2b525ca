package org.posthouse.lab;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.replicas.PausePlan;
import org.posthouse.bench.replicas.ReplicasPlan;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench replicas}: what followers cost, and what they save when a leader dies. */
@Command(
        name = "replicas",
        description = "Measures ping-pongs of two ranks with one process each, with two and so on, in turns: round trips, and processor time of all processes.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "All processes are on this host. Where each has no processor of its own, read the",
            "processor time.",
            "",
            "Examples:",
            "  posthouse bench replicas --sizes 1,64k --degrees 1,2 --plot replicas.svg",
            "  posthouse bench replicas --pause --kills 20 --json pause.json"
        })
final class ReplicasCommand implements Callable<Integer> {
    private static final List<Integer> DEGREES = List.of(1, 2, 3, 4);
    private static final List<Integer> DEGREES_OF_PAUSE = List.of(1, 2);

    @Spec
    private CommandSpec command;

    @Option(
            names = "--degrees",
            split = ",",
            paramLabel = "R",
            description = "Processes of each rank, among them 1 (default: 1,2,3,4; with --pause 1,2).")
    private List<Integer> degrees;

    @Option(names = "--sizes", defaultValue = "1,64,1k,4k,16k,64k,128k", paramLabel = "LIST", description = "Sizes of messages (default: ${DEFAULT-VALUE}).")
    private String sizes;

    @Option(
            names = "--durability",
            defaultValue = "PROCESS",
            description = "none, process or host: what the jobs' messages survive (default: process); with --pause not none.")
    private Durability durability;

    @Option(names = "--repetitions", defaultValue = "7", paramLabel = "N", description = "Phases of each line, in turns (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Option(names = "--phase-ms", defaultValue = "250", paramLabel = "MS", description = "Length of a phase (default: ${DEFAULT-VALUE}).")
    private int phaseMs;

    @Option(names = "--pause", description = "Measure instead how long a rank stands still when its leader is killed.")
    private boolean isOfPause;

    @Option(names = "--kills", defaultValue = "20", paramLabel = "N", description = "With --pause: kills of each degree, in turns (default: ${DEFAULT-VALUE}).")
    private int kills;

    @Mixin
    private ReportOptions report;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Draw time and processor time against size here; with --pause the pauses.")
    private Path plot;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        report.measure(plan(), plot);
        return 0;
    }

    private Experiment<?> plan() {
        try {
            if (isOfPause) {
                return new PausePlan(degrees == null ? DEGREES_OF_PAUSE : degrees, durability, kills);
            }
            return new ReplicasPlan(degrees == null ? DEGREES : degrees, SizeList.parse(sizes), durability, repetitions, phaseMs);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
