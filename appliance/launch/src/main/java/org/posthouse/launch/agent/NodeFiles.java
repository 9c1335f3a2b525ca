package org.posthouse.launch.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.posthouse.launch.stage.ContentId;
import org.posthouse.launch.stage.JobFolderOnNode;
import org.posthouse.launch.stage.JobFolders;
import org.posthouse.launch.stage.JobPaths;
import org.posthouse.launch.stage.PinnedContent;
import org.posthouse.launch.stage.StageException;
import org.posthouse.launch.stage.StagedNames;
import org.posthouse.wire.ContentHash;
import org.posthouse.wire.StartSpec;

/**
 * The files of one job on this node: the class path in a folder of the job, other files in the folders of its ranks, all
 * of them links to the agent's store. Content stays in use until the job ends. Confined to the agent's thread, except the
 * work on the disk, which another thread does.
 */
final class NodeFiles {
    /** The folder of the class path among those of ranks, which are numbers. */
    private static final String CLASS_PATH = "class-path";

    private final JobFolders folders;
    private final long job;
    private final ContentFetcher fetcher;
    private final Executor thread;
    private final Executor disk;
    private final long bytesMax;

    // Confined to the thread for the disk.
    private final Map<String, JobFolderOnNode> made = new HashMap<>();
    private boolean isRemoved;

    /**
     * @param thread runs tasks in the agent's thread
     * @param disk runs tasks in the thread for the disk, in order
     * @param bytesMax of all files of the job together
     */
    NodeFiles(JobFolders folders, long job, ContentFetcher fetcher, Executor thread, Executor disk, long bytesMax) {
        this.folders = folders;
        this.job = job;
        this.fetcher = fetcher;
        this.thread = thread;
        this.disk = disk;
        this.bytesMax = bytesMax;
    }

    /**
     * Where a process is to be started.
     *
     * @param own the rank's folder
     * @param classPath its class path
     */
    record Staged(Path own, List<Path> classPath) {}

    /**
     * Brings the files of a process.
     *
     * @param ready called in the agent's thread when all are there
     * @param failed called with the reason, in one line, if one cannot be had
     */
    void stage(int rank, StartSpec spec, Consumer<Staged> ready, Consumer<String> failed) {
        try {
            check(spec);
        } catch (StageException e) {
            failed.accept(e.getMessage());
            return;
        }
        Map<ContentHash, StartSpec.StagedFile> wanted = new LinkedHashMap<>();
        all(spec).filter(NodeFiles::isStaged).forEach(file -> wanted.putIfAbsent(file.hash(), file));
        Arrival arrival = new Arrival(wanted.size(), content -> link(rank, spec, content, ready, failed), failed);
        if (wanted.isEmpty()) {
            arrival.end();
        }
        wanted.forEach((hash, file) -> fetcher.fetch(
                hash, id(file), content -> arrival.arrived(hash, content), why -> arrival.failed(file.name() + " cannot be staged: " + why)));
    }

    private void check(StartSpec spec) throws StageException {
        StagedNames names = new StagedNames(bytesMax);
        for (StartSpec.StagedFile file : spec.classPath()) {
            if (isStaged(file)) {
                names.add(CLASS_PATH + "/" + JobPaths.checked(file.name()), id(file));
            } else if (!Files.exists(Path.of(file.name()))) {
                throw new StageException(file.name() + " of the class path does not exist on this node");
            }
        }
        for (StartSpec.StagedFile file : spec.files()) {
            names.add(file.name(), id(file));
        }
    }

    private static Stream<StartSpec.StagedFile> all(StartSpec spec) {
        return Stream.concat(spec.classPath().stream(), spec.files().stream());
    }

    private static boolean isStaged(StartSpec.StagedFile file) {
        return !file.hash().equals(StartSpec.StagedFile.SHARED);
    }

    private static ContentId id(StartSpec.StagedFile file) {
        return ContentId.of(file.hash().bytes(), file.length());
    }

    /** The content of one process's files, until all of it is there. Confined to the agent's thread. */
    private static final class Arrival {
        private final Map<ContentHash, PinnedContent> content = new HashMap<>();
        private final Consumer<Map<ContentHash, PinnedContent>> ready;
        private final Consumer<String> failed;
        private int missing;
        private boolean hasFailed;

        Arrival(int missing, Consumer<Map<ContentHash, PinnedContent>> ready, Consumer<String> failed) {
            this.missing = missing;
            this.ready = ready;
            this.failed = failed;
        }

        void arrived(ContentHash hash, PinnedContent pin) {
            content.put(hash, pin);
            missing--;
            end();
        }

        void failed(String why) {
            missing--;
            if (!hasFailed) {
                hasFailed = true;
                failed.accept(why);
            }
            end();
        }

        void end() {
            if (missing > 0) {
                return;
            }
            if (hasFailed) {
                content.values().forEach(PinnedContent::close);
            } else {
                ready.accept(content);
            }
        }
    }

    private void link(
            int rank, StartSpec spec, Map<ContentHash, PinnedContent> content, Consumer<Staged> ready, Consumer<String> failed) {
        disk.execute(() -> {
            try {
                if (isRemoved) {
                    return;
                }
                List<Path> classPath = new ArrayList<>();
                for (StartSpec.StagedFile file : spec.classPath()) {
                    classPath.add(isStaged(file) ? linked(CLASS_PATH, file, content, false) : Path.of(file.name()));
                }
                for (StartSpec.StagedFile file : spec.files()) {
                    linked(Integer.toString(rank), file, content, true);
                }
                Staged staged = new Staged(folder(Integer.toString(rank)).path(), classPath);
                thread.execute(() -> ready.accept(staged));
            } catch (StageException e) {
                thread.execute(() -> failed.accept(e.getMessage()));
            } finally {
                content.values().forEach(PinnedContent::close); // What was linked has a pin of its own.
            }
        });
    }

    /** @param anew whether a file of that name is replaced, as a process that ended may have left another */
    private Path linked(String name, StartSpec.StagedFile file, Map<ContentHash, PinnedContent> content, boolean anew) throws StageException {
        JobFolderOnNode folder = folder(name);
        Path path = JobPaths.resolve(folder.path(), file.name());
        return !anew && Files.exists(path) ? path : folder.link(file.name(), content.get(file.hash()).again());
    }

    private JobFolderOnNode folder(String name) throws StageException {
        JobFolderOnNode folder = made.get(name);
        if (folder == null) {
            folder = folders.of(job, name);
            made.put(name, folder);
        }
        return folder;
    }

    /** Removes the job's folders. */
    void close() {
        disk.execute(() -> {
            isRemoved = true;
            made.values().forEach(JobFolderOnNode::close);
            made.clear();
            folders.removeJob(job);
        });
    }
}
