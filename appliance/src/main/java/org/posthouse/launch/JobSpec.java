package org.posthouse.launch;

import java.nio.file.Path;
import java.util.List;

/**
 * What a job is made of.
 *
 * @param name what people call it
 * @param ranks how many ranks, from 1
 * @param classPath the program's jars and folders, in order; mpj-lite is added
 * @param mainClass the program's main class
 * @param arguments the program's own arguments
 * @param jvmFlags further flags for the ranks' JVMs
 * @param logged whether messages and deliveries are logged ({@code --durability process})
 */
public record JobSpec(
        String name,
        int ranks,
        List<Path> classPath,
        String mainClass,
        List<String> arguments,
        List<String> jvmFlags,
        boolean logged) {

    public JobSpec {
        classPath = List.copyOf(classPath);
        arguments = List.copyOf(arguments);
        jvmFlags = List.copyOf(jvmFlags);
    }
}
