package org.posthouse.logstore;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a forward reading of a whole log found, up to its end or to its first defect. Immutable.
 *
 * @param folder that was read
 * @param counts whole records of each type; a type without records is absent
 * @param firstPosition of the first record, 0 if there is none
 * @param lastPosition of the last whole record, 0 if there is none
 * @param epoch highest found, 0 if there is none
 * @param bytes of the whole records, envelopes included
 * @param files of the log
 * @param defect the first, if any; on a log that is being written a torn tail is the record just being written
 * @param gone that files before the first are gone which jobs need: these are faulted in the book
 * @param book what the records say together
 * @param end what a writer needs to go on
 */
public record LogScan(Path folder, Map<RecordType, Long> counts, long firstPosition, long lastPosition, long epoch,
        long bytes, int files, Optional<LogDefect> defect, Optional<LogDefect> gone, LogBook book, End end) {

    /** Copies the counts. */
    public LogScan {
        counts = Map.copyOf(counts);
    }

    /** What is wrong with it; empty if it is sound. */
    public List<LogDefect> defects() {
        return Stream.of(defect, gone).flatMap(Optional::stream).toList();
    }

    /** Whole records of all types. */
    public long records() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What it says once its files are gone. */
    LogScan withoutFiles() {
        End none = new End(end.hash, -1, false, 0, end.drafts, new TreeMap<>(), false, Reached.NOTHING, end.safe);
        return new LogScan(folder, counts, firstPosition, lastPosition, epoch, bytes, 0, defect, gone, book, none);
    }

    /**
     * The end of the chain.
     *
     * @param hash checksum of the last whole record, 0 if there is none
     * @param lastFile number of the last file, -1 if there is none
     * @param marked that file carries Chronicle's mark that it is complete
     * @param recordsInFile whole records in that file
     * @param drafts messages that are under way
     * @param firstOfFile for each file, the position of its first record
     * @param halfSnapshot that file has nothing but the beginning of a snapshot
     * @param reached how far its writer is known to have come
     * @param safe up to where it is known to be on the disk
     */
    record End(int hash, int lastFile, boolean marked, long recordsInFile, Drafts drafts, SortedMap<Integer, Long> firstOfFile,
            boolean halfSnapshot, Reached reached, SafeUpTo safe) {}
}
