package org.posthouse.cli.log;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.core.Job;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogScan;
import org.posthouse.logstore.LogSummary;
import org.posthouse.logstore.RankLog;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code posthouse log ls}: the jobs in a log. */
@Command(name = "ls", description = "Lists the jobs in a log, open and closed.", mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse log ls --data data-a", "  posthouse log ls --data data-a --json"})
final class LogListCommand implements Callable<Integer> {
    @Mixin
    private LogFolder folder;

    @Option(names = "--json", description = "Print one JSON array.")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure {
        LogSummary summary = new LogSummary();
        Path log = folder.find();
        LogScan scan = LogFolder.scan(log, summary);
        Collection<LogSummary.Job> jobs = summary.complete(LogFolder.beginning(log)).complete(scan.book()).jobs();
        if (json) {
            System.out.println(json(jobs, scan));
        } else {
            print(jobs, scan);
        }
        return LogFolder.report(scan);
    }

    private static void print(Collection<LogSummary.Job> jobs, LogScan scan) {
        System.out.printf(
                Locale.ROOT, "%-16s  %-24s %6s %9s %11s %14s  %-23s %s%n",
                "JOB", "NAME", "RANKS", "STATE", "RECORDS", "BYTES", "POSITIONS", "RANKS HERE: PROCESSES, DELIVERIES");
        for (LogSummary.Job job : jobs) {
            System.out.printf(
                    Locale.ROOT, "%-16s  %-24s %6d %9s %,11d %,14d  %-23s %s%n",
                    Job.hexId(job.id()), OneLine.of(JobNames.name(job.opening())), job.size(), state(scan, job), job.records(), job.bytes(),
                    job.first() + "-" + job.last(), here(scan, job));
        }
        System.out.printf(
                Locale.ROOT, "%,d records, %,d bytes in %d files, positions %d-%d, epoch %d%n",
                scan.records(), scan.bytes(), scan.files(), scan.firstPosition(), scan.lastPosition(), scan.epoch());
    }

    private static String state(LogScan scan, LogSummary.Job job) {
        if (job.status().isPresent()) {
            return "closed " + job.status().getAsInt();
        }
        JobState open = scan.book().job(job.id());
        return open == null || open.fault() == null ? "open" : "faulted";
    }

    /** Of an open job: what the log knows of its ranks, or why it cannot go on. */
    private static String here(LogScan scan, LogSummary.Job job) {
        JobState open = scan.book().job(job.id());
        if (open != null && open.fault() != null) {
            return OneLine.of(open.fault().getMessage());
        }
        StringBuilder text = new StringBuilder();
        if (open != null) {
            for (RankLog rank : open.ranks()) {
                text.append(text.isEmpty() ? "" : "; ").append(rank.rank()).append(": ").append(rank.incarnation())
                        .append(", ").append(rank.deliveries());
            }
        }
        return text.toString();
    }

    private static String json(Collection<LogSummary.Job> jobs, LogScan scan) {
        ArrayNode list = new ObjectMapper().createArrayNode();
        for (LogSummary.Job job : jobs) {
            ObjectNode node = list.addObject()
                    .put("job", Job.hexId(job.id()))
                    .put("name", JobNames.name(job.opening()))
                    .put("ranks", job.size())
                    .put("open", job.status().isEmpty());
            job.status().ifPresent(status -> node.put("status", status));
            node.put("records", job.records()).put("bytes", job.bytes()).put("first", job.first()).put("last", job.last());
            ArrayNode here = node.putArray("ranksHere");
            JobState open = scan.book().job(job.id());
            if (open != null && open.fault() != null) {
                node.put("fault", open.fault().getMessage());
            }
            if (open != null) {
                open.ranks().forEach(rank -> here.addObject()
                        .put("rank", rank.rank())
                        .put("incarnation", rank.incarnation())
                        .put("finalized", rank.finalized())
                        .put("done", rank.done())
                        .put("deliveries", rank.deliveries())
                        .put("events", rank.events())
                        .put("failedPolls", rank.polls()));
            }
        }
        return list.toString();
    }
}
