package org.posthouse.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a job is made of.
 *
 * @param name what people call it
 * @param ranks how many ranks, from 1
 * @param classPath the program's jars and folders, in order; mpj-lite is added
 * @param mainClass the program's main class
 * @param arguments the program's own arguments
 * @param jvmFlags further flags for the ranks' JVMs
 * @param environment further variables of the ranks' environment
 * @param logged whether messages and deliveries are logged ({@code --durability process})
 * @param maxRestarts how often each rank of a logged job is started again at most ({@code --max-restarts}); 0 is never
 */
public record JobSpec(
        String name,
        int ranks,
        List<Path> classPath,
        String mainClass,
        List<String> arguments,
        List<String> jvmFlags,
        Map<String, String> environment,
        boolean logged,
        int maxRestarts) {

    /** How often a rank is started again unless the user says otherwise. */
    public static final int RESTARTS_DEFAULT = 3;

    public JobSpec {
        environment = Map.copyOf(environment);
        classPath = List.copyOf(classPath);
        arguments = List.copyOf(arguments);
        jvmFlags = List.copyOf(jvmFlags);
    }

    /** Whether a rank whose process ends by accident is started again: only what is logged can be replayed. */
    public boolean isRestartable() {
        return logged && maxRestarts > 0;
    }

    /** A job whose ranks have the launcher's environment as it is. */
    public JobSpec(
            String name,
            int ranks,
            List<Path> classPath,
            String mainClass,
            List<String> arguments,
            List<String> jvmFlags,
            boolean logged) {
        this(name, ranks, classPath, mainClass, arguments, jvmFlags, Map.of(), logged, RESTARTS_DEFAULT);
    }
}
