package org.posthouse.cli.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.core.Job;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.LogExport;
import org.posthouse.logstore.LogScan;
import org.posthouse.logstore.LogState;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.RecordType;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse log show}: the records of a log, or of an export of one. */
@Command(
        name = "show",
        description = "Shows a log's records, one a line, in the order in which they were written.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse log show --data data-a --count 20", "  posthouse log show --data data-a --rank 3 --json"})
final class LogShowCommand implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PAYLOAD_BYTES_SHOWN = 32;

    /** Where the records are. */
    static final class Origin {
        @ArgGroup(exclusive = false)
        private LogFolder log;

        @Option(names = "--export", paramLabel = "FILE", required = true, description = "A file that posthouse log export made.")
        private Path export;
    }

    @ArgGroup(multiplicity = "1")
    private Origin origin;

    @Option(names = "--job", paramLabel = "JOB", description = "Only records of this job: its id, or its name.")
    private String job;

    @Option(names = "--rank", paramLabel = "R", description = "Only records of this rank.")
    private Integer rank;

    @Option(names = "--type", split = ",", paramLabel = "T[,T...]", description = "Only these: ${COMPLETION-CANDIDATES}.")
    private Set<RecordType> types = Set.of(RecordType.values());

    @Option(names = "--from", defaultValue = "1", paramLabel = "P", description = "From this position on.")
    private long from;

    @Option(names = "--count", paramLabel = "N", description = "At most so many records, 0 or more (default: all).")
    private long count = Long.MAX_VALUE;

    @Option(names = "--payload", description = "With the payload in hexadecimal: the first 32 bytes for people, all with --json.")
    private boolean payload;

    @Option(names = "--json", description = "Print one JSON object a line.")
    private boolean json;

    @Spec
    private CommandSpec command;

    private JobNames wanted;
    private long shown;

    /** Of the largest job of {@code --job}; 0 where nothing says. */
    private int ranks;

    /** Enough was shown, or nobody reads it any more: nobody wants the rest of the log read. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Enough() {
            super("enough records shown", null, false, false);
        }
    }

    @Override
    public Integer call() throws CommandFailure {
        if (count < 0) {
            throw new ParameterException(command.commandLine(), "--count " + count + ", expected 0 or more");
        }
        if (rank != null && rank < 0) {
            throw new ParameterException(command.commandLine(), "--rank " + rank + ", expected 0 or more");
        }
        wanted = job == null ? null : new JobNames(job);
        try {
            if (origin.export != null) {
                LogExport.read(origin.export, this::visit);
                requireFound("export " + origin.export, "give its id, where the export has not how the job was opened");
                return 0;
            }
            Path log = origin.log.find();
            if (wanted != null) {
                LogState beginning = LogFolder.beginning(log);
                wanted.from(beginning).found().keySet().forEach(id -> ranks = Math.max(ranks, beginning.job(id).size()));
            }
            LogScan scan = MessageLog.scan(log, this::visit);
            if (scan.defect().isEmpty()) {
                requireFound("log " + log, JobNames.LISTED);
            }
            return LogFolder.report(scan);
        } catch (Enough e) {
            return 0;
        } catch (LogException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private void requireFound(String where, String advice) throws CommandFailure {
        if (wanted == null) {
            return;
        }
        wanted.requireFound(where, advice);
        if (rank != null && ranks > 0 && rank >= ranks) {
            throw new CommandFailure("--rank is " + rank + ", and job " + job + " has " + ranks + " ranks, from 0");
        }
    }

    private void visit(LogEntry entry) {
        LogRecord record = entry.record();
        boolean ofJob = wanted == null || wanted.test(entry);
        if (wanted != null && ofJob && record instanceof LogRecord.JobOpened opened) {
            ranks = Math.max(ranks, opened.size());
        }
        boolean meant = ofJob && (rank == null || record.rank() == rank) && types.contains(record.type());
        if (!meant || entry.position() < from) {
            return;
        }
        if (shown++ == count) {
            throw new Enough();
        }
        System.out.println(json ? json(entry) : line(entry));
        if (System.out.checkError()) {
            throw new Enough();
        }
    }

    private String line(LogEntry entry) {
        LogRecord record = entry.record();
        return String.format(
                Locale.ROOT, "%9d %3d  %-16s %5s  %-16s ", entry.position(), entry.epoch(),
                record.job() == LogRecord.NO_JOB ? "-" : Job.hexId(record.job()),
                record.rank() == LogRecord.NO_RANK ? "-" : record.rank(), record.type())
                + RecordFields.line(entry)
                + (payload && entry.payload().hasRemaining() ? ": " + hex(entry, PAYLOAD_BYTES_SHOWN) : "");
    }

    private String json(LogEntry entry) {
        Map<String, Object> fields = RecordFields.head(entry);
        fields.putAll(RecordFields.body(entry));
        if (payload) {
            fields.put("payload", hex(entry, Integer.MAX_VALUE));
        }
        try {
            return JSON.writeValueAsString(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("names and numbers that are no JSON: " + fields, e);
        }
    }

    private static String hex(LogEntry entry, int bytesMax) {
        ByteBuffer from = entry.payload().duplicate();
        byte[] bytes = new byte[Math.min(bytesMax, from.remaining())];
        from.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
