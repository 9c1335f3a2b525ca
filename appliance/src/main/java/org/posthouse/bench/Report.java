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

    /** Draws it, here and in files beside it. Of a bench that has {@code --plot}. */
    default void writePlot(Path file) throws IOException {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has nothing to draw");
    }

    /** What stopped the bench before it had measured all; empty if nothing did. */
    default Optional<JobFailure> failed() {
        return Optional.empty();
    }
}
