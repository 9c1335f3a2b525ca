package org.posthouse.lab;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.scale.ScalePlan;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench scale}: many pairs, several relays, every mode. */
@Command(
        name = "scale",
        description = "Measures overall bandwidth and latency of many pairs at once, over 1 relay or several, in every mode.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Example:",
            "  posthouse bench scale --clients 2,16,64,128 --relays 1,2,4 --modes all \\",
            "      --durability none,process --plot scale.svg",
            "",
            "docs/bench.md defines every column."
        })
final class ScaleCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(names = "--clients", split = ",", defaultValue = "2,16,64", paramLabel = "N", description = "Numbers of ranks (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients;

    @Option(names = "--relays", split = ",", defaultValue = "1", paramLabel = "R", description = "Numbers of relays of one site (default: ${DEFAULT-VALUE}).")
    private List<Integer> relays;

    @Option(
            names = "--modes",
            converter = ModeList.Converter.class,
            defaultValue = ModeList.EVERY,
            paramLabel = "MODES",
            description = "Modes of the relays, or all (default: ${DEFAULT-VALUE}).")
    private ModeList modes;

    @Option(names = "--durability", split = ",", defaultValue = "NONE", paramLabel = "WHAT",
            description = "none or process, or both to compare (default: none).")
    private List<Durability> durabilities;

    @Option(names = "--sizes", defaultValue = "1,1k,64k,1m", paramLabel = "BYTES",
            description = "Message sizes, as for the other tests (default: ${DEFAULT-VALUE}).")
    private String sizes;

    @Option(names = "--repetitions", defaultValue = "5", paramLabel = "R", description = "Interleaved repetitions (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Option(names = "--phase-ms", defaultValue = "250", paramLabel = "MS", description = "How long one repetition of a line lasts (default: ${DEFAULT-VALUE}).")
    private int phaseMs;

    @Option(
            names = "--processes",
            defaultValue = "" + ScalePlan.PROCESSES_DEFAULT,
            paramLabel = "P",
            description = "Processes that host the ranks (default: ${DEFAULT-VALUE}).")
    private int processes;

    @Mixin
    private ReportOptions report;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Draw bandwidth here, and latency in FILE-latency.svg.")
    private Path plot;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        ScalePlan plan = plan();
        report.measure(plan, plot);
        return 0;
    }

    private ScalePlan plan() {
        try {
            return new ScalePlan(
                    clients.stream().distinct().sorted().toList(),
                    relays.stream().distinct().sorted().toList(),
                    modes.modes(),
                    Durabilities.logged(durabilities, command),
                    SizeList.parse(sizes),
                    repetitions,
                    phaseMs,
                    processes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
