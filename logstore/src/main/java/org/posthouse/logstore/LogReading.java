package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.QueueFiles;

/**
 * The progress of reading a log: a visitor of its records, as {@link MessageLog#open} takes one. Confined to the
 * reading thread, except for methods marked "Any thread".
 */
public final class LogReading implements Consumer<LogEntry> {
    /** For each file, the bytes of the files before it. */
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
            sum += next.toFile().length(); // 0 if another relay has the log and cuts it; opening the log reports that.
        }
        bytes = sum;
    }

    /**
     * The reading of the log in this folder, with its current size.
     *
     * @throws LogException if the folder cannot be read
     */
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

    /** The progress in words. Any thread. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "it reads its log: %,d of %,d bytes", read, bytes);
    }
}
