package org.posthouse.logstore;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.SyncedPosition;
import org.posthouse.logstore.record.RecordType;

/**
 * The result of reading a whole log forward, up to its end or its first defect. Immutable.
 *
 * @param folder that was read
 * @param counts whole records of each type; a type without records is absent
 * @param firstPosition of the first record, 0 if there is none
 * @param lastPosition of the last whole record, 0 if there is none
 * @param epoch highest found, 0 if there is none
 * @param bytes of the whole records, envelopes included
 * @param files of the log
 * @param defect the first, if any; on a log that is being written, a torn tail is the record being written
 * @param gone the defect that files before the first are missing which jobs need; the book marks those jobs as faulted
 * @param book the state that the records describe
 * @param end what a writer needs to continue
 */
public record LogScan(Path folder, Map<RecordType, Long> counts, long firstPosition, long lastPosition, long epoch,
        long bytes, int files, Optional<LogDefect> defect, Optional<LogDefect> gone, LogState book, End end) {

    /** Copies the counts. */
    public LogScan {
        counts = Map.copyOf(counts);
    }

    /** The log's defects; empty if it is sound. */
    public List<LogDefect> defects() {
        return Stream.of(defect, gone).flatMap(Optional::stream).toList();
    }

    /** Number of whole records of all types. */
    public long records() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** This result after the files were deleted. */
    LogScan withoutFiles() {
        End none = new End(end.hash, -1, false, 0, end.drafts, new TreeMap<>(), false, LogHighWater.NOTHING, end.safe);
        return new LogScan(folder, counts, firstPosition, lastPosition, epoch, bytes, 0, defect, gone, book, none);
    }

    /**
     * The end of the chain.
     *
     * @param hash checksum of the last whole record, 0 if there is none
     * @param lastFile number of the last file, -1 if there is none
     * @param marked whether that file carries Chronicle's mark that it is complete
     * @param recordsInFile whole records in that file
     * @param drafts incomplete or undelivered messages
     * @param firstOfFile for each file, the position of its first record
     * @param halfSnapshot whether that file contains only the beginning of a snapshot
     * @param reached the position that its writer is known to have reached
     * @param safe the position up to which it is known to be on the disk
     */
    record End(int hash, int lastFile, boolean marked, long recordsInFile, InFlightMessages drafts, SortedMap<Integer, Long> firstOfFile,
            boolean halfSnapshot, LogHighWater reached, SyncedPosition safe) {}
}
