package org.posthouse.cli;

import java.util.List;
import org.posthouse.wire.JobOpen;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a job's messages and deliveries must survive. */
enum Durability {
    /** Nothing is logged. */
    NONE,
    /** Logged to memory-mapped files: survives the death of the relay's process. */
    PROCESS,
    /** The same, and what leaves a relay waits until that is on the disk: survives the death of the relay's host. */
    HOST;

    /**
     * Whether the jobs of a bench are logged.
     *
     * @throws ParameterException if what was asked for is not measured
     */
    static List<Boolean> logged(List<Durability> asked, CommandSpec command) {
        if (asked.contains(HOST)) {
            throw new ParameterException(command.commandLine(), "--durability host is not measured here: none, process, or both");
        }
        return asked.stream().distinct().map(durability -> durability == PROCESS).toList();
    }

    /** As {@link JobOpen} has it. */
    int code() {
        return switch (this) {
            case NONE -> JobOpen.NONE;
            case PROCESS -> JobOpen.PROCESS;
            case HOST -> JobOpen.HOST;
        };
    }
}
