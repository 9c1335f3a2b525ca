package org.posthouse.lab;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.posthouse.bench.experiment.BenchEnvironment;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.Report;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.cli.terminal.TerminalProgress;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.job.JobFailure;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options common to all benches that choose the report and its file. */
final class ReportOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures here too.")
    private Path json;

    /**
     * Measures, prints, and writes what is asked for; an interruption ends it.
     *
     * @throws CommandFailure if it cannot, or if something stopped the bench before it had measured all: behind what it could tell
     */
    <R extends Report> R measure(Experiment<R> experiment) throws CommandFailure, InterruptedException {
        return measure(experiment, null);
    }

    /** As {@link #measure(Experiment)}, and draws it. @param plot what the command's own {@code --plot} says; null if it says nothing */
    <R extends Report> R measure(Experiment<R> experiment, Path plot) throws CommandFailure, InterruptedException {
        ReportFiles.require(command, "--json", json);
        ReportFiles.require(command, "--plot", plot);
        try (Interruption interruption = Interruption.open()) {
            R report = watched(experiment, interruption);
            report.print(new PrintStream(System.out, true, StandardCharsets.UTF_8));
            if (json != null) {
                report.writeJson(asCalled(), json);
            }
            if (report.failed().isPresent()) {
                throw new CommandFailure("not all was measured: " + report.failed().get().getMessage(), report.failed().get());
            }
            if (plot != null) {
                report.writePlot(plot);
            }
            return report;
        } catch (IOException | JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The line at the terminal's foot is gone when the report is printed. */
    private static <R extends Report> R watched(Experiment<R> experiment, Interruption interruption)
            throws IOException, JobFailure, InterruptedException {
        try (TerminalProgress progress = TerminalProgress.onStandardError()) {
            return experiment.run(watch(interruption, progress));
        }
    }

    /** The command line as it was given. */
    private String asCalled() {
        return "posthouse " + String.join(" ", command.root().commandLine().getParseResult().originalArgs());
    }

    /** Shows how far a bench has come, and ends it when the user interrupts; says first what of the environment matters. */
    private static BenchWatch watch(Interruption interruption, TerminalProgress progress) {
        if (!BenchEnvironment.found().isEmpty()) {
            System.err.println("posthouse: measured with what the environment says: " + BenchEnvironment.found());
        }
        return new BenchWatch() {
            @Override
            public void onJob(JobRun job) {
                interruption.guard(job);
            }

            @Override
            public void onStart(Runnable end) {
                interruption.guard(end);
            }

            @Override
            public void onPhase(String what, int done, int total) {
                progress.show(what, done, total);
            }

            @Override
            public void onRemark(String what) {
                System.err.println("posthouse: " + what);
            }
        };
    }
}
