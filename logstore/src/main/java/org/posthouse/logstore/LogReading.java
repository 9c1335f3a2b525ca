package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How much of a log has been read: a visitor of its records, as {@link MessageLog#open} takes one. Confined to the thread that reads, but
 * for what says otherwise.
 */
public final class LogReading implements Consumer<LogEntry> {
    /** For each file, the bytes of those before it. */
    private final Map<Path, Long> before = new HashMap<>();

    private final long bytes;
    private Path file;
    private long fileAt;

    /** Written by the thread that reads the log, read by any. */
    private volatile long read;

    private LogReading(Path folder) throws IOException {
        long sum = 0;
        for (Path next : QueueFiles.list(folder).values()) {
            before.put(next, sum);
            sum += next.toFile().length(); // 0 if another relay has the log, and cuts it: whoever opens it says so.
        }
        bytes = sum;
    }

    /** Of the log in this folder, as large as it is now. @throws LogException if the folder cannot be read */
    public static LogReading of(Path folder) {
        try {
            return new LogReading(folder);
        } catch (IOException e) {
            throw LogOpening.unusable(folder, e);
        }
    }

    @Override
    public void accept(LogEntry entry) {
        if (entry.file() != file) {
            file = entry.file();
            fileAt = before.getOrDefault(file, bytes);
        }
        read = fileAt + entry.offset();
    }

    /** Bytes up to the last record that was read. Any thread. */
    long read() {
        return read;
    }

    /** In words. Any thread. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "it reads its log: %,d of %,d bytes", read, bytes);
    }
}
