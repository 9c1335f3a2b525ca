package org.posthouse.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.posthouse.cli.Posthouse;
import org.posthouse.launch.install.Installation;

/**
 * A fresh folder in which the commands of the documents run as in a checkout that has been built: {@code ./posthouse} and the jar of
 * {@code mpj-lite} are there. Each command is a bash of its own, in a network of its own if it is given one. All that they start ends with it.
 */
final class CheckoutFolder implements AutoCloseable {
    private static final int SECONDS_MAX = 300;

    private final Path folder;
    private final List<String> network;
    private final List<Process> background = new ArrayList<>();
    private final List<Path> printed = new ArrayList<>();

    /** What a command printed on both streams, and its status. */
    record Result(int status, String text) {}

    /** @param network what the command line of a process begins with that is to run in the network; empty for this host's */
    CheckoutFolder(Path folder, List<String> network) throws IOException {
        this.folder = folder;
        this.network = List.copyOf(network);
        List<String> java = new ArrayList<>(List.of(Installation.java().toString()));
        java.addAll(Installation.jvmFlags());
        java.addAll(List.of("-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder, "-Dposthouse.program=" + folder.resolve("posthouse"),
                "-cp", classPath(),
                Posthouse.class.getName()));
        String words = java.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Path program = Files.writeString(folder.resolve("posthouse"), "#!/usr/bin/env bash\nexec " + words + " \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(folder.resolve("mpj-lite/target"));
        Files.createSymbolicLink(folder.resolve("mpj-lite/target/mpj-lite-0.1.0.jar"), Installation.jarOf(mpi.MPI.class));
    }

    private static String classPath() {
        return Installation.classPath().stream().map(Path::toString).collect(Collectors.joining(":"));
    }

    Path folder() {
        return folder;
    }

    private Process start(String command, Path output) throws IOException {
        List<String> line = new ArrayList<>(network);
        line.addAll(List.of("bash", "-c", command));
        ProcessBuilder bash = new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true).redirectOutput(output.toFile())
                .redirectInput(Path.of("/dev/null").toFile());
        Map<String, String> environment = bash.environment();
        environment.put(Installation.RELAY_FLAGS, "-XX:TieredStopAtLevel=1");
        environment.merge("PATH", folder.toString(), (path, own) -> own + ":" + Installation.java().getParent() + ":" + path);
        return bash.start();
    }

    /** Runs a command to its end. */
    Result run(String command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "command", ".out");
        Process process = start(command, output);
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            end(process);
            throw new AssertionError(command + " did not end within " + SECONDS_MAX + " s; it printed " + Files.readString(output, StandardCharsets.UTF_8));
        }
        return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    /** Starts one that runs on, as in a terminal of its own. Returns the file with what it prints. */
    Path startAside(String command) throws IOException {
        Path output = Files.createTempFile(folder, "aside", ".out");
        background.add(start("exec " + command, output));
        printed.add(output);
        return output;
    }

    /** Whether each of those still runs. */
    boolean allRun() {
        return background.stream().allMatch(Process::isAlive);
    }

    /** What they have printed. */
    String terminals() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Path output : printed) {
            text.append(Files.readString(output, StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    /** Ends those in order, as Ctrl-C does. */
    void stop() throws InterruptedException {
        for (Process process : background.reversed()) {
            process.destroy();
            process.waitFor(20, TimeUnit.SECONDS);
        }
        background.removeIf(process -> !process.isAlive());
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        background.forEach(CheckoutFolder::end);
    }
}
