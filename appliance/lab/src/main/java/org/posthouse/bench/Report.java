package org.posthouse.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import org.posthouse.launch.JobFailure;

/** What a bench measured, for people, programs and eyes. Immutable. */
public interface Report {
    /** The tables. */
    void print(PrintStream out);

    /**
     * Everything, with the machine and the time.
     *
     * @param command how the bench was called
     */
    void writeJson(String command, Path file) throws IOException;

    /** What stopped the bench before it had measured all; empty if nothing did. */
    default Optional<JobFailure> failed() {
        return Optional.empty();
    }
}
