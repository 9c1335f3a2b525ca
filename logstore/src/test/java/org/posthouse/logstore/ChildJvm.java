package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** A test class's main in a JVM of its own, with the flags of this one. */
record ChildJvm(Process process, Path out) implements AutoCloseable {
    static ChildJvm start(Class<?> main, Path output, String... args) throws IOException {
        return startBehind(List.of(), main, output, args);
    }

    /** The same by a command that becomes the one that follows it. */
    static ChildJvm startBehind(List<String> first, Class<?> main, Path output, String... args) throws IOException {
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
        return new ChildJvm(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start(), output);
    }

    /** Until something has come to pass, before which it may not end. */
    void await(Callable<Boolean> event) throws Exception {
        while (!event.call()) {
            assertThat(process.waitFor(Duration.ofMillis(1))).as(this::output).isFalse();
        }
    }

    /** What it has printed. */
    String output() {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A number that a child keeps in a file of 16 bytes for whoever started it; 0 before the first. */
    static long told(Path file, int at) throws IOException {
        return Files.exists(file) && Files.size(file) >= 16 ? ByteBuffer.wrap(Files.readAllBytes(file)).getLong(at) : 0;
    }

    /** Kills it. */
    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
