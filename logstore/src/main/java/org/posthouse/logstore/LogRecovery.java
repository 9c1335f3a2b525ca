package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Consumer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.SpareFiles;
import org.posthouse.logstore.file.SyncedPosition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares a folder for a writer. It reads the whole log, truncates what a dead writer left incomplete, and refuses a
 * damaged log. Runs under the folder's lock, before Chronicle opens the folder.
 *
 * @param scan the log's content; its defect, if any, has been cut
 * @param nextFile number of the file to append to
 * @param begun whether that file exists already
 */
record LogRecovery(LogScan scan, int nextFile, boolean begun) {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    static LogRecovery recover(Path folder, Consumer<? super LogEntry> visitor, HostCalls hostCalls) throws IOException {
        TailTruncation.clean(folder);
        SpareFiles.clean(folder);
        QueueFiles.rename(folder);
        LogScan scan = LogReader.read(folder, visitor);
        if (scan.defect().isPresent()) {
            cut(scan, scan.defect().get(), hostCalls);
        }
        LogScan.End end = scan.end();
        if (end.halfSnapshot()) {
            dropHalfSnapshot(scan);
            return recover(folder, visitor, hostCalls);
        }
        if (end.lastFile() >= QueueFiles.WORN && scan.book().jobs().isEmpty()) {
            return beginAnew(scan);
        }
        dropEmptyFile(folder, end);
        dropChronicleState(folder);
        tellSafe(scan);
        SortedMap<Integer, Path> files = QueueFiles.list(folder);
        int nextFile = nextFile(files, end);
        return new LogRecovery(scan, nextFile, files.containsKey(nextFile));
    }

    /**
     * Begins the log anew, because nobody needs its records. Positions and epochs continue, unless this process is
     * killed before the next start record. The files whose absence would be reported as damage are deleted first.
     */
    private static LogRecovery beginAnew(LogScan scan) throws IOException {
        Path folder = scan.folder();
        Files.deleteIfExists(folder.resolve(LogHighWater.FILE));
        new SyncedPosition(0).write(folder, Disk::force);
        for (Path file : QueueFiles.list(folder).values()) {
            Files.delete(file);
        }
        Disk.force(folder); // A higher-numbered file that reappeared would look like an earlier use of the log.
        dropChronicleState(folder);
        LOG.info("log {}: begins anew with file 0, after file {}", folder, scan.end().lastFile());
        return new LogRecovery(scan.withoutFiles(), 0, false);
    }

    /** Only file 0 may begin without a snapshot, because it may belong to a log without earlier records. */
    private static int nextFile(SortedMap<Integer, Path> files, LogScan.End end) {
        if (files.isEmpty()) {
            return 0;
        }
        return end.marked() ? end.lastFile() + 1 : end.lastFile();
    }

    private static void cut(LogScan scan, LogDefect defect, HostCalls hostCalls) throws IOException {
        UUID writers = bootOfLastWriter(scan);
        boolean rebooted = hostCalls.rebootedSince(writers);
        boolean told = !writers.equals(HostCalls.UNKNOWN_BOOT) || hostCalls.boot().equals(HostCalls.UNKNOWN_BOOT);
        if (!mayCut(scan, defect, rebooted, told)) {
            throw new LogException(defect.file(), defect.position(), "is damaged: " + defect,
                    "restore the folder from a copy, or move it away to begin a new log and lose what it holds", null);
        }
        String lost = rebooted ? TruncatedTail.of(scan, defect).toString() : "published records lost: " + defect.lost();
        dropFilesBehind(scan.folder(), scan.end().lastFile());
        if (scan.files() > 0) {
            TailTruncation.cut(scan.folder(), scan.end().lastFile(), scan.end().recordsInFile());
        }
        LOG.warn("log {}: cut {} behind position {}, offset {}: {}; {}", scan.folder(), defect.file().getFileName(),
                scan.lastPosition(), defect.offset(), defect, lost);
    }

    /**
     * Whether the defect may be cut. A disk does not order pages between two syncs. After a power cut one page may be
     * missing while later pages and files exist. On a host that was rebooted since, any defect after the synced
     * position concerns only records that nobody was promised.
     *
     * @param told whether the log or the file beside it names the boot of its last writer
     */
    private static boolean mayCut(LogScan scan, LogDefect defect, boolean rebooted, boolean told) {
        SyncedPosition safe = scan.end().safe();
        if (scan.lastPosition() < safe.position()) {
            return false;
        }
        boolean published = defect.lost() > 0 || defect.kind() == LogDefect.Kind.BROKEN_CHAIN;
        return rebooted && told && safe.isKnown() || defect.atTail() && (rebooted || !published);
    }

    /** The newest file is deleted first, so that the remaining log always has the same end. */
    private static void dropFilesBehind(Path folder, int file) throws IOException {
        for (Path behind : QueueFiles.list(folder).tailMap(file + 1).values().stream().toList().reversed()) {
            Files.delete(behind);
        }
    }

    /** Boot of the last writer; the records that name it may be among the lost ones. */
    private static UUID bootOfLastWriter(LogScan scan) {
        LogHighWater logHighWater = scan.end().reached();
        return scan.lastPosition() < logHighWater.position() ? logHighWater.boot() : scan.book().boot();
    }

    /** All records of a log of an earlier version may have been promised, so all must be on the disk from now on. */
    private static void tellSafe(LogScan scan) throws IOException {
        if (scan.end().safe().isKnown()) {
            return;
        }
        for (Path file : QueueFiles.list(scan.folder()).values()) {
            Disk.force(file);
        }
        try {
            new SyncedPosition(scan.lastPosition()).write(scan.folder(), Disk::force);
        } catch (IOException e) {
            LOG.warn("log {}: {} is not written, so what a power cut leaves of it would be refused if it has a hole: {}", scan.folder(), SyncedPosition.FILE,
                    LogException.words(e));
        }
    }

    /**
     * Deletes a file without a first header, which a writer killed at its beginning may leave. Chronicle would wait 12
     * s for that header, twice. It recreates the file if there is none.
     */
    private static void dropEmptyFile(Path folder, LogScan.End end) throws IOException {
        if (end.lastFile() >= 0 && end.recordsInFile() == 0 && !end.marked()) {
            Files.deleteIfExists(QueueFiles.file(folder, end.lastFile()));
        }
    }

    /**
     * Deletes a file whose snapshot is incomplete, because it could not become the first of its log. The files before
     * it contain the same information. The visitor sees their records again.
     */
    private static void dropHalfSnapshot(LogScan scan) throws IOException {
        Path folder = scan.folder();
        Path file = QueueFiles.file(folder, scan.end().lastFile());
        LOG.warn("log {}: begins {} again, whose snapshot was not finished", folder, file.getFileName());
        long before = scan.lastPosition() - scan.end().recordsInFile();
        if (scan.end().safe().position() > before) {
            new SyncedPosition(before).write(folder, Disk::force);
        }
        Files.delete(file);
    }

    /**
     * Deletes Chronicle's metadata file. It holds nothing that the log's files do not show, except the write lock of a
     * writer that was killed while appending. If that writer had our process id, as in a container, Chronicle would
     * mistake us for it, wait 15 s and fail. We hold the folder's lock, so there is no other writer. Without the file,
     * the write lock is gone.
     */
    private static void dropChronicleState(Path folder) throws IOException {
        if (Files.deleteIfExists(folder.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE))) {
            LOG.debug("log {}: made Chronicle's metadata anew", folder);
        }
        int next = QueueFiles.list(folder).isEmpty() ? 0 : QueueFiles.list(folder).lastKey() + 1;
        Files.deleteIfExists(QueueFiles.ready(folder, next));
    }
}
