package org.posthouse.logstore.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.PrecreatedFiles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/**
 * The layout of a log as a Chronicle Queue: file names, and the settings of every queue over them. Stateless. File n
 * has the name of the n-th hour after 1 January 1970, because Chronicle names its files by hours. The time has no other
 * meaning.
 */
public final class QueueFiles {
    static final RollCycle CYCLE = RollCycles.FAST_HOURLY;

    /** A file grows in steps of this, sparse until written: 16 MiB. */
    public static final int BLOCK_BYTES = 16 << 20;

    /**
     * Number of the last possible file: the last hour of the year 9999. With the smallest files of a limited log, 11
     * MiB, the log has then written 810 TB.
     */
    public static final int LAST = number(LocalDateTime.of(9999, 12, 31, 23, 0));

    /**
     * From this number on, a log accepts no new jobs. It begins anew with file 0 when it is opened without an open job.
     * 200 TB are left for the open jobs.
     */
    public static final int WORN = LAST / 4 * 3;

    public static final String SUFFIX = "F.cq4";
    private static final long SECONDS_OF_HOUR = 3600;
    private static final DateTimeFormatter HOUR = DateTimeFormatter.ofPattern("yyyyMMdd-HH", Locale.ROOT);

    /** The earlier names of files, by days; a log may still have some. */
    private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE.withLocale(Locale.ROOT);
    private static final int DAY_CHARACTERS = 8;

    static {
        quiet("chronicle.announcer.disable");
        quiet("chronicle.disk.monitor.disable");
    }

    private QueueFiles() {}

    /** Turns off Chronicle's advertisement, and its thread that watches the disk. */
    private static void quiet(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }

    public static Path file(Path folder, int number) {
        return folder.resolve(LocalDateTime.ofEpochSecond(number * SECONDS_OF_HOUR, 0, ZoneOffset.UTC).format(HOUR) + SUFFIX);
    }

    /** The path where a prepared file with this number may be. Chronicle then uses it instead of creating one. */
    public static Path ready(Path folder, int number) {
        return PrecreatedFiles.preCreatedFile(file(folder, number).toFile()).toPath();
    }

    /** The log's files by number, in the order they were written. */
    public static SortedMap<Integer, Path> list(Path folder) throws IOException {
        SortedMap<Integer, Path> files = new TreeMap<>();
        try (Stream<Path> entries = Files.list(folder)) {
            entries.filter(f -> f.getFileName().toString().endsWith(".cq4")).forEach(f -> files.put(number(f), f));
        }
        return files;
    }

    /** Deletes a working folder beside the log's files with its content; it need not exist. */
    public static void removeFolder(Path work) throws IOException {
        if (!Files.exists(work)) {
            return;
        }
        try (Stream<Path> files = Files.list(work)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Files.delete(work);
    }

    public static int number(Path file) {
        String name = file.getFileName().toString();
        try {
            String hour = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : "";
            return hour.length() == DAY_CHARACTERS ? (int) LocalDate.parse(hour, DAY).toEpochDay() : number(LocalDateTime.parse(hour, HOUR));
        } catch (DateTimeException e) {
            throw new LogException(file, "is not named as a file of a message log",
                    "move it out of the folder", e);
        }
    }

    private static int number(LocalDateTime time) {
        return Math.toIntExact(time.toEpochSecond(ZoneOffset.UTC) / SECONDS_OF_HOUR);
    }

    /** Renames files with names by days to the current scheme, before Chronicle sees them. */
    public static void rename(Path folder) throws IOException {
        for (Map.Entry<Integer, Path> each : list(folder).entrySet()) {
            Path now = file(folder, each.getKey());
            if (!each.getValue().equals(now)) {
                Files.move(each.getValue(), now, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    /** Chronicle's index of the record with this number in this file, both from 0. */
    public static long index(int file, long sequence) {
        return CYCLE.toIndex(file, sequence);
    }

    public static SingleChronicleQueue open(Path folder, FileClock clock) {
        return SingleChronicleQueueBuilder.binary(folder)
                .rollCycle(CYCLE)
                .timeProvider(clock)
                .blockSize(BLOCK_BYTES)
                .build();
    }
}
