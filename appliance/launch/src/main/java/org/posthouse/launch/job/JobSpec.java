package org.posthouse.launch.job;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FailureMode;

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
 * @param replicas how many processes each rank has ({@code --replicas})
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
        RankStreams streams,
        Replicas replicas) {

    public JobSpec {
        environment = Map.copyOf(environment);
        classPath = List.copyOf(classPath);
        arguments = List.copyOf(arguments);
        jvmFlags = List.copyOf(jvmFlags);
    }

    /** The same job with this number of ranks. */
    public JobSpec withRanks(int number) {
        return new JobSpec(name, number, classPath, mainClass, arguments, jvmFlags, environment, durability, patience, streams, replicas);
    }

    /** Whether messages and deliveries are logged. */
    public boolean logged() {
        return durability != Durability.NONE;
    }

    /** Whether a rank whose process ends by accident is started again: only what is logged can be replayed. */
    public boolean isRestartable() {
        return logged() && patience.maxRestarts() > 0;
    }

    /** Whether followers take over from dead ranks although nothing is logged: relays keep what they need in memory. */
    public boolean remembers() {
        return !logged() && replicas.areWanted();
    }

    /** Whether another process may take the place of a rank's: one that is started then, or follows it. */
    public boolean goesOn() {
        return isRestartable() || remembers();
    }

    /** Whether the program is told of a rank's death, and goes on; in a logged job when the rank may not be started again. */
    public boolean tellsProgram() {
        return patience.onFailure().isTold() && logged() == patience.onFailure().isToldAfterRestarts();
    }

    /** Whether a rank that dies gets a new process without its state, of which the program is told. */
    public boolean rebuilds() {
        return tellsProgram() && patience.onFailure() == FailureMode.REBUILD;
    }

    /** What becomes of the job when a rank dies. */
    public FailureMode onFailure() {
        return tellsProgram() ? patience.onFailure() : isRestartable() ? FailureMode.RESTART : FailureMode.ABORT;
    }

    /** A job whose ranks read nothing, with one process of each rank at a time. */
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
        this(name, ranks, classPath, mainClass, arguments, jvmFlags, environment, durability, patience, RankStreams.DEFAULT, Replicas.NONE);
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
