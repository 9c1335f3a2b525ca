package org.posthouse.bench.logflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The bytes of the whole system's page cache that are not on a disk yet, as Linux reports them. All 0 elsewhere.
 *
 * @param bytes dirty, or on their way to the disk
 * @param slowBytes from which the kernel slows writers down: half way between where it begins to write back and its limit
 */
record DirtyPages(long bytes, long slowBytes) {
    static final DirtyPages UNKNOWN = new DirtyPages(0, 0);

    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final Path COUNTS = Path.of("/proc/vmstat");
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final int KIB = 1024;
    private static long pageBytes;

    static DirtyPages now() throws IOException {
        if (!Files.isReadable(MEMORY) || !Files.isReadable(COUNTS) || !Files.isReadable(MAPPINGS)) {
            return UNKNOWN;
        }
        long background = word(COUNTS, "nr_dirty_background_threshold");
        long limit = word(COUNTS, "nr_dirty_threshold");
        return new DirtyPages(
                (word(MEMORY, "Dirty:") + word(MEMORY, "Writeback:")) * KIB, (background + limit) / 2 * pageBytes());
    }

    private static synchronized long pageBytes() throws IOException {
        if (pageBytes == 0) {
            pageBytes = word(MAPPINGS, "KernelPageSize:") * KIB;
        }
        return pageBytes;
    }

    /** The number behind this name. */
    private static long word(Path file, String name) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.split("\\s+"))
                    .filter(words -> words[0].equals(name))
                    .mapToLong(words -> Long.parseLong(words[1]))
                    .findFirst()
                    .orElse(0);
        }
    }
}
