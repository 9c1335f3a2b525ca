package org.posthouse.launch.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobStatusReport;

/**
 * {@code posthouse run} or {@code resume} in a process of its own, which ends with this one. Any thread may call it.
 */
public final class LauncherProcess {
    private static final String MAIN = "org.posthouse.cli.Posthouse";
    private static final int STATUS_KILLED = 137;

    private final Process process;
    private final List<Thread> readers = new ArrayList<>();

    private final ArgumentFile words;

    private LauncherProcess(Process process, ArgumentFile words) {
        this.process = process;
        this.words = words;
    }

    /** Hears what a launcher says, each stream from a thread of its own. */
    public interface Listener {
        /** A line of its output, which was written whole, with its end. */
        void out(String line);

        /** A line of its error stream, with its end. */
        void err(String line);

        /** The job has a new status. */
        void told(JobStatusReport standing);
    }

    /** @param arguments the command's name and options @param environment beside this process's own */
    public static LauncherProcess start(List<String> arguments, Map<String, String> environment, Listener listener) throws JobFailure {
        List<String> command = new ArrayList<>();
        command.add(Installation.java().toString());
        command.addAll(Installation.jvmFlags());
        command.addAll(StartCache.commandFlags());
        command.addAll(
                List.of("-XX:-UsePerfData", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-cp", System.getProperty("java.class.path"), MAIN));
        command.add(arguments.getFirst());
        command.add("--supervised");
        command.addAll(arguments.subList(1, arguments.size()));
        try {
            ArgumentFile words = ArgumentFile.of(command, command.size() - arguments.size() - 4);
            ProcessBuilder builder = new ProcessBuilder(words.command());
            builder.environment().putAll(environment);
            LauncherProcess launcher = new LauncherProcess(builder.start(), words);
            launcher.read("out", launcher.process.getInputStream(), listener::out, cut -> {});
            launcher.read("err", launcher.process.getErrorStream(), line -> onError(line, listener), cut -> listener.err(cut + "\n"));
            return launcher;
        } catch (IOException e) {
            throw new JobFailure("a launcher cannot be started: " + Causes.text(e), e);
        }
    }

    private static void onError(String line, Listener listener) {
        if (!JobStatusReport.isOne(line)) {
            listener.err(line);
            return;
        }
        try {
            listener.told(JobStatusReport.parse(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a launcher told \"" + line + "\" of its job", e);
        }
    }

    private void read(String stream, InputStream from, Consumer<String> line, Consumer<String> cut) {
        readers.add(Thread.ofPlatform().daemon().name("posthouse-launcher-" + stream).start(() -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (InputStream in = new BufferedInputStream(from)) {
                for (int next = in.read(); next >= 0; next = in.read()) {
                    bytes.write(next);
                    if (next == '\n') {
                        line.accept(bytes.toString(StandardCharsets.UTF_8));
                        bytes.reset();
                    }
                }
            } catch (IOException e) {
                bytes.writeBytes(("(" + stream + " of the launcher ended: " + Causes.text(e) + ")").getBytes(StandardCharsets.UTF_8));
            }
            if (bytes.size() > 0) {
                cut.accept(bytes.toString(StandardCharsets.UTF_8));
            }
        }));
    }

    /** kill -9 of the launcher alone. @return whether it was alive, as far as is known before {@link #wasKilled} */
    public boolean strike() {
        boolean alive = process.isAlive();
        process.destroyForcibly();
        return alive;
    }

    /** Waits until it has ended and everything that it had said was heard. @return its exit status */
    public int await() throws InterruptedException {
        int status = process.waitFor();
        for (Thread reader : readers) {
            reader.join();
        }
        try {
            words.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the file of a launcher's long command cannot be removed", e);
        }
        return status;
    }

    /** Whether it ended by a kill, and not by itself just before. */
    public boolean wasKilled() {
        return process.exitValue() == STATUS_KILLED;
    }

    /** kill -9 of a process that it has started. @return whether there was one to kill */
    public boolean strikeChild(long pid) {
        return ProcessHandle.of(pid)
                .filter(child -> child.parent().filter(process.toHandle()::equals).isPresent())
                .map(ProcessHandle::destroyForcibly)
                .orElse(false);
    }
}
