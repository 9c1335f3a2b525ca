package org.posthouse.bench.experiment;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.posthouse.launch.job.JobFailure;

/**
 * The measurements of a bench, for people, programs and eyes. Immutable. The columns and keys are those of
 * {@code docs/bench.md}.
 */
public interface Report {
    /** The tables. */
    void print(PrintStream out);

    /** The reference of the figures, in words. */
    String baseline();

    /** Puts the plan and the figures behind what every report begins with. */
    void addTo(ObjectNode report);

    /** The failure that stopped the bench before it had measured all; empty if there was none. */
    default Optional<JobFailure> failed() {
        return Optional.empty();
    }

    /** Draws the figures, in this file and in others beside it. */
    default void writePlot(Path file) throws IOException {
        throw new IOException("this bench draws nothing");
    }

    /**
     * Everything, with the machine and the time.
     *
     * @param command how the bench was called
     */
    default void writeJson(String command, Path file) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode report = mapper.createObjectNode()
                .put("command", command)
                .put("baseline", baseline())
                .put("at", Instant.now().toString());
        ObjectNode environment = report.putObject("environment");
        BenchEnvironment.found().forEach(environment::put);
        report.putObject("machine")
                .put("processors", Runtime.getRuntime().availableProcessors())
                .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
                .put("java", Runtime.version().toString());
        failed().ifPresent(failure -> report.put("failed", failure.getMessage()));
        addTo(report);
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), report);
    }
}
