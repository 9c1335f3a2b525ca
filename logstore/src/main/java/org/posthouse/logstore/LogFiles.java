package org.posthouse.logstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files of a log that is being written: at which position each begins, and how much room they take, holes and what
 * stands ready behind the last record included. Confined to the log's owner, but for what says otherwise.
 */
final class LogFiles {
    /** 1 MiB: how much is appended before the newest file is measured again. */
    private static final long STEP_BYTES = 1 << 20;

    private final Path folder;
    private final TreeMap<Integer, Long> first = new TreeMap<>();
    /** Guarded by this, as {@link #going} is. */
    private final TreeMap<Integer, Long> bytes = new TreeMap<>();
    /** Of files that were cut and are still there. */
    private final Map<Path, Long> going = new HashMap<>();
    private Path newest;

    /** Written by the owner under this object's lock. */
    private long newestBytes;

    private long untilNextLook;

    // Written under this object's lock, read by any thread.
    private volatile long usedBytes;
    private volatile long stayingBytes;
    private volatile long writtenBytes;

    // Written by the owner, read by any thread.
    private volatile int firstFile;
    private volatile long firstPosition;

    /** @param first for each file, the position of its first record */
    LogFiles(Path folder, SortedMap<Integer, Long> first) {
        this.folder = folder;
        first.forEach((number, position) -> begun(number, position, Long.MAX_VALUE));
    }

    /** A file begins with the record of this position, which ends at {@code end}; the one before it does not grow any more. */
    void begun(int number, long position, long end) {
        if (!first.isEmpty()) {
            measureNewest(newestBytes);
        }
        first.put(number, position);
        tellFirst();
        newest = QueueFiles.file(folder, number);
        measureNewest(end);
    }

    /** So much was appended to the newest file, which has records up to {@code end}. */
    void appended(long appendedBytes, long end) {
        untilNextLook -= appendedBytes;
        if (untilNextLook <= 0) {
            untilNextLook = STEP_BYTES;
            measureNewest(end);
        }
    }

    private synchronized void measureNewest(long end) {
        newestBytes = end;
        try {
            bytes.put(first.lastKey(), Files.size(newest));
        } catch (NoSuchFileException e) {
            bytes.put(first.lastKey(), 0L); // Its first record is still to come.
        } catch (IOException e) {
            throw new UncheckedIOException("the size of a file of log " + folder + " cannot be told", e);
        }
        sum();
    }

    private synchronized void sum() {
        stayingBytes = sum(bytes);
        usedBytes = stayingBytes + sum(going);
        long length = bytes.isEmpty() ? 0 : bytes.lastEntry().getValue();
        writtenBytes = usedBytes - length + Math.min(newestBytes, length);
    }

    private static long sum(Map<?, Long> of) {
        return of.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Bytes of all files on the disk. Any thread. */
    long usedBytes() {
        return usedBytes;
    }

    /** The same without files that were cut and are still there. Any thread. */
    long stayingBytes() {
        return stayingBytes;
    }

    /** As {@link #usedBytes}, but of the newest file what has records only. Any thread. */
    long writtenBytes() {
        return writtenBytes;
    }

    /** Position of the oldest record that is there. Any thread. */
    long firstPosition() {
        return firstPosition;
    }

    /** Bytes of the files that stay as long as the record at this position does. Any thread. */
    synchronized long bytesFrom(long position) {
        long from = 0;
        for (Map.Entry<Integer, Long> file : first.descendingMap().entrySet()) {
            from += bytes.getOrDefault(file.getKey(), 0L);
            if (file.getValue() <= position) {
                break;
            }
        }
        return from;
    }

    /** Number of the newest file that has a record; -1 if there is none. */
    int lastFile() {
        return first.isEmpty() ? -1 : first.lastKey();
    }

    /** Number of the oldest file that was not cut. Any thread. */
    int firstFile() {
        return firstFile;
    }

    private void tellFirst() {
        firstFile = first.firstKey();
        firstPosition = first.firstEntry().getValue();
    }

    /** Forgets the files of which no record is at this position or behind it, but never the newest. Oldest first. */
    synchronized List<Path> cut(long position) {
        List<Path> gone = new ArrayList<>();
        while (canCut(position)) {
            int number = first.firstKey();
            Path file = QueueFiles.file(folder, number);
            gone.add(file);
            first.remove(number);
            going.put(file, bytes.remove(number));
        }
        if (!gone.isEmpty()) {
            tellFirst();
            sum();
        }
        return gone;
    }

    /** A file that was cut is not there any more. Any thread. */
    synchronized void gone(Path file) {
        going.remove(file);
        sum();
    }

    /** Whether no record of the oldest file is at this position or behind it, and there is a newer one. */
    boolean canCut(long position) {
        Map.Entry<Integer, Long> next = first.isEmpty() ? null : first.higherEntry(first.firstKey());
        return next != null && next.getValue() <= position;
    }
}
