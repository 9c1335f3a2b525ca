package org.posthouse.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A relay in a process of its own, which ends with this one or with {@link #close}. Confined to the thread that starts it. */
public final class RelayProcess implements AutoCloseable {
    private static final long LEAVE_SECONDS = 10;
    private static final String MAIN = "org.posthouse.cli.Posthouse";

    private final Process process;
    private final Path errors;
    private ReadyLine ready;

    private RelayProcess(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
    }

    /**
     * Starts {@code posthouse relay} and waits until it serves.
     *
     * @param arguments the command's options
     * @param errors the file that takes its standard error
     */
    public static RelayProcess start(List<String> arguments, Path errors) throws JobFailure {
        List<String> command = new ArrayList<>();
        command.add(Installation.java().toString());
        command.addAll(Installation.jvmFlags());
        command.addAll(Installation.relayFlags());
        command.addAll(StartCache.commandFlags());
        command.addAll(List.of("-XX:-UsePerfData", "-Dposthouse.log=INFO", "-cp", System.getProperty("java.class.path"), MAIN));
        command.addAll(List.of("relay", "--json", "--end-with-input"));
        command.addAll(arguments);
        try {
            Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
            RelayProcess relay = new RelayProcess(process, errors);
            try {
                relay.awaitReady();
                return relay;
            } catch (IOException | JobFailure e) {
                relay.close();
                throw e;
            }
        } catch (IOException e) {
            throw new JobFailure("a relay cannot be started: " + e.getMessage(), e);
        }
    }

    private void awaitReady() throws IOException, JobFailure {
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        try {
            if (line != null) {
                ready = ReadyLine.parse(line);
                return;
            }
        } catch (JsonProcessingException e) {
            throw new JobFailure("a relay said \"" + line + "\" instead of where it serves", e);
        }
        throw new JobFailure("a relay ended before it served: " + lastError());
    }

    private String lastError() throws IOException {
        List<String> lines = Files.readAllLines(errors);
        return lines.isEmpty() ? "it did not say why" : lines.get(lines.size() - 1);
    }

    /** Where it serves. */
    public ReadyLine ready() {
        return ready;
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Ends the relay: asks it to stop, and kills it if it does not in time. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(LEAVE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
