package org.posthouse.logstore.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.Checkpoint;

/**
 * The checkpoint images of a relay's ranks: folder/JOB/RANK/NUMBER.img, with the prologue beside them. The log names
 * the valid ones; all others are left from a crash and ignored. Thread-safe as long as no two threads use the same
 * rank's images; every method blocks.
 */
public final class ImageStore {
    /** Suffix of the name of an incomplete file. */
    public static final String UNFINISHED = ".tmp";

    private static final String SUFFIX = ".img";

    private final Path folder;

    /** @param folder created when it is needed; nothing else may be in it */
    public ImageStore(Path folder) {
        this.folder = folder;
    }

    /**
     * Begins to store an image.
     *
     * @throws LogException if there is no space, or no folder
     */
    public ImageFile begin(long job, int rank, int incarnation, long number, long bytes) {
        Path target = image(job, rank, number);
        try {
            Disk.makeFolder(target.getParent());
            long free = Files.getFileStore(target.getParent()).getUsableSpace();
            if (bytes > free) {
                // Otherwise an image that cannot be completed would repeatedly take the log's last free space.
                throw new LogException(target, "would take " + bytes + " bytes, and " + free + " are free on its disk", "free space there");
            }
            return new ImageFile(target, job, rank, incarnation, number, bytes);
        } catch (IOException e) {
            throw unusable(target, e);
        }
    }

    /**
     * Opens the image that the log names.
     *
     * @throws LogException naming the file if it is missing, a different image, or damaged anywhere
     */
    public Image open(long job, int rank, Checkpoint checkpoint) {
        return Image.open(image(job, rank, checkpoint.number()), job, rank, checkpoint);
    }

    /**
     * Deletes a rank's images except these, including the remains of a crash. The image after the newest is also kept,
     * because it may be complete and about to be logged.
     */
    public void keep(long job, int rank, List<Checkpoint> wanted) {
        long next = 1 + wanted.stream().mapToLong(Checkpoint::number).max().orElse(0);
        List<Path> names = Stream.concat(wanted.stream().map(Checkpoint::number), Stream.of(next))
                .map(number -> image(job, rank, number).getFileName())
                .toList();
        Path ofRank = ofRank(job, rank);
        try (Stream<Path> files = Files.list(ofRank)) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().endsWith(SUFFIX) && !names.contains(file.getFileName())) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw unusable(ofRank, e);
        }
    }

    /** Deletes all files of a job. */
    public void forget(long job) {
        Path ofJob = ofJob(job);
        if (!Files.exists(ofJob)) {
            return;
        }
        try (Stream<Path> files = Files.walk(ofJob)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw unusable(ofJob, e);
        } catch (UncheckedIOException e) {
            throw unusable(ofJob, e.getCause());
        }
    }

    /**
     * Cleans up after a relay that died. Of the open jobs it keeps the complete files.
     *
     * @return the other jobs that have files here, for the caller to {@link #forget}
     */
    public List<Long> retain(LongPredicate open) {
        List<Long> others = new ArrayList<>();
        if (!Files.exists(folder)) {
            return others;
        }
        try (Stream<Path> jobs = Files.list(folder)) {
            for (Path ofJob : jobs.toList()) {
                long job = HexFormat.fromHexDigitsToLong(ofJob.getFileName().toString());
                if (open.test(job)) {
                    dropUnfinished(ofJob);
                } else {
                    others.add(job);
                }
            }
        } catch (IOException e) {
            throw unusable(folder, e);
        } catch (IllegalArgumentException e) {
            throw new LogException(folder, "has what is no job's: " + e.getMessage(),
                    "move it out of the folder", e);
        }
        return others;
    }

    private static void dropUnfinished(Path ofJob) throws IOException {
        try (Stream<Path> files = Files.walk(ofJob)) {
            for (Path file : files.filter(file -> file.toString().endsWith(UNFINISHED)).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The path of a rank's prologue. */
    public Path prologue(long job, int rank) {
        return ofRank(job, rank).resolve("prologue.log");
    }

    private Path image(long job, int rank, long number) {
        return ofRank(job, rank).resolve(number + SUFFIX);
    }

    private Path ofRank(long job, int rank) {
        return ofJob(job).resolve(Integer.toString(rank));
    }

    private Path ofJob(long job) {
        return folder.resolve(HexFormat.of().toHexDigits(job));
    }

    private static LogException unusable(Path file, IOException e) {
        return new LogException(file, "cannot be used: " + LogException.words(e),
                "check that the relay's data folder is local, writable and not full", e);
    }
}
