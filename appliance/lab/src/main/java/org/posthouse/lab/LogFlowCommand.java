package org.posthouse.lab;

import java.util.concurrent.Callable;
import org.posthouse.bench.logflow.FlowPlan;
import org.posthouse.cli.option.ByteCount;
import org.posthouse.cli.option.CheckpointOption;
import org.posthouse.cli.option.CommandFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench logflow}: much through a small log. */
@Command(
        name = "logflow",
        description = "Sends more than a log may hold, and watches how much disk the log takes: its limit and one file at most.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  posthouse bench logflow --bytes 20g --log-limit 1g --checkpoint-every 2s",
            "What becomes of it beyond the kernel's dirty limit:",
            "  posthouse bench logflow --bytes 12g --log-limit 40g --checkpoint-every 0"
        })
final class LogFlowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(
            names = "--bytes",
            converter = ByteCount.class,
            defaultValue = "20g",
            paramLabel = "BYTES",
            description = "What is sent, in messages of 64 KiB (default: ${DEFAULT-VALUE}).")
    private long bytes;

    @Option(
            names = "--log-limit",
            converter = ByteCount.class,
            defaultValue = "1g",
            paramLabel = "BYTES",
            description = "How much the log may take on disk (default: ${DEFAULT-VALUE}).")
    private long limitBytes;

    @Option(
            names = "--checkpoint-every",
            converter = CheckpointOption.Interval.class,
            defaultValue = "2s",
            paramLabel = "TIME",
            description = "How often the ranks save their state; 0: when the log asks (default: ${DEFAULT-VALUE}).")
    private long checkpointMs;

    @Mixin
    private ReportOptions report;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        FlowPlan plan = plan();
        return report.measure(plan).isWithinLimit() ? 0 : 1;
    }

    private FlowPlan plan() {
        try {
            return new FlowPlan(bytes, limitBytes, checkpointMs);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
