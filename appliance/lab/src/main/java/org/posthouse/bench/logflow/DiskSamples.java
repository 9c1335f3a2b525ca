package org.posthouse.bench.logflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * Disk space of the files in a folder, as long as something is written there: the largest value seen of each figure. A
 * file counts with its length, including holes and bytes that are ready to be written. Confined to its user.
 */
final class DiskSamples {
    private final Path folder;
    private long samples;
    private long bytes;
    private long bytesMax;
    private long fileBytesMax;
    private int filesMax;
    private DirtyPages dirty = DirtyPages.UNKNOWN;
    private long dirtyBytesMax;

    DiskSamples(Path folder) {
        this.folder = folder;
    }

    /** Looks once. */
    void take() throws IOException {
        samples++;
        dirty = DirtyPages.now();
        dirtyBytesMax = Math.max(dirtyBytesMax, dirty.bytes());
        List<Long> lengths = lengths();
        bytes = lengths.stream().mapToLong(Long::longValue).sum();
        bytesMax = Math.max(bytesMax, bytes);
        fileBytesMax = Math.max(fileBytesMax, lengths.stream().mapToLong(Long::longValue).max().orElse(0));
        filesMax = Math.max(filesMax, lengths.size());
    }

    private List<Long> lengths() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(DiskSamples::length).filter(length -> length > 0).toList();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return lengths(); // A folder that was just removed.
            }
            throw e.getCause();
        } catch (NoSuchFileException e) {
            return List.of(); // Not made yet.
        }
    }

    private static long length(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.isRegularFile() ? attributes.size() : 0;
        } catch (NoSuchFileException e) {
            return 0; // Deleted, or renamed and counted under its other name the next time.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Number of samples. */
    long samples() {
        return samples;
    }

    /** Of all files, when it was looked last. */
    long bytes() {
        return bytes;
    }

    /** Of all files together. */
    long bytesMax() {
        return bytesMax;
    }

    /** Of the largest file. */
    long fileBytesMax() {
        return fileBytesMax;
    }

    int filesMax() {
        return filesMax;
    }

    /** The system's, when it was looked last. */
    DirtyPages dirty() {
        return dirty;
    }

    /** Of the whole system; 0 if it does not tell. */
    long dirtyBytesMax() {
        return dirtyBytesMax;
    }
}
