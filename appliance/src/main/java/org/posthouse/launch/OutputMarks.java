package org.posthouse.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The marks that a rank's library has set in one stream ({@link org.posthouse.wire.PrintMark}), by their numbers: at which byte of the tape each is, as the stream's reader
 * has seen, and which of them are its images', as the job's thread is told. Thread-safe.
 */
final class OutputMarks {
    /** The end of what was shown: where a mark is that nobody has seen. */
    static final long END = Long.MAX_VALUE;

    /** Images behind the newest whose marks are kept: its relay keeps one. */
    static final int OLDER = 2;

    /** Marks of no image that are kept: of images that were not stored, and the newest, of which is not told yet what became of its image. */
    static final int OTHERS_MAX = 64;

    private final Map<Integer, Long> images = new HashMap<>();
    private final SortedMap<Long, Long> places = new TreeMap<>();

    /** @param image its number; 0 for the end of the prologue. @return whether that is new */
    synchronized boolean mark(int image, long mark) {
        Long before = images.put(image, mark);
        if (image > 0) {
            images.keySet().removeIf(older -> older > 0 && older < image - OLDER);
        }
        return before == null || before != mark;
    }

    /** A mark stands at this byte of the tape. The last one of a number counts. */
    synchronized void place(long mark, long at) {
        places.put(mark, at);
        if (places.size() > OTHERS_MAX + OLDER + 2) {
            places.keySet().stream().filter(old -> !images.containsValue(old)).findFirst().ifPresent(places::remove);
        }
    }

    /** Where that mark is, or END. */
    synchronized long at(long mark) {
        return places.getOrDefault(mark, END);
    }

    /** All that are known, by their numbers. */
    synchronized Map<Long, Long> places() {
        return new TreeMap<>(places);
    }
}
