package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.FolderLock;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.WriterStarted;

/**
 * Opens a folder as a {@link MessageLog}: takes its lock, recovers its content, and appends the start record of the new
 * writer. Stateless.
 */
public final class LogOpening {
    /** Linux's messages for ENOSPC and EDQUOT; Java passes on only the text. */
    private static final List<String> GIVES_NO_MORE = List.of("No space left on device", "Disk quota exceeded");

    private LogOpening() {}

    /** As {@link MessageLog#open(LogConfig, ToLongFunction, Consumer)}, by the process that {@code host} describes. */
    public static MessageLog open(LogConfig config, ToLongFunction<LogState> relayEpoch, Consumer<? super LogEntry> visitor, HostCalls hostCalls) {
        try {
            Disk.makeFolder(config.folder());
            FolderLock lock = FolderLock.take(config.folder(), hostCalls.pid());
            try {
                LogRecovery recovery = recover(config.folder(), visitor, hostCalls);
                long epoch = relayEpoch.applyAsLong(recovery.scan().book());
                MessageLog log = new MessageLog(config, hostCalls, lock, recovery, epoch);
                log.start(new WriterStarted(hostCalls.wallTimeMs().getAsLong(), hostCalls.pid(), hostCalls.boot(), epoch), recovery);
                return log;
            } catch (IOException | RuntimeException | Error e) {
                giveBack(lock, e);
                throw e;
            }
        } catch (IOException e) {
            throw unusable(config.folder(), e);
        }
    }

    /**
     * Java throws this error when the system cannot provide a mapped page. The disk is broken or, where even reading
     * allocates blocks, full.
     */
    private static LogRecovery recover(Path folder, Consumer<? super LogEntry> visitor, HostCalls hostCalls) throws IOException {
        try {
            return LogRecovery.recover(folder, visitor, hostCalls);
        } catch (InternalError e) {
            throw unusable(folder, new IOException("a page of it cannot be read", e));
        }
    }

    private static void giveBack(FolderLock lock, Throwable failure) {
        try {
            lock.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * The exception for a folder that cannot be used. A disk may have free bytes but no free inodes, or may reserve its
     * bytes for other users.
     */
    static LogException unusable(Path folder, IOException e) {
        long free = folder.toFile().getUsableSpace();
        if (free < RecordChain.MARGIN_BYTES) {
            return LogException.full(folder, free, RecordChain.MARGIN_BYTES);
        }
        String words = LogException.words(e);
        if (GIVES_NO_MORE.stream().anyMatch(words::contains)) {
            return LogException.full(folder, free, words);
        }
        return new LogException(folder, "cannot be opened: " + words,
                "check that the folder is local, readable and writable", e);
    }
}
