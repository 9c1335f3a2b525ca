package org.posthouse.lab;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.posthouse.bench.job.JobPlan;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.ModeOptions;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench job}: the cost of a log for a whole job. */
@Command(
        name = "job",
        description = "Runs a whole job again and again, with a log and without in turns, and compares the times.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Compared is what the program says (\"Time in seconds: X\"), or else the time from Init of all ranks to the job's end.",
            "",
            "Example:",
            "  posthouse bench job --job example:nas-is -n 4 --repetitions 9 A"
        })
final class BenchJobCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Mixin
    private JobOptions job;

    @Option(
            names = "--durability",
            split = ",",
            defaultValue = "NONE,PROCESS",
            paramLabel = "WHAT",
            description = "none, process; the first is what the others are compared with (default: none,process).")
    private List<Durability> durabilities;

    @Option(names = "--repetitions", defaultValue = "5", paramLabel = "R", description = "Runs of each series, in turns (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Mixin
    private ReportOptions report;

    @Mixin
    private ModeOptions mode;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        JobPlan plan = plan();
        report.measure(plan);
        return 0;
    }

    private JobPlan plan() throws CommandFailure {
        JobSpec spec = job.spec(command, Map.of(), Durability.NONE, RestartPolicy.DEFAULT);
        try {
            return new JobPlan(
                    spec, job.sites(), job.relaysPerSite(), mode.config(),
                    Durabilities.logged(durabilities, command), repetitions);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
