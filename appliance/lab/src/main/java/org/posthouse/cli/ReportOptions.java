package org.posthouse.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.posthouse.bench.BenchEnvironment;
import org.posthouse.bench.BenchWatch;
import org.posthouse.bench.Report;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobRun;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How every bench comes to its report, and where that goes. */
final class ReportOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures here too.")
    private Path json;

    /** A bench that is ready to begin. */
    interface Bench<R extends Report> {
        R measure(BenchWatch watch) throws IOException, JobFailure, InterruptedException;
    }

    /** How a report is drawn, in this file and in others beside it. */
    interface Plot<R extends Report> {
        void write(R report, Path file) throws IOException;
    }

    /**
     * Measures, prints, and writes what is asked for; an interruption ends it.
     *
     * @throws CommandFailure if it cannot, or if something stopped the bench before it had measured all: behind what it could tell
     */
    <R extends Report> R measure(Bench<R> bench) throws CommandFailure, InterruptedException {
        return measure(bench, null, (report, file) -> {});
    }

    /** As {@link #measure(Bench)}, and draws it. @param file what the command's own {@code --plot} says; null if it says nothing */
    <R extends Report> R measure(Bench<R> bench, Path file, Plot<R> plot) throws CommandFailure, InterruptedException {
        ReportFiles.require(command, "--json", json);
        ReportFiles.require(command, "--plot", file);
        try (Interruption interruption = Interruption.open()) {
            R report = watched(bench, interruption);
            report.print(new PrintStream(System.out, true, StandardCharsets.UTF_8));
            if (json != null) {
                report.writeJson(asCalled(), json);
            }
            if (report.failed().isPresent()) {
                throw new CommandFailure("not all was measured: " + report.failed().get().getMessage(), report.failed().get());
            }
            if (file != null) {
                plot.write(report, file);
            }
            return report;
        } catch (IOException | JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The line at the terminal's foot is gone when the report is printed. */
    private static <R extends Report> R watched(Bench<R> bench, Interruption interruption)
            throws IOException, JobFailure, InterruptedException {
        try (TerminalProgress progress = TerminalProgress.onStandardError()) {
            return bench.measure(watch(interruption, progress));
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
