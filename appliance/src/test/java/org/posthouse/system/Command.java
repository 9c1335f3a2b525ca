package org.posthouse.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.posthouse.cli.Posthouse;
import org.posthouse.launch.install.Installation;

/** {@code posthouse ARGUMENTS} in a process of its own, as the launcher script starts it. */
final class Command implements AutoCloseable {
    private static final long SECONDS_MAX = 600;

    /** In a test, commands, relays and ranks end before the second compiler gives back what it costs. */
    private static final String FIRST_COMPILER = "-XX:TieredStopAtLevel=1";

    /**
     * Virtual threads of a command have one carrier and get no second one: a thread that blocks it, in a read of a pipe or elsewhere, stops them all at once, and not only in the
     * quiet hours of a long job (docs/adr/0074).
     */
    private static final List<String> ONE_CARRIER = List.of("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1");

    private static final Pattern BLOCKED =
            Pattern.compile(
                    "(?m)^.* stands still for \\d+ s: this host is too busy.*\\R?(?:io\\.vertx\\.core\\.VertxException: Thread blocked.*\\R?)*");

    /** Whom a process was started for: in its environment, and that of all that it starts. */
    private static final String FOLDER = "POSTHOUSE_TEST_FOLDER";

    private final Process process;
    private final Path out;
    private final Path err;

    private Command(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** What a command printed and its exit status. */
    record Result(int status, String out, String err) {}

    /** Starts the command; its output goes into files in {@code folder}, and there it makes its temporary ones. */
    static Command start(Path folder, String... arguments) throws IOException {
        return start(folder, List.of(), arguments);
    }

    /** The same in a JVM with further flags. */
    static Command start(Path folder, List<String> jvmFlags, String... arguments) throws IOException {
        return startBehind(folder, List.of(), jvmFlags, arguments);
    }

    /** The same by a command that becomes the one that follows it. */
    static Command startBehind(Path folder, List<String> first, List<String> jvmFlags, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(first);
        // A build in the background ignores SIGINT, and its children inherit that; a user's terminal does not.
        command.addAll(List.of("env", "--default-signal=INT"));
        command.add(Installation.java().toString());
        command.addAll(Installation.jvmFlags());
        command.addAll(List.of("-XX:-UsePerfData", "-Djava.io.tmpdir=" + folder.toAbsolutePath()));
        command.addAll(Installed.flags(arguments[0]));
        command.add(FIRST_COMPILER);
        command.addAll(ONE_CARRIER);
        command.addAll(jvmFlags);
        command.add(Posthouse.class.getName());
        command.addAll(List.of(arguments));
        if (arguments[0].equals("run")) {
            command.addAll(command.size() - arguments.length + 1, List.of("--jvm", FIRST_COMPILER));
        }
        Path out = Files.createTempFile(folder, "command", ".out");
        Path err = Files.createTempFile(folder, "command", ".err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put(Installation.RELAY_FLAGS, FIRST_COMPILER);
        builder.environment().put(FOLDER, folder.toString());
        Process process = builder.start();
        return new Command(process, out, err);
    }

    /** Runs the command to its end. */
    static Result run(Path folder, String... arguments) throws IOException, InterruptedException {
        try (Command command = start(folder, arguments)) {
            return command.await();
        }
    }

    /** Processes that commands of this folder have started, the commands too, whoever their parent is now. */
    static List<Long> processes(Path folder) {
        String mark = "\0" + FOLDER + "=" + folder + "\0";
        return ProcessHandle.allProcesses()
                .filter(process -> Jobs.environment(process).contains(mark))
                .map(ProcessHandle::pid)
                .toList();
    }

    Result await() throws InterruptedException {
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + SECONDS_MAX + " s; it printed " + out() + err());
        }
        return new Result(process.exitValue(), out(), err());
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** Nothing more comes from whoever started it. */
    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** What somebody types. */
    void type(String keys) throws IOException {
        process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    String out() {
        return read(out);
    }

    /** Without what is said where a loop did not get the processor for seconds, as in a build that is busy. */
    String err() {
        return BLOCKED.matcher(read(err)).replaceAll("");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
