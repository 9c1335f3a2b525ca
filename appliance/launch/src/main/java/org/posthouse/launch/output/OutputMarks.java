package org.posthouse.launch.output;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The marks that a rank's library has set in one stream ({@link org.posthouse.wire.PrintMark}), by their numbers. Holds
 * the place of each on the tape, as the stream's reader found it. Holds also which of them belong to the rank's images,
 * as reported to the job's thread. Thread-safe.
 */
public final class OutputMarks {
    /**
     * Where a mark is.
     *
     * @param line at which byte of the tape the line begins that it is in, or would
     * @param begun what stood before it in that line, a character for each byte: the tape may have another line there, or none
     */
    public record Place(long line, String begun) {
        public static Place of(long line, byte[] begun) {
            return new Place(line, new String(begun, StandardCharsets.ISO_8859_1));
        }

        public byte[] bytes() {
            return begun.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** Images behind the newest whose marks are kept: its relay keeps one. */
    public static final int OLDER = 2;

    /**
     * Most kept marks of no image: those of images that were not stored, and the newest, whose image's fate is not
     * known yet. All together have 4.3 MiB if the program ends no line.
     */
    static final int OTHERS_MAX = 64;

    private final Map<Integer, Long> images = new HashMap<>();
    private final SortedMap<Long, Place> places = new TreeMap<>();

    /** @param image its number; 0 for the end of the prologue. @return whether that is new */
    public synchronized boolean mark(int image, long mark) {
        Long before = images.put(image, mark);
        if (image > 0) {
            images.keySet().removeIf(older -> older > 0 && older < image - OLDER);
        }
        return before == null || before != mark;
    }

    /** A mark stands there. The last one of a number counts. */
    public synchronized void place(long mark, Place place) {
        places.put(mark, place);
        if (places.size() > OTHERS_MAX + OLDER + 2) {
            places.keySet().stream().filter(old -> !images.containsValue(old)).findFirst().ifPresent(places::remove);
        }
    }

    /** Place of that mark; null if it was not seen yet. */
    synchronized Place at(long mark) {
        return places.get(mark);
    }

    /** All that are known, by their numbers. */
    public synchronized Map<Long, Place> places() {
        return new TreeMap<>(places);
    }
}
