package org.posthouse.launch.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;

/**
 * A relay in a process of its own, which ends with this process or with {@link #close}. It can be killed and restarted
 * in place. One that does not serve in time is ended and has failed. Guarded by itself.
 */
public final class RelayProcess implements AutoCloseable {
    /** On a host that is short of everything, with a log that is long. */
    private static final long READY_SECONDS_MAX = 300;

    /** A JVM that makes a cache warns on standard output, where the relay's first line is awaited. */
    private static final List<String> LOG_TO_ERRORS = List.of("-Xlog:disable", "-Xlog:all=warning:stderr");

    private static final String MAIN = "org.posthouse.cli.Posthouse";

    private final List<String> jvmFlags;
    private final List<String> arguments;
    private final Path errors;
    private final long readyMsMax;

    /** Once it is completed, a process that does not serve yet is killed. */
    private final CompletableFuture<?> cancelled;

    /** Bytes in the file of errors before the present process: those of earlier ones. */
    private long errorsBefore;

    private Process process;
    private ReadyLine ready;
    private boolean closed;

    private RelayProcess(List<String> jvmFlags, List<String> arguments, Path errors, long readyMsMax, CompletableFuture<?> cancelled) {
        this.jvmFlags = List.copyOf(jvmFlags);
        this.arguments = List.copyOf(arguments);
        this.errors = errors;
        this.readyMsMax = readyMsMax;
        this.cancelled = cancelled;
    }

    /**
     * Starts {@code posthouse relay} and waits until it serves.
     *
     * @param arguments the command's options; with fixed ports if it is to be killed
     * @param errors the file that takes its standard error
     */
    public static RelayProcess start(List<String> arguments, Path errors) throws JobFailure {
        return start(arguments, errors, new CompletableFuture<>());
    }

    /** The same. @param cancelled completed from any thread: a process that does not serve by then, now or when it is started again, is killed */
    static RelayProcess start(List<String> arguments, Path errors, CompletableFuture<?> cancelled) throws JobFailure {
        return start(arguments, errors, TimeUnit.SECONDS.toMillis(READY_SECONDS_MAX), cancelled);
    }

    /** The same with another time until it serves. */
    static RelayProcess start(List<String> arguments, Path errors, long readyMsMax, CompletableFuture<?> cancelled) throws JobFailure {
        List<String> jvmFlags = new ArrayList<>(StartCache.relayFlags(Installation.relayFlags()));
        jvmFlags.addAll(Installation.relayFlags());
        return start(jvmFlags, arguments, errors, readyMsMax, cancelled);
    }

    /**
     * The same; its JVM writes the learned data to {@code cache} when it ends ({@link #awaitCache}). Without the user's
     * flags, which may name a cache.
     */
    public static RelayProcess rehearse(Path cache, List<String> arguments, Path errors) throws JobFailure {
        List<String> jvmFlags = new ArrayList<>(Installation.relayFlags(Map.of()));
        jvmFlags.add("-XX:AOTCacheOutput=" + cache);
        return start(jvmFlags, arguments, errors, TimeUnit.SECONDS.toMillis(READY_SECONDS_MAX), new CompletableFuture<>());
    }

    private static RelayProcess start(
            List<String> jvmFlags, List<String> arguments, Path errors, long readyMsMax, CompletableFuture<?> cancelled) throws JobFailure {
        RelayProcess relay = new RelayProcess(jvmFlags, arguments, errors, readyMsMax, cancelled);
        relay.launch();
        return relay;
    }

    private void launch() throws JobFailure {
        requireWanted();
        List<String> command = new ArrayList<>();
        command.add(Installation.java().toString());
        command.addAll(Installation.jvmFlags());
        command.addAll(LOG_TO_ERRORS);
        command.addAll(jvmFlags);
        command.addAll(List.of("-XX:-UsePerfData", "-Dposthouse.log=INFO", "-cp", System.getProperty("java.class.path"), MAIN));
        command.addAll(List.of("relay", "--json", "--end-with-input"));
        command.addAll(arguments);
        try {
            errorsBefore = Files.exists(errors) ? Files.size(errors) : 0;
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile())).start();
            awaitReady();
        } catch (IOException e) {
            ChildEnd.end(process);
            throw new JobFailure("a relay cannot be started: " + Causes.text(e), e);
        } catch (JobFailure e) {
            ChildEnd.end(process);
            throw e;
        }
    }

    /**
     * kill -9, and another process with the same options as soon as the first has gone. Waits before that until a
     * process that is being started serves.
     *
     * @return when the kill was, by {@link System#nanoTime}; empty, and nothing was done, if it is closed
     */
    public synchronized OptionalLong strike() throws JobFailure {
        if (closed) {
            return OptionalLong.empty();
        }
        long start = System.nanoTime();
        process.destroyForcibly();
        process.onExit().join();
        launch();
        return OptionalLong.of(start);
    }

    /**
     * Waits until its present process has ended.
     *
     * @return whether that was not the effect of {@link #close}
     */
    public boolean awaitEnd() throws InterruptedException {
        Process present;
        synchronized (this) {
            present = process;
        }
        present.waitFor();
        synchronized (this) {
            return !closed;
        }
    }

    /** Starts another process with the same options, in place of one that has ended. Does nothing if it is closed. */
    public synchronized void startAgain() throws JobFailure {
        if (!closed && !process.isAlive()) {
            launch();
        }
    }

    private void awaitReady() throws IOException, JobFailure {
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        CompletableFuture<Void> overdue = new CompletableFuture<Void>().completeOnTimeout(null, readyMsMax, TimeUnit.MILLISECONDS);
        CompletableFuture.anyOf(overdue, cancelled).thenRun(process.toHandle()::destroyForcibly); // The process itself would close what is being read.
        String line = out.readLine();
        boolean inTime = overdue.cancel(false);
        try {
            if (line != null && inTime) {
                ready = ReadyLine.parse(line);
                return;
            }
        } catch (JsonProcessingException e) {
            throw new JobFailure("a relay said \"" + line + "\" instead of where it serves", e);
        }
        requireWanted();
        throw new JobFailure(
                (inTime ? "a relay ended before it served: " : "a relay did not serve within " + readyMsMax / 1_000 + " s: ") + lastError());
    }

    private void requireWanted() throws JobFailure {
        if (cancelled.isDone()) {
            throw new JobFailure("interrupted while a relay was being started");
        }
    }

    private String lastError() throws IOException {
        try (InputStream printed = Files.newInputStream(errors)) {
            printed.skipNBytes(Math.min(errorsBefore, Files.size(errors)));
            List<String> lines = new String(printed.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            return lines.isEmpty() ? "it did not say why" : lines.getLast();
        }
    }

    /** Where it serves. */
    public synchronized ReadyLine ready() {
        return ready;
    }

    /** Its process id. */
    public synchronized long pid() {
        return process.pid();
    }

    /**
     * Closes the input of a rehearsed relay and waits, without a limit, until its JVM has written the cache. Discards
     * the output meanwhile, which may be more than a pipe takes.
     */
    public synchronized void awaitCache() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.getInputStream().transferTo(OutputStream.nullOutputStream());
        process.waitFor();
    }

    /** Ends the relay: asks it to stop, and kills it if it does not in time. */
    @Override
    public synchronized void close() {
        closed = true;
        ChildEnd.end(process);
    }
}
