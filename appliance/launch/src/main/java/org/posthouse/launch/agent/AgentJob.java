package org.posthouse.launch.agent;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.process.LeftProcesses;
import org.posthouse.launch.process.LocalProcesses;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.ProcessStarter;
import org.posthouse.launch.process.RelayEndpointAddress;
import org.posthouse.mpj.Endpoints;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.StartAssembly;
import org.posthouse.wire.StartSpec;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * One job's share of an agent: its key, its processes and its launcher's connection. Confined to the agent's thread.
 *
 * <p>Output is kept until the launcher has taken it, so that neither a broken connection nor another launcher loses any.
 */
final class AgentJob {
    /** Sends messages to the job's launcher. */
    interface Mail {
        /** @param launcher the number of the launcher's connection */
        void send(long job, long launcher, AgentMessage message);
    }

    /** Most bytes of output in one message. */
    private static final int OUTPUT_BYTES_MAX = 32 * 1024;

    /** Nobody is connected for the job. */
    static final long NO_LAUNCHER = 0;

    private final String agent;
    private final long job;
    private final Token key;
    private final Mail mail;
    private final Executor thread;
    private final NodeFiles files;

    /** host:port of the agent's relay. */
    private final String ownRelay;

    private final boolean isDirect;
    private final Map<ProcessKey, StartAssembly> starting = new HashMap<>();
    /** Changed by the agent's thread, read by the one that watches stopped processes too. */
    private final Map<ProcessKey, AgentRank> ranks = new ConcurrentSkipListMap<>();

    private final List<ProcessStarter> starters = new ArrayList<>();
    private ProcessStarter.StopWatch stopWatch;
    private long launcher = NO_LAUNCHER;

    /** How long its processes are kept without a launcher, in seconds. */
    private int launcherSeconds;
    private boolean hasBegun;

    /** Since when it has no launcher, if it has none. */
    private long goneNs;

    private boolean isOver;

    /**
     * @param agent the agent's number in hex digits
     * @param thread runs tasks in the agent's thread
     */
    AgentJob(String agent, long job, Token key, Mail mail, Executor thread, NodeFiles files, String ownRelay, boolean isDirect) {
        this.agent = agent;
        this.job = job;
        this.key = key;
        this.mail = mail;
        this.thread = thread;
        this.files = files;
        this.ownRelay = ownRelay;
        this.isDirect = isDirect;
    }

    long id() {
        return job;
    }

    Token key() {
        return key;
    }

    /** The number of the launcher's connection; {@link #NO_LAUNCHER} if there is none. */
    long launcher() {
        return launcher;
    }

    void launcher(long number) {
        launcher = number;
    }

    /** The launcher's connection has ended; another may come. */
    void launcherGone(long nowNs) {
        if (launcher != NO_LAUNCHER) {
            launcher = NO_LAUNCHER;
            goneNs = nowNs;
        }
    }

    /** Whether a launcher is connected for it, as far as is known. */
    boolean hasLauncher() {
        return launcher != NO_LAUNCHER;
    }

    /** Whether it has had no launcher for longer than its processes are kept. */
    boolean isAbandoned(long nowNs) {
        return launcher == NO_LAUNCHER && nowNs - goneNs >= TimeUnit.SECONDS.toNanos(launcherSeconds);
    }

    int launcherSeconds() {
        return launcherSeconds;
    }

    void confirmed(int seconds) {
        launcherSeconds = seconds;
    }

    private void send(AgentMessage message) {
        if (launcher != NO_LAUNCHER) {
            mail.send(job, launcher, message);
        }
    }

    /** Handles a message of the job's launcher, which has shown the key. */
    void on(AgentMessage message) throws WireException {
        if (message instanceof AgentMessage.Start m) {
            start(m);
        } else if (message instanceof AgentMessage.Signal m) {
            AgentRank rank = ranks.get(new ProcessKey(m.rank(), m.incarnation()));
            if (rank != null) {
                rank.kill(m.target() == AgentMessage.Target.KILL_TREE);
            }
        } else if (message instanceof AgentMessage.OutputTaken m) {
            taken(m);
        } else if (message instanceof AgentMessage.Input m) {
            input(m);
        } else if (message instanceof AgentMessage.ExitSeen m) {
            exitSeen(new ProcessKey(m.rank(), m.incarnation()));
        }
    }

    /**
     * The launcher has a new connection, or is another: tells what there is, and sends again what was not taken.
     *
     * @param slots of the job on this node
     */
    void attach(int slots) {
        List<AgentMessage.AttachedProcess> present = new ArrayList<>();
        ranks.forEach((process, rank) -> present.add(new AgentMessage.AttachedProcess(
                process.rank(), process.incarnation(), rank.status() == null ? AgentMessage.ProcessState.RUNNING : AgentMessage.ProcessState.ENDED,
                rank.status() == null ? 0 : rank.status(), rank.window(AgentRank.OUT).taken(), rank.window(AgentRank.ERR).taken())));
        int max = AgentMessage.Attached.PROCESSES_MAX;
        for (int at = 0; at == 0 || at < present.size(); at += max) {
            int end = Math.min(present.size(), at + max);
            send(new AgentMessage.Attached(slots, end < present.size(), present.subList(at, end)));
        }
        ranks.forEach((process, rank) -> {
            rank.resend();
            send(new AgentMessage.Started(process.rank(), process.incarnation(), rank.pid(), ""));
            if (rank.hasInput()) {
                send(new AgentMessage.InputTaken(process.rank(), process.incarnation(), rank.inputTaken()));
            }
            flush(process, rank);
        });
    }

    /** Whether its launcher has started a process here. The relay has the job from before that on. */
    boolean hasBegun() {
        return hasBegun;
    }

    private void start(AgentMessage.Start part) throws WireException {
        hasBegun = true;
        ProcessKey process = new ProcessKey(part.rank(), part.incarnation());
        AgentRank present = ranks.get(process);
        if (present != null) {
            send(new AgentMessage.Started(process.rank(), process.incarnation(), present.pid(), ""));
            return;
        }
        StartAssembly assembly = starting.computeIfAbsent(process, it -> new StartAssembly());
        StartSpec spec = assembly.add(part).orElse(null);
        if (spec == null) {
            return;
        }
        starting.remove(process);
        files.stage(process.rank(), spec, staged -> start(process, spec, staged), why -> notStarted(process, why));
    }

    private void notStarted(ProcessKey process, String why) {
        send(new AgentMessage.Started(process.rank(), process.incarnation(), 0, why));
    }

    /** All its files are there. */
    private void start(ProcessKey process, StartSpec spec, NodeFiles.Staged staged) {
        if (isOver || ranks.containsKey(process)) {
            return;
        }
        try {
            Path folder = workFolder(process, spec, staged.own());
            LocalProcesses starter = LocalProcesses.ofAgent(agent, jobSpec(spec, staged.classPath()), job, folder);
            starters.add(starter);
            RelayEndpointAddress way = spec.relay().isEmpty()
                    ? new RelayEndpointAddress(ownRelay, spec.token(), isDirect)
                    : new RelayEndpointAddress(spec.relay(), spec.token(), false);
            String marks = spec.marksSecret().isEmpty() ? null : spec.marksSecret();
            ProcessRequest request = new ProcessRequest(
                    process.rank(), process.incarnation(), way, marks, spec.hasInput(), spec.environment().containsKey(Endpoints.FOLLOWER));
            boolean mayBeReplaced = spec.restartable() || spec.environment().containsKey(Endpoints.REBUILD_RANKS);
            AgentRank rank = new AgentRank(request, starter.start(request), mayBeReplaced, new AgentRank.Listener() {
                @Override
                public void onOutput() {
                    thread.execute(() -> flush(process));
                }

                @Override
                public void onInputTaken(long position) {
                    thread.execute(() -> inputTaken(process, position));
                }

                @Override
                public void onExit(int status) {
                    thread.execute(() -> exited(process, status));
                }
            });
            ranks.put(process, rank);
            limitStops(starter, spec.silenceSeconds());
            send(new AgentMessage.Started(process.rank(), process.incarnation(), rank.pid(), ""));
        } catch (JobFailure e) {
            notStarted(process, Causes.text(e));
        }
    }

    private static Path workFolder(ProcessKey process, StartSpec spec, Path own) throws JobFailure {
        if (spec.workFolder().isEmpty()) {
            return own;
        }
        Path asked = Path.of(spec.workFolder());
        if (!Files.isDirectory(asked)) {
            throw new JobFailure("rank " + process.rank() + " cannot be started: its working folder " + asked + " (--wdir) does not exist on this node");
        }
        return asked;
    }

    private JobSpec jobSpec(StartSpec spec, List<Path> classPath) {
        return new JobSpec(
                HexFormat.of().toHexDigits(job), 1, classPath, spec.mainClass(), spec.arguments(), spec.jvmFlags(), spec.environment(), spec.restartable(),
                spec.restartable() ? RestartPolicy.DEFAULT : RestartPolicy.NONE);
    }

    private void limitStops(ProcessStarter starter, int seconds) {
        if (stopWatch == null && seconds > 0) {
            stopWatch = starter.limitStops(this::watched, seconds, line -> thread.execute(() -> send(new AgentMessage.Note(line))));
        }
    }

    /** Called by the thread that watches stopped processes. */
    private List<AgentRank> watched() {
        return List.copyOf(ranks.values());
    }

    private void taken(AgentMessage.OutputTaken m) {
        ProcessKey process = new ProcessKey(m.rank(), m.incarnation());
        AgentRank rank = ranks.get(process);
        if (rank != null) {
            rank.window(m.stream()).taken(m.upTo());
            flush(process, rank);
        }
    }

    private void input(AgentMessage.Input m) {
        AgentRank rank = ranks.get(new ProcessKey(m.rank(), m.incarnation()));
        if (rank != null) {
            byte[] bytes = new byte[m.bytes().remaining()];
            m.bytes().duplicate().get(bytes);
            rank.input(m.position(), m.end(), bytes);
        }
    }

    private void inputTaken(ProcessKey process, long position) {
        AgentRank rank = ranks.get(process);
        if (rank != null) {
            rank.inputTaken(position);
            send(new AgentMessage.InputTaken(process.rank(), process.incarnation(), position));
        }
    }

    private void exited(ProcessKey process, int status) {
        AgentRank rank = ranks.get(process);
        if (rank != null) {
            rank.exited(status);
            flush(process, rank);
        }
    }

    private void flush(ProcessKey process) {
        AgentRank rank = ranks.get(process);
        if (rank != null) {
            flush(process, rank);
        }
    }

    /** Sends output that was not sent, and the exit behind all of it. */
    private void flush(ProcessKey process, AgentRank rank) {
        if (launcher == NO_LAUNCHER) {
            return;
        }
        for (int stream : new int[] {AgentRank.OUT, AgentRank.ERR}) {
            OutputWindow window = rank.window(stream);
            long position = window.sent();
            for (byte[] bytes = window.next(OUTPUT_BYTES_MAX); bytes.length > 0; bytes = window.next(OUTPUT_BYTES_MAX)) {
                send(new AgentMessage.Output(process.rank(), process.incarnation(), stream, position, ByteBuffer.wrap(bytes)));
                position += bytes.length;
            }
        }
        if (rank.takeExit()) {
            send(new AgentMessage.Exited(process.rank(), process.incarnation(), rank.status()));
        }
    }

    private void exitSeen(ProcessKey process) {
        AgentRank rank = ranks.get(process);
        if (rank != null && rank.status() != null) {
            ranks.remove(process);
        }
    }

    /** Number of processes that have not ended. */
    int running() {
        return (int) ranks.values().stream().filter(rank -> rank.status() == null).count();
    }

    /** Kills everything of the job on this node, and removes its folder. */
    void end() {
        isOver = true;
        if (stopWatch != null) {
            stopWatch.close();
        }
        ranks.values().forEach(rank -> {
            rank.abandon();
            rank.kill(true);
        });
        ranks.clear();
        LeftProcesses.kill(HexFormat.of().toHexDigits(job), agent);
        for (ProcessStarter starter : starters) {
            try {
                starter.close();
            } catch (JobFailure e) {
                System.err.println("posthouse: " + e.getMessage());
            }
        }
        files.close();
    }
}
