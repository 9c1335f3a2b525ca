package org.posthouse.launch.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.posthouse.causes.Causes;
import org.posthouse.launch.install.ArgumentFile;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.StartCache;
import org.posthouse.launch.install.UserFlags;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.RankMain;

/** Starts processes of one job's ranks on this host. Confined to one thread. */
public final class LocalProcesses implements ProcessStarter {
    /** Many ranks share a host: none of them writes files of its own. */
    private static final String NO_FILES = "-XX:-UsePerfData";

    /** Small heaps and few threads, for the same reason. */
    private static final String COLLECTOR = "-XX:+UseSerialGC";

    /** The user's collector takes its place: a JVM with two does not start. */
    private static final Pattern ANY_COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC");

    /** Between two looks at which processes a signal has stopped. */
    private static final long STOPPED_PAUSE_MS = 1_000;

    private final JobSpec spec;
    private final String job;
    private final Path folder;

    /** Whether the processes have the environment of this process too. */
    private final boolean inherits;

    /** The number of the agent that this process is, in hex digits; null if it is a launcher. */
    private final String agent;

    /** Null before the first process is started. */
    private ArgumentFile command;

    /**
     * @param folder where the processes are started, with the environment of the job and nothing else; null: where and
     *     with what this process was
     */
    public LocalProcesses(JobSpec spec, long job, Path folder) {
        this(spec, job, folder, folder == null, null);
    }

    private LocalProcesses(JobSpec spec, long job, Path folder, boolean inherits, String agent) {
        this.spec = spec;
        this.job = HexFormat.of().toHexDigits(job);
        this.folder = folder;
        this.inherits = inherits;
        this.agent = agent;
    }

    /** Processes of an agent: in {@code folder}, with the environment of this process and of the job. */
    public static LocalProcesses ofAgent(String agent, JobSpec spec, long job, Path folder) {
        return new LocalProcesses(spec, job, folder, true, agent);
    }

    @Override
    public StartedProcess start(ProcessRequest request) throws JobFailure {
        ProcessBuilder builder = new ProcessBuilder(command());
        Map<String, String> environment = builder.environment();
        if (folder != null) {
            builder.directory(folder.toFile());
        }
        if (!inherits) {
            environment.clear();
        }
        describe(request, environment);
        try {
            return new LocalProcess(request.rank(), request.incarnation(), job, agent, builder.start());
        } catch (IOException | OutOfMemoryError e) {
            // One that no thread can wait for was started all the same.
            LeftProcesses.end(job, request.rank(), request.incarnation(), agent);
            throw new JobFailure("rank " + request.rank() + " cannot be started: " + Causes.text(e), e);
        }
    }

    private void describe(ProcessRequest request, Map<String, String> environment) {
        environment.keySet().removeAll(JobVariables.NAMES);
        environment.putAll(spec.environment());
        environment.putAll(JobVariables.of(spec));
        environment.put(Endpoints.RELAY, request.way().address());
        environment.put(Endpoints.JOB, job);
        environment.put(Endpoints.RANK, Integer.toString(request.rank()));
        environment.put(Endpoints.TOKEN, request.way().token().hex());
        environment.put(Endpoints.INCARNATION, Integer.toString(request.incarnation()));
        environment.remove(LeftProcesses.AGENT);
        if (agent != null) {
            environment.put(LeftProcesses.AGENT, agent);
        }
        environment.remove(Endpoints.DIRECT); // Of another job, if this is started by a rank of one.
        if (request.way().direct()) {
            environment.put(Endpoints.DIRECT, "yes");
        }
        environment.remove(Endpoints.FOLLOWER);
        if (request.follows()) {
            environment.put(Endpoints.FOLLOWER, "1");
        }
        sayWhatIsKept(environment, spec.goesOn(), request.marks());
        if (request.hasInput()) {
            environment.put(Endpoints.INPUT, "yes");
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

    /** With a file for the class path, the main class and its arguments when they are long. */
    private List<String> command() throws JobFailure {
        try {
            if (command == null) {
                List<String> words = command(spec);
                command = ArgumentFile.of(words, words.size() - spec.arguments().size() - 4);
            }
            return command.command();
        } catch (IOException e) {
            throw new JobFailure("the command that starts ranks is too long, and cannot be written to a file: " + Causes.text(e), e);
        }
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

    /** They end with the launcher that has started them. */
    @Override
    public Optional<StartedProcess> adopt(ProcessRequest request) {
        return Optional.empty();
    }

    @Override
    public StopWatch limitStops(Supplier<List<? extends StoppedRanks.Watched>> processes, int seconds, Consumer<String> tell) {
        return StoppedRanks.watch(processes, seconds, STOPPED_PAUSE_MS, tell);
    }

    @Override
    public void close() throws JobFailure {
        try {
            if (command != null) {
                command.close();
            }
        } catch (IOException e) {
            throw new JobFailure("the file of a long command cannot be removed: " + Causes.text(e), e);
        }
    }
}
