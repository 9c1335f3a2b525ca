package org.posthouse.launch;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.RankMain;
import org.posthouse.wire.Token;

/** One rank's process. It lives no longer than this JVM: it watches its standard input, whose other end is held here. */
final class RankProcess {
    /** Small heaps and few threads: many ranks share a host, and none of them writes files of its own. */
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-XX:-UsePerfData");

    private final int rank;
    private final Process process;
    private final OutputPump out;
    private final OutputPump err;

    private RankProcess(int rank, Process process, RankOutput output) {
        this.rank = rank;
        this.process = process;
        this.out = output.pumpOut(rank, process.getInputStream());
        this.err = output.pumpErr(rank, process.getErrorStream());
    }

    /** Starts the process; it connects to {@code relay} when the program calls Init. */
    static RankProcess start(JobSpec spec, long job, Token token, int rank, String relay, RankOutput output)
            throws JobFailure {
        ProcessBuilder builder = new ProcessBuilder(command(spec));
        Map<String, String> environment = builder.environment();
        environment.putAll(spec.environment());
        environment.put(Endpoints.RELAY, relay);
        environment.put(Endpoints.JOB, String.format("%016x", job));
        environment.put(Endpoints.RANK, Integer.toString(rank));
        environment.put(Endpoints.TOKEN, token.hex());
        try {
            return new RankProcess(rank, builder.start(), output);
        } catch (IOException e) {
            throw new JobFailure("rank " + rank + " cannot be started: " + e.getMessage(), e);
        }
    }

    private static List<String> command(JobSpec spec) {
        // The library first: a start cache is good only for class paths that begin with its own.
        Set<Path> classPath = new LinkedHashSet<>(List.of(Installation.jarOf(RankMain.class)));
        classPath.addAll(spec.classPath());
        List<String> command = new ArrayList<>();
        command.add(Installation.java().toString());
        command.addAll(FLAGS);
        command.addAll(RankMain.JVM_FLAGS);
        command.addAll(StartCache.rankFlags(spec));
        command.addAll(spec.jvmFlags());
        command.add("-cp");
        command.add(classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        command.add(RankMain.class.getName());
        command.add(spec.mainClass());
        command.addAll(spec.arguments());
        return command;
    }

    int rank() {
        return rank;
    }

    /** Waits for the process and for the last byte of its output. @return its exit status; 128 + n after signal n */
    int await() throws InterruptedException {
        int status = process.waitFor();
        out.await();
        err.await();
        return status;
    }

    boolean awaitExit(long timeoutMs) throws InterruptedException {
        return process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** Ends the process, and what it may have started, at once. */
    void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
