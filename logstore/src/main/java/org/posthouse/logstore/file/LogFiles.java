package org.posthouse.logstore.file;

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
 * The files of a log that is being written: the position at which each begins, and the disk space that they occupy. The
 * space includes holes and blocks reserved after the last record. Confined to the log's owner, except for methods
 * marked "Any thread".
 */
public final class LogFiles {
    /** 1 MiB: bytes appended before the newest file is measured again. */
    private static final long STEP_BYTES = 1 << 20;

    private final Path folder;
    private final TreeMap<Integer, Long> first = new TreeMap<>();
    /** Guarded by this, as is {@link #going}. */
    private final TreeMap<Integer, Long> bytes = new TreeMap<>();
    /** Files that were cut and still exist. */
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
    public LogFiles(Path folder, SortedMap<Integer, Long> first) {
        this.folder = folder;
        first.forEach((number, position) -> begun(number, position, Long.MAX_VALUE));
    }

    /**
     * Notes a new file that begins with the record of this position, which ends at {@code end}. The previous file does
     * not grow any more.
     */
    public void begun(int number, long position, long end) {
        if (!first.isEmpty()) {
            measureNewest(newestBytes);
        }
        first.put(number, position);
        tellFirst();
        newest = QueueFiles.file(folder, number);
        measureNewest(end);
    }

    /** Notes {@code appendedBytes} more in the newest file, which has records up to {@code end}. */
    public void appended(long appendedBytes, long end) {
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
            bytes.put(first.lastKey(), 0L); // Its first record was not written yet.
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
    public long usedBytes() {
        return usedBytes;
    }

    /** As {@link #usedBytes}, without files that were cut and still exist. Any thread. */
    long stayingBytes() {
        return stayingBytes;
    }

    /** As {@link #usedBytes}, but counts only the part of the newest file that has records. Any thread. */
    public long writtenBytes() {
        return writtenBytes;
    }

    /** Position of the oldest record in the log. Any thread. */
    public long firstPosition() {
        return firstPosition;
    }

    /** Bytes of the files that must stay while the record at this position does. Any thread. */
    public synchronized long bytesFrom(long position) {
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
    public int lastFile() {
        return first.isEmpty() ? -1 : first.lastKey();
    }

    /** Number of the oldest file that was not cut. Any thread. */
    public int firstFile() {
        return firstFile;
    }

    private void tellFirst() {
        firstFile = first.firstKey();
        firstPosition = first.firstEntry().getValue();
    }

    /**
     * Removes from the log the files whose records are all before this position, but never the newest. Oldest first.
     */
    public synchronized List<Path> cut(long position) {
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

    /** Notes that a file that was cut no longer exists. Any thread. */
    synchronized void gone(Path file) {
        going.remove(file);
        sum();
    }

    /** Whether all records of the oldest file are before this position, and there is a newer file. */
    public boolean canCut(long position) {
        Map.Entry<Integer, Long> next = first.isEmpty() ? null : first.higherEntry(first.firstKey());
        return next != null && next.getValue() <= position;
    }
}
