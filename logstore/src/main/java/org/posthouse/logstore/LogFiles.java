package org.posthouse.logstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files of a log that is being written: at which position each begins, and how much room they take, holes and what
 * stands ready behind the last record included. Confined to the log's owner, but for {@link #usedBytes}.
 */
final class LogFiles {
    /** 1 MiB: how much is appended before the newest file is measured again. */
    private static final long STEP_BYTES = 1 << 20;

    private final Path folder;
    private final TreeMap<Integer, Long> first = new TreeMap<>();
    private final TreeMap<Integer, Long> bytes = new TreeMap<>();
    private Path newest;
    private long untilNextLook;
    private volatile long usedBytes;
    private volatile long firstPosition;

    /** @param first for each file, the position of its first record */
    LogFiles(Path folder, SortedMap<Integer, Long> first) {
        this.folder = folder;
        first.forEach(this::begun);
        sum();
    }

    /** A file begins with the record of this position; the one before it does not grow any more. */
    void begun(int number, long position) {
        if (!first.isEmpty()) {
            measureNewest();
        }
        first.put(number, position);
        newest = QueueFiles.file(folder, number);
        measureNewest();
        sum();
    }

    /** So much was appended to the newest file. */
    void appended(long appendedBytes) {
        untilNextLook -= appendedBytes;
        if (untilNextLook <= 0) {
            untilNextLook = STEP_BYTES;
            measureNewest();
            sum();
        }
    }

    private void measureNewest() {
        try {
            bytes.put(first.lastKey(), Files.size(newest));
        } catch (NoSuchFileException e) {
            bytes.put(first.lastKey(), 0L); // Its first record is still to come.
        } catch (IOException e) {
            throw new UncheckedIOException("the size of a file of log " + folder + " cannot be told", e);
        }
    }

    private void sum() {
        usedBytes = bytes.values().stream().mapToLong(Long::longValue).sum();
        firstPosition = first.isEmpty() ? 0 : first.firstEntry().getValue();
    }

    /** Bytes of all files on the disk. Any thread. */
    long usedBytes() {
        return usedBytes;
    }

    /** Position of the oldest record that is there. Any thread. */
    long firstPosition() {
        return firstPosition;
    }

    /** Number of the newest file that has a record; -1 if there is none. */
    int lastFile() {
        return first.isEmpty() ? -1 : first.lastKey();
    }

    /** Number of the oldest file. */
    int firstFile() {
        return first.firstKey();
    }

    /** Forgets the files of which no record is at this position or behind it, but never the newest. Oldest first. */
    List<Path> cut(long position) {
        List<Path> gone = new ArrayList<>();
        while (canCut(position)) {
            int number = first.firstKey();
            gone.add(QueueFiles.file(folder, number));
            first.remove(number);
            bytes.remove(number);
        }
        sum();
        return gone;
    }

    /** Whether no record of the oldest file is at this position or behind it, and there is a newer one. */
    boolean canCut(long position) {
        Map.Entry<Integer, Long> next = first.isEmpty() ? null : first.higherEntry(first.firstKey());
        return next != null && next.getValue() <= position;
    }
}
