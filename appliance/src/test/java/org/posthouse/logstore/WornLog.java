package org.posthouse.logstore;

import java.io.IOException;
import java.util.UUID;
import org.posthouse.logstore.file.FolderLock;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;

/** A log that has used most of the names of its files, for tests of other rooms. */
public final class WornLog {
    private WornLog() {}

    /** Opens one in an empty folder. */
    public static MessageLog open(LogConfig config) throws IOException {
        HostCalls hostCalls = new HostCalls(() -> Long.MAX_VALUE, () -> 0, 1, new UUID(1, 1));
        MessageLog.open(config).close();
        LogRecovery recovery = new LogRecovery(MessageLog.scan(config.folder(), entry -> {}), QueueFiles.WORN, false);
        MessageLog log = new MessageLog(config, hostCalls, FolderLock.take(config.folder(), hostCalls.pid()), recovery, 0);
        log.start(new LogRecord.WriterStarted(0, hostCalls.pid(), hostCalls.boot(), 0), recovery);
        return log;
    }
}
