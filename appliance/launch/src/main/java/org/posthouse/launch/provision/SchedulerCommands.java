package org.posthouse.launch.provision;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;

/** Runs schedulers' own commands. */
final class SchedulerCommands {
    private static final long ANSWER_SECONDS = 30;

    private SchedulerCommands() {}

    /**
     * A long command. Ctrl-C at the terminal does not reach it: the launcher ends it in order.
     *
     * @param environment replaces variables of this process
     */
    static ProcessBuilder builder(List<String> words, Map<String, String> environment) {
        List<String> command = new ArrayList<>();
        inPath("setsid").ifPresent(command::add);
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder;
    }

    /** @throws JobFailure in one line, if there is no such program */
    static void require(String program) throws JobFailure {
        require(program, "Slurm's commands are needed on the host of the launcher");
    }

    /**
     * @param why says what it is needed for
     * @throws JobFailure in one line, if there is no such program
     */
    static void require(String program, String why) throws JobFailure {
        boolean isThere = program.contains("/") ? Files.isExecutable(Path.of(program)) : inPath(program).isPresent();
        if (!isThere) {
            throw new JobFailure(program + " was not found" + (program.contains("/") ? ": " : " in PATH: ") + why);
        }
    }

    private static Optional<String> inPath(String program) {
        String path = System.getenv("PATH");
        return Stream.of(path == null ? new String[0] : path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(file -> Files.isExecutable(file) && Files.isRegularFile(file))
                .map(Path::toString)
                .findFirst();
    }

    /**
     * What a short command prints.
     *
     * @throws JobFailure in one line, with its last words, if it fails
     */
    static String ask(String... words) throws JobFailure {
        try {
            Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            Thread guard = Thread.ofVirtual().start(() -> {
                try {
                    if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int status = process.waitFor();
            guard.interrupt();
            if (status != 0) {
                String last = printed.substring(printed.lastIndexOf('\n') + 1);
                throw new JobFailure(words[0] + " ended with status " + status + (last.isEmpty() ? "" : ": " + AgentOutput.printable(last)));
            }
            return printed;
        } catch (IOException e) {
            throw new JobFailure(words[0] + " cannot be started: " + Causes.text(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while " + words[0] + " ran", e);
        }
    }
}
