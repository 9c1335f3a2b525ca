package org.posthouse.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.SupervisedOption;
import org.posthouse.cli.option.TagOption;
import org.posthouse.cli.terminal.Interruption;
import org.posthouse.cli.terminal.Signals;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.wire.Token;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code posthouse resume}: goes on with a job that its launcher has left. */
@Command(
        name = "resume",
        description = "Goes on with a job of run --folder whose launcher has died, was interrupted or could not go on: its ranks are started again and"
                + " brought to where they were. What was shown is not shown again.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Arguments, environment and working folder are those of the first launcher. Status: the",
            "job's; 75 if it stands still again; 74 if a relay has lost what it needs; 1 if there",
            "is no job to go on with, or, with --end, a relay of it cannot be told.", "", "Examples:", "  posthouse resume june",
            "  posthouse resume --end june"})
final class ResumeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The job's folder.")
    private Path folder;

    @Option(names = "--end",
            description = "End the job instead: its relays forget it, and its folder keeps what it printed. If it is over, relays that were away then are told.")
    private boolean end;

    @Mixin
    private TagOption tags;

    @Mixin
    private SupervisedOption supervised;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        try (JobFolder job = end ? JobFolder.openToEnd(folder) : JobFolder.open(folder)) {
            Token token = TokenFile.read(job.tokenFile());
            if (end) {
                JobRun.end(job, token);
                System.err.println("posthouse: the job in " + folder + " is ended, and all its relays know");
                return 0;
            }
            Signals.ignore("TTIN"); // Of a terminal that gives its input to others.
            JobOutcome outcome;
            try (Interruption interruption = Interruption.open()) {
                JobRun run = JobRun.resume(job, token, tags.outputOfLines(job.ranks()));
                supervised.apply(run);
                run.adoptOrphans();
                interruption.guard(run);
                outcome = run.run();
                Epilogue.tellLeft(outcome, folder);
            }
            return Epilogue.tell(outcome);
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }
}
