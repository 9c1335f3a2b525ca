package org.posthouse.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.posthouse.bench.JobBench;
import org.posthouse.bench.JobPlan;
import org.posthouse.bench.JobReport;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobSpec;
import org.posthouse.launch.Patience;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench job}: what a log costs a whole job. */
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

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures here too.")
    private Path json;

    @Mixin
    private ModeOptions mode;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        JobPlan plan = plan();
        ReportFiles.require(command, "--json", json);
        try (Interruption interruption = Interruption.open()) {
            JobReport report = measure(plan, interruption);
            report.print(new PrintStream(System.out, true, StandardCharsets.UTF_8));
            if (json != null) {
                report.writeJson(BenchCommand.asCalled(command), json);
            }
            return 0;
        } catch (IOException | JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private static JobReport measure(JobPlan plan, Interruption interruption) throws IOException, JobFailure, InterruptedException {
        try (TerminalProgress progress = TerminalProgress.onStandardError()) {
            return JobBench.measure(plan, BenchCommand.watch(interruption, progress));
        }
    }

    private JobPlan plan() throws CommandFailure {
        JobSpec spec = job.spec(command, Map.of(), Durability.NONE, Patience.DEFAULT);
        try {
            return new JobPlan(
                    spec, job.sites(), job.relaysPerSite(), mode.config(),
                    Durability.logged(durabilities, command), repetitions);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
