package org.posthouse.bench.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.posthouse.mpj.progress.Settings;

/** Message sizes as people write them: {@code 1,1k,64k} and ranges that double, {@code 1..1m}, in any mixture. */
public final class SizeList {
    private static final int BYTES_MAX = 64 << 20;
    private static final int KIBI = 1024;
    private static final String EXPECTED = "expected 1 to 64m, as 1, 64k or 1m, and ranges that double, as 1..1m";

    private SizeList() {}

    /**
     * The sizes in ascending order, each once.
     *
     * @throws IllegalArgumentException naming what is no size
     */
    public static List<Integer> parse(String text) {
        TreeSet<Integer> sizes = new TreeSet<>();
        for (String item : text.split(",", -1)) {
            int dots = item.indexOf("..");
            if (dots < 0) {
                sizes.add(bytes(item));
            } else {
                addRange(sizes, bytes(item.substring(0, dots)), bytes(item.substring(dots + 2)), item);
            }
        }
        return List.copyOf(sizes);
    }

    private static void addRange(TreeSet<Integer> sizes, int from, int to, String item) {
        if (from > to) {
            throw new IllegalArgumentException("\"" + item + "\" is no range: it begins above its end; " + EXPECTED);
        }
        for (int size = from; size <= to; size *= 2) {
            sizes.add(size);
        }
    }

    private static int bytes(String text) {
        int bytes;
        try {
            bytes = Settings.bytes(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + "\" is no size, " + EXPECTED, e);
        }
        if (bytes < 1 || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("\"" + text + "\" is out of range, " + EXPECTED);
        }
        return bytes;
    }

    /** These sizes rounded up to whole elements, each once. */
    public static List<Integer> ofElements(List<Integer> sizes, int elementBytes) {
        List<Integer> rounded = new ArrayList<>();
        for (int size : sizes) {
            int whole = (size + elementBytes - 1) / elementBytes * elementBytes;
            if (!rounded.contains(whole)) {
                rounded.add(whole);
            }
        }
        return rounded;
    }

    /** The shortest way to write a size that {@link #parse} reads back. */
    public static String text(int bytes) {
        if (bytes >= KIBI * KIBI && bytes % (KIBI * KIBI) == 0) {
            return bytes / (KIBI * KIBI) + "m";
        }
        return bytes >= KIBI && bytes % KIBI == 0 ? bytes / KIBI + "k" : Integer.toString(bytes);
    }
}
