package org.posthouse.cli.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.core.Job;
import org.posthouse.logstore.LogExport;
import org.posthouse.logstore.LogScan;
import org.posthouse.logstore.LogState;
import org.posthouse.logstore.record.LogRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse log export}: one job's history in a file of its own. */
@Command(
        name = "export",
        description = "Copies the records of one job, or of one rank and those of its whole job, into a file.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse log export --data data-a --to job.log 4f1c09a2b3d4e5f6"})
final class LogExportCommand implements Callable<Integer> {
    @Mixin
    private LogFolder folder;

    @Parameters(paramLabel = "JOB", description = "The job: its id, or its name if no other job in the log has it.")
    private String job;

    @Option(names = "--rank", paramLabel = "R", description = "Only what this rank needs to be run again alone (default: all ranks).")
    private Integer rank;

    @Option(names = "--to", paramLabel = "FILE", required = true, description = "The file to write; what it held is replaced.")
    private Path to;

    @Spec
    private CommandSpec command;

    /** Of the job; as many as there may be where the log does not say. */
    private int ranks = Integer.MAX_VALUE;

    /** Whether there is a record of the rank behind the log's beginning. */
    private boolean ofRank;

    @Override
    public Integer call() throws CommandFailure {
        if (rank != null && rank < 0) {
            throw new ParameterException(command.commandLine(), "--rank " + rank + ", expected 0 or more");
        }
        Path log = folder.find();
        LogState beginning = LogFolder.beginning(log);
        JobNames wanted = new JobNames(job).from(beginning);
        wanted.found().keySet().forEach(id -> ranks = beginning.job(id).size());
        LogFolder.scan(log, entry -> {
            boolean ofJob = wanted.test(entry);
            if (ofJob && entry.record() instanceof LogRecord.JobOpened opened) {
                ranks = opened.size();
            }
            ofRank |= ofJob && rank != null && entry.record().rank() == rank;
        });
        wanted.requireFound("log " + log, JobNames.LISTED);
        Map<Long, String> found = wanted.found();
        if (found.size() > 1) {
            throw new CommandFailure("log " + log + " has several jobs named " + job + "; give the id of one: "
                    + found.keySet().stream().map(Job::hexId).toList());
        }
        if (rank != null && rank >= ranks) {
            throw new CommandFailure("--rank is " + rank + ", and job " + job + " has " + ranks + " ranks, from 0");
        }
        long id = found.keySet().iterator().next();
        if (rank != null && !ofRank && beginning.rank(id, rank) == null) {
            throw new CommandFailure("log " + log + " has no record of rank " + rank + " of job " + job + ": export it where its home relay has its log;"
                    + " posthouse log ls there has the rank");
        }
        return export(log, id, beginning.job(id) != null);
    }

    /** @param cut whether the job was open already where the log begins */
    private int export(Path log, long id, boolean cut) throws CommandFailure {
        try (LogExport export = LogExport.begin(to, id, rank == null ? LogRecord.NO_RANK : rank)) {
            LogScan scan = LogFolder.scan(log, entry -> {
                try {
                    export.take(entry);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            export.finish();
            System.out.printf(Locale.ROOT, "%s: %,d records of job %s%n", to, export.records(), Job.hexId(id));
            if (cut) {
                System.err.printf(
                        Locale.ROOT, "posthouse log: the job's records before position %d are gone from this log: %s has what is left, under the job's id%n",
                        scan.firstPosition(), to);
            }
            return LogFolder.report(scan);
        } catch (NoSuchFileException e) {
            throw new CommandFailure("file " + to + " cannot be written: there is no folder " + to.toAbsolutePath().getParent(), e);
        } catch (IOException e) {
            throw new CommandFailure("file " + to + " cannot be written: " + Causes.text(e), e);
        } catch (UncheckedIOException e) {
            throw new CommandFailure("file " + to + " cannot be written: " + Causes.text(e.getCause()), e);
        }
    }
}
