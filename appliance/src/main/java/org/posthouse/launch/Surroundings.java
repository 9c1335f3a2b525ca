package org.posthouse.launch;

import java.nio.file.Path;
import java.util.Map;

/**
 * What a process has around it: where it was started, and its environment.
 *
 * @param folder where relative paths begin
 * @param variables the whole environment
 */
public record Surroundings(Path folder, Map<String, String> variables) {
    public Surroundings {
        variables = Map.copyOf(variables);
    }

    /** Those of this process. */
    public static Surroundings here() {
        return new Surroundings(Path.of("").toAbsolutePath(), System.getenv());
    }

    void into(ProcessBuilder builder) {
        builder.directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(variables);
    }
}
