package org.posthouse.logstore;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a test class's main in a JVM of its own, with the flags of this one. */
final class ChildJvm {
    private ChildJvm() {}

    static Process start(Class<?> main, Path output, String... args) throws IOException {
        return startBehind(List.of(), main, output, args);
    }

    /** The same by a command that becomes the one that follows it. */
    static Process startBehind(List<String> first, Class<?> main, Path output, String... args) throws IOException {
        List<String> command = new ArrayList<>(first);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> !flag.startsWith("-javaagent") && !flag.startsWith("-agentlib"))
                .forEach(command::add);
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(main.getName());
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }
}
