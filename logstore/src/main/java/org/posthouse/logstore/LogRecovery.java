package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Consumer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a folder into a state that a writer can go on from: reads it whole, cuts what a dead writer left half
 * written, refuses what is damaged. Runs under the folder's lock, before Chronicle opens the folder.
 *
 * @param scan what the log holds; its defect, if any, has been cut
 * @param nextFile number of the file to append to
 * @param begun whether that file is there already
 */
record LogRecovery(LogScan scan, int nextFile, boolean begun) {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    static LogRecovery recover(Path folder, Consumer<? super LogEntry> visitor, Host host) throws IOException {
        TailCut.clean(folder);
        SpareFiles.clean(folder);
        QueueFiles.rename(folder);
        LogScan scan = LogReader.read(folder, visitor);
        if (scan.defect().isPresent()) {
            cut(scan, scan.defect().get(), host);
        }
        LogScan.End end = scan.end();
        if (end.halfSnapshot()) {
            dropHalfSnapshot(scan);
            return recover(folder, visitor, host);
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
     * Nobody needs any of its records. Positions and epochs go on, unless this process is killed between here and the next start record; what tells
     * that a file is missing goes first.
     */
    private static LogRecovery beginAnew(LogScan scan) throws IOException {
        Path folder = scan.folder();
        Files.deleteIfExists(folder.resolve(Reached.FILE));
        new SafeUpTo(0).write(folder, Disk::force);
        for (Path file : QueueFiles.list(folder).values()) {
            Files.delete(file);
        }
        Disk.force(folder); // Those that came back behind file 0 would be of an earlier life.
        dropChronicleState(folder);
        LOG.info("log {}: begins anew with file 0, after file {}", folder, scan.end().lastFile());
        return new LogRecovery(scan.withoutFiles(), 0, false);
    }

    /** Only file 0 may begin without a snapshot, as a log does of which nothing is left. */
    private static int nextFile(SortedMap<Integer, Path> files, LogScan.End end) {
        if (files.isEmpty()) {
            return 0;
        }
        return end.marked() ? end.lastFile() + 1 : end.lastFile();
    }

    private static void cut(LogScan scan, LogDefect defect, Host host) throws IOException {
        UUID writers = bootOfLastWriter(scan);
        boolean rebooted = host.rebootedSince(writers);
        boolean told = !writers.equals(Host.UNKNOWN_BOOT) || host.boot().equals(Host.UNKNOWN_BOOT);
        if (!mayCut(scan, defect, rebooted, told)) {
            throw new LogException(defect.file(), defect.position(), "is damaged: " + defect,
                    "restore the folder from a copy, or move it away to begin a new log and lose what it holds", null);
        }
        String lost = rebooted ? LostTail.of(scan, defect).toString() : "published records lost: " + defect.lost();
        dropFilesBehind(scan.folder(), scan.end().lastFile());
        if (scan.files() > 0) {
            TailCut.cut(scan.folder(), scan.end().lastFile(), scan.end().recordsInFile());
        }
        LOG.warn("log {}: cut {} behind position {}, offset {}: {}; {}", scan.folder(), defect.file().getFileName(),
                scan.lastPosition(), defect.offset(), defect, lost);
    }

    /**
     * A disk gives no order to pages between two syncs: when its host loses its power, one may be missing while later ones, and later files,
     * are there. So on a host that was booted since, whatever is wrong behind what was synced had been promised to nobody.
     *
     * @param told whether the log, or the word beside it, has told of which boot its writer was
     */
    private static boolean mayCut(LogScan scan, LogDefect defect, boolean rebooted, boolean told) {
        SafeUpTo safe = scan.end().safe();
        if (scan.lastPosition() < safe.position()) {
            return false;
        }
        boolean published = defect.lost() > 0 || defect.kind() == LogDefect.Kind.BROKEN_CHAIN;
        return rebooted && told && safe.isKnown() || defect.atTail() && (rebooted || !published);
    }

    /** The newest goes first: what is left ends where it ended. */
    private static void dropFilesBehind(Path folder, int file) throws IOException {
        for (Path behind : QueueFiles.list(folder).tailMap(file + 1).values().stream().toList().reversed()) {
            Files.delete(behind);
        }
    }

    /** The records that tell it may be among those that are gone. */
    private static UUID bootOfLastWriter(LogScan scan) {
        Reached reached = scan.end().reached();
        return scan.lastPosition() < reached.position() ? reached.boot() : scan.book().boot();
    }

    /** Of a log of an earlier version all may have been promised, so that all of it has to be on the disk from now on. */
    private static void tellSafe(LogScan scan) throws IOException {
        if (scan.end().safe().isKnown()) {
            return;
        }
        for (Path file : QueueFiles.list(scan.folder()).values()) {
            Disk.force(file);
        }
        try {
            new SafeUpTo(scan.lastPosition()).write(scan.folder(), Disk::force);
        } catch (IOException e) {
            LOG.warn("log {}: {} is not written, so what a power cut leaves of it would be refused if it has a hole: {}", scan.folder(), SafeUpTo.FILE,
                    LogException.words(e));
        }
    }

    /**
     * A writer that was killed while it began a file may leave one whose first header was never written. Chronicle
     * would wait 12 s for that header, twice; it makes the file anew if there is none.
     */
    private static void dropEmptyFile(Path folder, LogScan.End end) throws IOException {
        if (end.lastFile() >= 0 && end.recordsInFile() == 0 && !end.marked()) {
            Files.deleteIfExists(QueueFiles.file(folder, end.lastFile()));
        }
    }

    /**
     * A file could not be the first of its log if its snapshot had no end. All that it has the files before it have too.
     * The visitor sees the others again.
     */
    private static void dropHalfSnapshot(LogScan scan) throws IOException {
        Path folder = scan.folder();
        Path file = QueueFiles.file(folder, scan.end().lastFile());
        LOG.warn("log {}: begins {} again, whose snapshot was not finished", folder, file.getFileName());
        long before = scan.lastPosition() - scan.end().recordsInFile();
        if (scan.end().safe().position() > before) {
            new SafeUpTo(before).write(folder, Disk::force);
        }
        Files.delete(file);
    }

    /**
     * Chronicle's metadata file holds nothing that cannot be told from the log's files, but also the write lock of a
     * writer that was killed while appending. If that writer had the process id that we have now, as in a container,
     * Chronicle would take us for it, wait 15 s for ourselves and fail. We hold the folder's lock, so there is no
     * other writer: without the file, the lock is gone.
     */
    private static void dropChronicleState(Path folder) throws IOException {
        if (Files.deleteIfExists(folder.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE))) {
            LOG.debug("log {}: made Chronicle's metadata anew", folder);
        }
        int next = QueueFiles.list(folder).isEmpty() ? 0 : QueueFiles.list(folder).lastKey() + 1;
        Files.deleteIfExists(QueueFiles.ready(folder, next));
    }
}
