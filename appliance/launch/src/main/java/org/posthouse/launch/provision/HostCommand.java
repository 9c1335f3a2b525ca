package org.posthouse.launch.provision;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The running command of one host. Its standard input has the token as its first line, and stays open until the agent is
 * to end. Any thread may call it.
 */
final class HostCommand {
    /** A process that the command has left behind may hold its output open, as the master of shared ssh connections does. */
    private static final long LAST_WORDS_MS = 1_000;

    private final HostSlots host;
    private final Process process;
    private final AgentOutput output;
    private final Thread reader;

    private HostCommand(HostSlots host, Process process, AgentOutput output, Thread reader) {
        this.host = host;
        this.process = process;
        this.output = output;
        this.reader = reader;
    }

    /**
     * Starts the command.
     *
     * @param show takes each line that it prints
     * @throws IOException if the program cannot be executed
     */
    static HostCommand start(HostSlots host, List<String> command, String token, Consumer<String> show) throws IOException {
        return start(host, new ProcessBuilder(command), token, new AgentOutput(host.host(), show));
    }

    /** Starts a command with the environment of its builder. @param output takes what it prints */
    static HostCommand start(HostSlots host, ProcessBuilder builder, String token, AgentOutput output) throws IOException {
        Process process = builder.redirectErrorStream(true).start();
        Thread reader = Thread.ofPlatform().daemon().name("posthouse-host-" + host.host()).start(() -> output.read(process.getInputStream()));
        try {
            OutputStream in = process.getOutputStream();
            in.write((token + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            // It has ended already, and its status says more.
            assert !e.getMessage().isEmpty();
        }
        return new HostCommand(host, process, output, reader);
    }

    HostSlots host() {
        return host;
    }

    long pid() {
        return process.pid();
    }

    /** Waits until it has ended and what it had said was shown. @return the exit status; 128 + n after signal n */
    int await() throws InterruptedException {
        int status = process.waitFor();
        reader.join(LAST_WORDS_MS);
        return status;
    }

    String lastLine() {
        List<String> last = output.last();
        return last.isEmpty() ? "" : last.getLast();
    }

    /** Asks the agent to end. */
    void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
            assert !e.getMessage().isEmpty();
        }
    }

    /** Waits until the command has ended. @return whether it has */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return process.waitFor(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
    }

    /** Kills the command and the processes below it, and waits until it has gone. */
    void kill() throws InterruptedException {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
    }
}
