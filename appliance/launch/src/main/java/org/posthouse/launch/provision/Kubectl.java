package org.posthouse.launch.provision;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;

/**
 * Runs kubectl, once for each question. Objects are read and written at the paths of Kubernetes' own interface
 * ({@code --raw}), whose form does not depend on the version of kubectl. Any thread may call it.
 */
final class Kubectl {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final long ANSWER_SECONDS = 60;
    private static final long LAST_WORDS_MS = 1_000;

    private final List<String> words;

    private Kubectl(List<String> words) {
        this.words = words;
    }

    /**
     * @param command {@code kubectl}, perhaps with options such as {@code --context a}
     * @throws JobFailure in one line, if it is no command, or there is no such program
     */
    static Kubectl of(String command) throws JobFailure {
        List<String> words = CommandTemplate.split(command, "--kubectl");
        if (words.isEmpty()) {
            throw new JobFailure("--kubectl names no command");
        }
        SchedulerCommands.require(words.getFirst(), "Kubernetes is asked by kubectl, which is needed on the host of the launcher");
        return new Kubectl(words);
    }

    /**
     * The one object that {@code kubectl WORDS} prints as JSON.
     *
     * @throws JobFailure in one line, with its last words, if it fails, or prints several
     */
    JsonNode json(String... more) throws JobFailure {
        String printed = ask("", more);
        try {
            return JSON.readTree(printed);
        } catch (JsonProcessingException e) {
            throw new JobFailure("kubectl " + more[0] + " has not printed one object as JSON", e);
        }
    }

    /**
     * What {@code kubectl WORDS} prints to its standard output.
     *
     * @param input its standard input
     * @throws JobFailure in one line, with its last words, if it fails
     */
    String ask(String input, String... more) throws JobFailure {
        List<String> command = new ArrayList<>(words);
        command.addAll(List.of(more));
        try {
            Process process = SchedulerCommands.builder(command, Map.of()).start();
            AgentOutput errors = new AgentOutput(line -> line, line -> {});
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            Thread errorReader = Thread.ofPlatform().daemon().name("posthouse-kubectl-errors").start(() -> errors.read(process.getErrorStream()));
            Thread reader = Thread.ofPlatform().daemon().name("posthouse-kubectl").start(() -> read(process, printed));
            try {
                write(process, input);
                if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                    throw new JobFailure("kubectl " + more[0] + " has not answered within " + ANSWER_SECONDS + " s");
                }
                reader.join();
                errorReader.join(LAST_WORDS_MS);
            } finally {
                process.destroyForcibly();
            }
            if (process.exitValue() != 0) {
                List<String> last = errors.last();
                throw new JobFailure("kubectl " + more[0] + " ended with status " + process.exitValue() + (last.isEmpty() ? "" : ": " + last.getLast()));
            }
            return printed.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new JobFailure("kubectl cannot be started: " + Causes.text(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while kubectl ran", e);
        }
    }

    private static void read(Process process, ByteArrayOutputStream into) {
        try {
            process.getInputStream().transferTo(into);
        } catch (IOException e) {
            // It was killed, and its status says so.
            assert e.getMessage() != null;
        }
    }

    private static void write(Process process, String input) {
        try (OutputStream out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended already, and its status says more.
            assert e.getMessage() != null;
        }
    }
}
