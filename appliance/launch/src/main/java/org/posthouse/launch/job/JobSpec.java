package org.posthouse.launch.job;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.Durability;

/**
 * The specification of a job.
 *
 * @param name the job's name, for people
 * @param ranks number of ranks, from 1
 * @param classPath the program's jars and folders, in order; mpj-lite is added
 * @param mainClass the program's main class
 * @param arguments the program's own arguments
 * @param jvmFlags further flags for the ranks' JVMs
 * @param environment further variables of the ranks' environment
 * @param durability which messages are logged, and the failures that the log survives ({@code --durability})
 * @param patience the failures that a logged job survives
 * @param streams the use of its ranks' streams
 */
public record JobSpec(
        String name,
        int ranks,
        List<Path> classPath,
        String mainClass,
        List<String> arguments,
        List<String> jvmFlags,
        Map<String, String> environment,
        Durability durability,
        RestartPolicy patience,
        RankStreams streams) {

    public JobSpec {
        environment = Map.copyOf(environment);
        classPath = List.copyOf(classPath);
        arguments = List.copyOf(arguments);
        jvmFlags = List.copyOf(jvmFlags);
    }

    /** The same job with this number of ranks. */
    public JobSpec withRanks(int number) {
        return new JobSpec(name, number, classPath, mainClass, arguments, jvmFlags, environment, durability, patience, streams);
    }

    /** Whether messages and deliveries are logged. */
    public boolean logged() {
        return durability != Durability.NONE;
    }

    /** Whether a rank whose process ends by accident is started again: only what is logged can be replayed. */
    public boolean isRestartable() {
        return logged() && patience.maxRestarts() > 0;
    }

    /** Whether the program is told of a rank's death, and goes on. */
    public boolean tellsProgram() {
        return !logged() && patience.tellsProgram();
    }

    /** A job whose ranks read nothing. */
    public JobSpec(
            String name,
            int ranks,
            List<Path> classPath,
            String mainClass,
            List<String> arguments,
            List<String> jvmFlags,
            Map<String, String> environment,
            Durability durability,
            RestartPolicy patience) {
        this(name, ranks, classPath, mainClass, arguments, jvmFlags, environment, durability, patience, RankStreams.DEFAULT);
    }

    /** A job whose log, if it has one, is for crashes of processes. */
    public JobSpec(
            String name,
            int ranks,
            List<Path> classPath,
            String mainClass,
            List<String> arguments,
            List<String> jvmFlags,
            Map<String, String> environment,
            boolean logged,
            RestartPolicy patience) {
        this(
                name, ranks, classPath, mainClass, arguments, jvmFlags, environment, logged ? Durability.PROCESS : Durability.NONE,
                patience);
    }
}
