package org.posthouse.launch.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.posthouse.causes.Causes;
import org.posthouse.launch.folder.JobInput;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.install.ArgumentFile;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.StartCache;
import org.posthouse.launch.install.UserFlags;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.output.OutputPump;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.RankMain;

/**
 * One process of a rank, which may have several in succession. It lives no longer than this JVM: it watches its
 * standard input, whose other end is held here.
 */
public final class RankProcess implements StoppedRanks.Watched {
    /** Many ranks share a host: none of them writes files of its own. */
    private static final String NO_FILES = "-XX:-UsePerfData";

    /** Small heaps and few threads, for the same reason. */
    private static final String COLLECTOR = "-XX:+UseSerialGC";

    /** The user's collector takes its place: a JVM with two does not start. */
    private static final Pattern ANY_COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC");

    /** A program that copies another's output, or this one's, must not set its marks. */
    private static final SecureRandom SECRETS = new SecureRandom();

    private final int rank;
    private final int incarnation;
    private final String job;
    private final Process process;
    private final OutputPump out;
    private final OutputPump err;

    private RankProcess(int rank, int incarnation, String job, Process process, OutputPump out, OutputPump err) {
        this.rank = rank;
        this.incarnation = incarnation;
        this.job = job;
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Starts the process; it connects to its relay when the program calls Init.
     *
     * @param command of {@link #command}, shortened perhaps
     * @param input the ranks' input; null if none reads anything
     * @param incarnation 1 + how often the rank was started before
     * @param tapes what the rank has printed before; null in a job whose ranks are started once
     * @param folder where it is started, with the job's environment alone; null: in
     *     this process's folder, with its environment too
     */
    static RankProcess start(
            JobSpec spec,
            List<String> command,
            long job,
            RelayEndpointAddress way,
            int rank,
            int incarnation,
            RankOutput output,
            OutputJournals tapes,
            JobInput input,
            Path folder)
            throws JobFailure {
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        if (folder != null) {
            builder.directory(folder.toFile());
            environment.clear();
        }
        environment.putAll(spec.environment());
        environment.put(Endpoints.RELAY, way.address());
        String hexJob = String.format("%016x", job);
        environment.put(Endpoints.JOB, hexJob);
        environment.put(Endpoints.RANK, Integer.toString(rank));
        environment.put(Endpoints.TOKEN, way.token().hex());
        environment.put(Endpoints.INCARNATION, Integer.toString(incarnation));
        environment.remove(Endpoints.DIRECT); // Of another job, if this is started by a rank of one.
        if (way.direct()) {
            environment.put(Endpoints.DIRECT, "yes");
        }
        long secret = SECRETS.nextLong();
        boolean hasInput = input != null && spec.streams().hasInput(rank);
        sayWhatIsKept(environment, spec.isRestartable(), tapes == null ? null : HexFormat.of().toHexDigits(secret));
        if (hasInput) {
            environment.put(Endpoints.INPUT, "yes");
        }
        try {
            Process process = builder.start();
            if (hasInput) {
                input.feed(rank, process.getOutputStream());
            }
            OutputPump out = output.pumpOut(rank, process.getInputStream(), tapes == null ? null : tapes.out(rank), incarnation, secret);
            OutputPump err = output.pumpErr(rank, process.getErrorStream(), tapes == null ? null : tapes.err(rank), incarnation, secret);
            return new RankProcess(rank, incarnation, hexJob, process, out, err);
        } catch (IOException | OutOfMemoryError e) {
            // One that no thread can wait for, or read, was started all the same.
            LeftProcesses.end(hexJob, rank);
            throw new JobFailure("rank " + rank + " cannot be started: " + Causes.text(e), e);
        }
    }

    /**
     * Sets variables of this job alone: the launcher may itself be a rank of another job.
     *
     * @param marks the secret of the marks in its output; null if nothing reads them
     */
    static void sayWhatIsKept(Map<String, String> environment, boolean isRestartable, String marks) {
        environment.keySet().removeAll(List.of(Endpoints.RESTARTABLE, Endpoints.PRINT_MARKS, Endpoints.INPUT));
        if (isRestartable) {
            environment.put(Endpoints.RESTARTABLE, "yes");
        }
        if (marks != null) {
            environment.put(Endpoints.PRINT_MARKS, marks);
        }
    }

    /** The command, with a file for the class path, the main class and its arguments when they are long. */
    static ArgumentFile shortCommand(JobSpec spec) throws IOException {
        List<String> command = command(spec);
        return ArgumentFile.of(command, command.size() - spec.arguments().size() - 4);
    }

    static List<String> command(JobSpec spec) {
        // The library first: a start cache is good only for class paths that begin with its own.
        Set<Path> classPath = new LinkedHashSet<>(List.of(Installation.jarOf(RankMain.class)));
        classPath.addAll(spec.classPath());
        List<String> command = new ArrayList<>();
        command.add(Installation.rankJava(spec.environment()).toString());
        command.add(NO_FILES);
        if (!UserFlags.of(spec.jvmFlags(), spec.environment()).mayHave(ANY_COLLECTOR)) {
            command.add(COLLECTOR);
        }
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

    @Override
    public int rank() {
        return rank;
    }

    /** The number of this process among those of its rank. */
    public int incarnation() {
        return incarnation;
    }

    /** Waits for the process. @return its exit status; 128 + n after signal n */
    int await() throws InterruptedException {
        return process.waitFor();
    }

    /** Waits, once the process has ended, until all that it has printed was passed on. */
    void awaitOutput() throws InterruptedException {
        out.await();
        err.await();
    }

    boolean awaitExit(long timeoutMs) throws InterruptedException {
        return process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** Ends what the process has started and left behind when it ended; another is to take its place. */
    void endStragglers() {
        LeftProcesses.end(job, rank);
    }

    /** No other process takes its place: shows what was held back of its output. @param well whether it ended as it should */
    void finishOutput(boolean well) {
        out.finish(well);
        err.finish(well);
    }

    @Override
    public long pid() {
        return process.pid();
    }

    /** kill -9 of the process alone, as an accident. @return whether there was one to kill */
    @Override
    public boolean strike() {
        boolean alive = process.isAlive();
        destroy();
        return alive;
    }

    /** Ends the process, and what it may have started, at once. */
    void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        destroy();
    }

    /** By its handle: {@link Process#destroyForcibly} closes the streams, too, with what is in them. */
    private void destroy() {
        process.toHandle().destroyForcibly();
    }
}
