package org.posthouse.bench.carrier;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.posthouse.bench.affinity.Processors;

/**
 * A program of the system that runs for the bench, as its user and below a shell that is the bench's child. Its output
 * is read for the words that report that it is ready, or why it is not. Confined to the driver's thread.
 *
 * <p>The shell waits on a pipe from the bench and on nothing else: it ends the program when the bench is gone, however
 * that ended. It survives signals that a terminal sends to all of its processes. It never waits for the program, so the
 * program's process id is not reused until the program is killed.
 */
final class Companion implements AutoCloseable {
    private static final int READY_SECONDS_MAX = 10;

    /** Where daemons are that are not on every user's path. */
    private static final List<String> FURTHER_FOLDERS = List.of("/usr/sbin", "/usr/local/sbin", "/sbin");

    private static final List<String> KEEPER =
            List.of("/bin/sh", "-c", "trap '' HUP INT QUIT TERM; \"$@\" </dev/null & exec >/dev/null 2>&1; read -r end; kill -9 $!", "sh");

    /** The shell. */
    private final Process process;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    private Companion(Process process) {
        this.process = process;
    }

    /** The program's file; empty if it is not installed. */
    static Optional<Path> find(String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Stream.of(path.split(File.pathSeparator, -1)), FURTHER_FOLDERS.stream())
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** A port of the loopback that is free now. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Starts it and waits until it has printed {@code readyWords} in a line.
     *
     * @throws IOException with its last line if it ends before, or does not print them in time; it is ended then
     */
    static Companion start(List<String> command, String readyWords) throws IOException, InterruptedException {
        List<String> kept = Stream.concat(KEEPER.stream(), command.stream()).toList();
        Companion companion = new Companion(new ProcessBuilder(kept).redirectErrorStream(true).start());
        Thread.ofPlatform().daemon().name("posthouse-bench-companion").start(() -> companion.read(readyWords));
        try {
            companion.ready.get(READY_SECONDS_MAX, TimeUnit.SECONDS);
            return companion;
        } catch (ExecutionException e) {
            companion.close();
            throw new IOException(command.getFirst() + ": " + e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            companion.close();
            throw new IOException(command.getFirst() + " is not ready in " + READY_SECONDS_MAX + " s", e);
        }
    }

    /** Runs a program to its end. @throws IOException if it ends with another status than 0, with its last line */
    static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
        if (process.waitFor() != 0) {
            throw new IOException(command.getFirst() + ": " + said.strip());
        }
    }

    /** Reads to the program's end: a program whose output is not read would block. */
    private void read(String readyWords) {
        String last = "it said nothing";
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last = line.isBlank() ? last : line.strip();
                if (line.contains(readyWords)) {
                    ready.complete(null);
                }
            }
        } catch (IOException e) {
            ready.completeExceptionally(new UncheckedIOException(e));
        }
        ready.completeExceptionally(new IllegalStateException(last));
    }

    /** Puts it, and what it has started, on a processor. */
    void place(int place, Processors processors) throws IOException, InterruptedException {
        for (ProcessHandle each : Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList()) {
            processors.put(each.pid(), place);
        }
    }

    /** Ends it and what it has started, at once. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }
}
