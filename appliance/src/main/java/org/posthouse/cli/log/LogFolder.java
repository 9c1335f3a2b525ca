package org.posthouse.cli.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.TerminalProgress;
import org.posthouse.logstore.LogDefect;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.LogScan;
import org.posthouse.logstore.LogState;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.file.LogException;
import picocli.CommandLine.Option;

/** The option that says which log, and the reading of it. */
final class LogFolder {
    private static final long PROGRESS_RECORDS = 8_192;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            required = true,
            description = "The relay's --data folder; of several relays with one folder, the log in it, as DIR/log-2.")
    private Path data;

    /** The log's own folder. */
    Path find() throws CommandFailure {
        List<Path> logs = logs();
        if (logs.size() != 1) {
            throw new CommandFailure(
                    logs.isEmpty()
                            ? "there is no log in " + data + "; name the --data folder of a relay"
                            : "there are several logs in " + data + "; name one: " + logs);
        }
        return logs.getFirst();
    }

    private List<Path> logs() throws CommandFailure {
        try {
            if (isLog(data)) {
                return List.of(data);
            }
            try (Stream<Path> inside = Files.list(data)) {
                return inside.filter(LogFolder::isLog).sorted().toList();
            }
        } catch (UncheckedIOException e) {
            throw unreadable(e.getCause());
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private CommandFailure unreadable(IOException why) {
        return new CommandFailure("folder " + data + " cannot be read: " + Causes.text(why) + "; name the --data folder of a relay, as a user who may read it",
                why);
    }

    private static boolean isLog(Path folder) {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> inside = Files.list(folder)) {
            return inside.anyMatch(file -> file.toString().endsWith(".cq4") || file.endsWith("writer.reached"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The state at the log's oldest record. */
    static LogState beginning(Path log) throws CommandFailure {
        try {
            return MessageLog.beginning(log);
        } catch (LogException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** Reads the log from end to end, saying on a terminal how far it is. */
    static LogScan scan(Path log, Consumer<? super LogEntry> visitor) throws CommandFailure {
        long[] seen = {0, 0};
        try (TerminalProgress progress = TerminalProgress.onStandardError()) {
            long total = bytes(log);
            return MessageLog.scan(log, entry -> {
                visitor.accept(entry);
                seen[0] += entry.bytes().remaining();
                if (++seen[1] % PROGRESS_RECORDS == 0) {
                    progress.show(log + ", position " + entry.position(), (int) (seen[0] >> 10), (int) (total >> 10));
                }
            });
        } catch (IOException e) {
            throw new CommandFailure("log " + log + " cannot be read: " + Causes.text(e), e);
        } catch (LogException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private static long bytes(Path log) throws IOException {
        try (Stream<Path> files = Files.list(log)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    /** Says what is wrong with the log, and where. Returns the status that says so too. */
    static int report(LogScan scan) {
        int status = 0;
        for (LogDefect defect : scan.defects()) {
            boolean torn = defect.kind() == LogDefect.Kind.TORN_TAIL;
            System.err.println("posthouse log: " + defect
                    + (torn && isWritten(scan.folder()) ? "; a relay writes this log now, so this may be its next record" : ""));
            status = Math.max(status, torn ? ExitCode.ATTENTION.status() : ExitCode.DAMAGED.status());
        }
        return status;
    }

    /** A writer leaves its process id until it has closed the log. */
    private static boolean isWritten(Path log) {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(log.resolve("writer.pid")).strip())).isPresent();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }
}
