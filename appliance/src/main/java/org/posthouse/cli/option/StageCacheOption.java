package org.posthouse.cli.option;

import org.posthouse.launch.stage.ContentStore;
import picocli.CommandLine.Option;

/** The room for staged files, of relays and agents. */
public final class StageCacheOption {
    @Option(
            names = "--stage-cache",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "Room for files of jobs that are staged to nodes, such as 500m; the least recently used make room (default: 2g).")
    private long bytes = ContentStore.BYTES_DEFAULT;

    /** In bytes. */
    public long bytes() {
        return bytes;
    }
}
