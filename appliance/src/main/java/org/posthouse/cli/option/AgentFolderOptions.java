package org.posthouse.cli.option;

import java.io.IOException;
import java.nio.file.Path;
import org.posthouse.launch.stage.JobFolders;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where an agent keeps staged files and the folders of ranks, and how many of them. */
public final class AgentFolderOptions {
    /** Most agents of a user on a host that name no folder. */
    private static final int FOLDERS_MAX = 256;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where staged files and the folders of jobs are (default: the folder posthouse-agent-NAME in the system's folder for temporary files).")
    private Path folder;

    @Mixin
    private StageCacheOption stageCache;

    /** The folder that was named, or the first that no other agent uses: several jobs may bring an agent to this host. */
    public Path folder(String node) throws CommandFailure {
        return (folder == null ? free(node) : folder).toAbsolutePath();
    }

    private static Path free(String node) throws CommandFailure {
        Path first = Path.of(System.getProperty("java.io.tmpdir"), "posthouse-agent-" + System.getProperty("user.name") + "-" + node);
        try {
            Path free = first;
            for (int number = 2; number <= FOLDERS_MAX && JobFolders.isInUse(free.resolve("jobs")); number++) {
                free = first.resolveSibling(first.getFileName() + "-" + number);
            }
            return free;
        } catch (IOException e) {
            throw new CommandFailure(e.getMessage() + "; name another one with --dir", e);
        }
    }

    /** Room for staged files, in bytes. */
    public long stageBytes() {
        return stageCache.bytes();
    }
}
