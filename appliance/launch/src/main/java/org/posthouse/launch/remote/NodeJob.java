package org.posthouse.launch.remote;

import java.util.List;
import java.util.Map;
import org.posthouse.wire.StartSpec;
import org.posthouse.wire.Token;

/**
 * What nodes are told of a job.
 *
 * @param job the job's id
 * @param key the job's secret that agents obey
 * @param mainClass the program's main class
 * @param arguments the program's own arguments
 * @param jvmFlags further flags for the ranks' JVMs
 * @param environment variables that the ranks have in addition to those of their node's agent
 * @param classPath the program's jars, staged or at paths that every node sees
 * @param files other files of the ranks' folders
 * @param workFolder where the ranks run; empty: each in a folder of its own
 * @param isRestartable whether another process may take a rank's place
 * @param silenceSeconds after which a process that a signal has stopped is killed; 0: never
 * @param launcherSeconds how long agents keep the job's processes without a launcher
 */
public record NodeJob(
        long job,
        Token key,
        String mainClass,
        List<String> arguments,
        List<String> jvmFlags,
        Map<String, String> environment,
        List<StartSpec.StagedFile> classPath,
        List<StartSpec.StagedFile> files,
        String workFolder,
        boolean isRestartable,
        int silenceSeconds,
        int launcherSeconds) {
    public NodeJob {
        arguments = List.copyOf(arguments);
        jvmFlags = List.copyOf(jvmFlags);
        environment = Map.copyOf(environment);
        classPath = List.copyOf(classPath);
        files = List.copyOf(files);
    }
}
