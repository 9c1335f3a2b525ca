package org.posthouse.launch.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;
import org.posthouse.wire.StartSpec;

/**
 * The files of one job on this node: those that every node sees at the same path, and the folders of the job's ranks.
 * Confined to the agent's thread.
 */
final class NodeFiles {
    private final Path folder;

    /** @param jobs the folder of all jobs' folders */
    NodeFiles(Path jobs, long job) {
        folder = jobs.resolve(HexFormat.of().toHexDigits(job));
    }

    /**
     * Brings the files of a process.
     *
     * @param ready called when all are there
     * @param failed called with the reason, in one line, if one cannot be had
     */
    void stage(StartSpec spec, Runnable ready, Consumer<String> failed) {
        List<StartSpec.StagedFile> all = Stream.concat(spec.classPath().stream(), spec.files().stream()).toList();
        for (StartSpec.StagedFile file : all) {
            if (!file.hash().equals(StartSpec.StagedFile.SHARED)) {
                failed.accept(file.name() + " is to be staged, which this agent cannot");
                return;
            }
            if (!Files.exists(Path.of(file.name()))) {
                failed.accept(file.name() + " is not there on this node");
                return;
            }
        }
        ready.run();
    }

    /** The folder of a rank, made if it is not there. */
    Path folder(int rank) throws IOException {
        Path own = folder.resolve(Integer.toString(rank));
        Files.createDirectories(own, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return own;
    }

    /** Where a file of a rank with this folder is. */
    Path path(StartSpec.StagedFile file, Path own) {
        return file.hash().equals(StartSpec.StagedFile.SHARED) ? Path.of(file.name()) : own.resolve(file.name());
    }

    /** Removes the job's folder. */
    void close() {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("posthouse: the folder of a job cannot be removed: " + Causes.text(e));
        }
    }
}
