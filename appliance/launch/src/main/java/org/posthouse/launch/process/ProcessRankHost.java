package org.posthouse.launch.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.posthouse.launch.folder.JobInput;
import org.posthouse.launch.folder.JobRecords;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.supervise.JobThread;
import org.posthouse.launch.supervise.RankHost;
import org.posthouse.wire.Token;

/**
 * Runs the processes of a job's ranks where its {@link ProcessStarter} starts them. Confined to the job's thread, except
 * what {@link RankHost} allows to any thread.
 */
public final class ProcessRankHost implements RankHost {
    /** Finds the way of a rank's process to its home relay. */
    public interface RankRoute {
        /** @param incarnation the number of the process among those of its rank, from 1 */
        RelayEndpointAddress of(int rank, int incarnation);
    }

    private final JobThread thread = new JobThread();
    private final JobSpec spec;
    private final Token job;
    private final ProcessStarter starter;
    private final RankRoute wayOf;
    private final RankOutput output;
    private final Consumer<JobSignal> signals;
    private final JobRecords records;
    /** Null in a job whose ranks are started once. */
    private final OutputJournals tapes;
    /** Null if no rank reads anything. */
    private final JobInput input;

    /** Guarded by itself; null for a rank that was never started. */
    private final RankProcess[] present;

    /** The processes that follow and have not ended. Guarded by {@link #present}. */
    private final List<RankProcess> followers = new ArrayList<>();

    /** All processes that have not ended, those that led before a follower did among them. Guarded by {@link #present}. */
    private final List<RankProcess> living = new ArrayList<>();

    /** Complete restarts that were not taken yet. */
    private final Queue<Restart> restarts = new ConcurrentLinkedQueue<>();

    /** Guarded by {@link #present}. */
    private boolean killed;

    /** Guarded by {@link #present}; null unless stopped processes are killed. */
    private ProcessStarter.StopWatch stopWatch;

    /**
     * @param starter starts the processes; closed with this
     * @param job the job's token
     * @param wayOf the way of a rank's process to its home relay
     * @param tapes what the ranks have printed; null in a job whose ranks are started once
     * @param input the ranks' input; null if none reads anything
     * @param records records each start before it
     * @param signals hears of every process's end
     */
    public ProcessRankHost(
            JobSpec spec,
            Token job,
            ProcessStarter starter,
            RankRoute wayOf,
            RankOutput output,
            OutputJournals tapes,
            JobInput input,
            JobRecords records,
            Consumer<JobSignal> signals) {
        this.spec = spec;
        this.job = job;
        this.starter = starter;
        this.wayOf = wayOf;
        this.output = output;
        this.signals = signals;
        this.tapes = tapes;
        this.input = input;
        this.records = records;
        this.present = new RankProcess[spec.ranks()];
    }

    @Override
    public boolean start(int rank, int incarnation) throws JobFailure {
        assert thread.isCurrent();
        RelayEndpointAddress way = wayOf.of(rank, incarnation);
        synchronized (present) {
            if (killed) {
                return false;
            }
            records.starts(rank, incarnation);
            present[rank] = watch(start(request(rank, incarnation, way, false)));
            return true;
        }
    }

    private RankProcess start(ProcessRequest request) throws JobFailure {
        return RankProcess.start(starter, request, output, tapes, inputOf(request.rank()), keeper());
    }

    @Override
    public boolean follow(int rank, int process) throws JobFailure {
        assert thread.isCurrent();
        RelayEndpointAddress way = wayOf.of(rank, process);
        synchronized (present) {
            if (!killed) {
                followers.add(watch(start(request(rank, process, way, true))));
            }
            return !killed;
        }
    }

    @Override
    public boolean lead(int rank, int process) {
        assert thread.isCurrent();
        synchronized (present) {
            RankProcess follower = follower(rank, process);
            if (follower != null) {
                followers.remove(follower);
                present[rank].kill();
                present[rank] = follower;
                follower.lead();
            }
            return follower != null;
        }
    }

    /** Null if it does not follow, or has ended: one that has ended well, once its leader has printed as much. */
    private RankProcess follower(int rank, int process) {
        return followers.stream().filter(one -> one.rank() == rank && one.incarnation() == process).findFirst().orElse(null);
    }

    /** The processes that follow a rank, and their nodes. Any thread may ask. */
    public List<FollowerNode> followers(int rank) {
        synchronized (present) {
            return followers.stream().filter(one -> one.rank() == rank).map(one -> new FollowerNode(rank, one.incarnation(), one.node())).toList();
        }
    }

    @Override
    public void endFollower(int rank, int process) {
        RankProcess follower;
        synchronized (present) {
            follower = follower(rank, process);
        }
        if (follower != null) {
            follower.kill();
            follower.dropOutput(); // A node reports its end behind its output.
        }
    }

    @Override
    public String whereFollower(int rank, int process) {
        synchronized (present) {
            RankProcess follower = follower(rank, process);
            return follower == null ? "" : follower.where();
        }
    }

    @Override
    public boolean adopt(int rank, int incarnation) {
        assert thread.isCurrent();
        ProcessRequest request = request(rank, incarnation, wayOf.of(rank, incarnation), false);
        synchronized (present) {
            Optional<StartedProcess> process = killed ? Optional.empty() : starter.adopt(request);
            process.ifPresent(it -> {
                records.continues(rank, incarnation);
                present[rank] = watch(RankProcess.of(it, request, output, tapes, inputOf(rank), keeper()));
            });
            return process.isPresent();
        }
    }

    /** Called under the monitor of {@link #present}. */
    private RankProcess watch(RankProcess process) {
        living.add(process);
        Thread.ofVirtual().name("posthouse-rank-" + process.rank()).start(() -> awaitExit(process));
        return process;
    }

    private ProcessRequest request(int rank, int incarnation, RelayEndpointAddress way, boolean follows) {
        return new ProcessRequest(
                rank, incarnation, way, tapes == null ? null : marks(rank, incarnation), spec.streams().hasInput(rank), follows);
    }

    /**
     * The secret of a process's marks, which every launcher of the job finds. A program that copies another's output, or
     * this one's, must not set its marks.
     */
    private String marks(int rank, int incarnation) {
        return HexFormat.of().toHexDigits(job.ofRelay("output marks " + incarnation).ofRank(rank).high());
    }

    private JobInput inputOf(int rank) {
        return spec.streams().hasInput(rank) ? input : null;
    }

    /** Hears how far output is kept, if another launcher may ask; else null. */
    private Consumer<JobSignal> keeper() {
        return records.areForOthers() ? signals : null;
    }

    @Override
    public void kept(JobSignal.OutputKept kept) {
        assert thread.isCurrent();
        RankProcess process;
        synchronized (present) {
            process = present[kept.rank()];
        }
        if (process != null && process.incarnation() == kept.incarnation()) {
            process.kept(kept.isErr(), kept.upTo());
        }
    }

    @Override
    public long pid(int rank) {
        synchronized (present) {
            return present[rank].pid();
        }
    }

    @Override
    public String node(int rank) {
        synchronized (present) {
            return present[rank] == null ? "" : present[rank].node();
        }
    }

    @Override
    public void caughtUp(Restart restart) {
        restarts.add(restart);
    }

    /** Takes the oldest restart that is complete and was not taken yet; null if there is none. Any thread may call it. */
    public Restart nextRestart() {
        return restarts.poll();
    }

    @Override
    public String where(int rank) {
        synchronized (present) {
            return present[rank] == null ? "" : present[rank].where();
        }
    }

    private void awaitExit(RankProcess process) {
        try {
            int status = process.await();
            long endedNs = System.nanoTime();
            if ((tapes != null || spec.rebuilds()) && status != 0) {
                process.endStragglers();
            }
            if (status == 0 && isFollower(process)) {
                process.awaitFollowedOutput(); // Its leader may be killed before it has printed as much; this one leads then.
            }
            String where;
            synchronized (present) {
                living.remove(process);
                boolean follows = followers.remove(process); // It cannot lead any more, and its output is dropped.
                where = follows ? process.where() : "";
            }
            process.awaitOutput();
            signals.accept(new JobSignal.Exited(process.rank(), process.incarnation(), status, endedNs, where, process.words()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isFollower(RankProcess process) {
        synchronized (present) {
            return followers.contains(process);
        }
    }

    @Override
    public List<JobStatusReport.RankRun> present() {
        return leaders().map(process -> new JobStatusReport.RankRun(process.rank(), process.incarnation(), process.pid())).toList();
    }

    private Stream<RankProcess> leaders() {
        synchronized (present) {
            return Arrays.stream(present.clone()).filter(Objects::nonNull);
        }
    }

    private Stream<RankProcess> all() {
        synchronized (present) {
            return Stream.concat(leaders(), List.copyOf(followers).stream());
        }
    }

    private List<RankProcess> living() {
        synchronized (present) {
            return List.copyOf(living);
        }
    }

    @Override
    public void finishOutput(int rank, boolean well) {
        assert thread.isCurrent();
        RankProcess process;
        synchronized (present) {
            process = present[rank];
        }
        if (process != null) {
            process.finishOutput(well);
        }
    }

    @Override
    public void limitStops(int seconds) {
        assert thread.isCurrent();
        synchronized (present) {
            if (!killed) {
                stopWatch = starter.limitStops(() -> all().toList(), seconds, output::tell);
            }
        }
    }

    @Override
    public void awaitExits(long timeoutMs) throws InterruptedException {
        assert thread.isCurrent();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (RankProcess process : living()) {
            process.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
    }

    @Override
    public void awaitOutput() throws InterruptedException {
        assert thread.isCurrent();
        for (RankProcess process : leaders().toList()) {
            process.awaitOutput();
        }
    }

    @Override
    public void kill(IntPredicate whose) {
        all().filter(process -> whose.test(process.rank())).forEach(RankProcess::kill);
    }

    @Override
    public int strike(int rank) {
        synchronized (present) {
            RankProcess process = present[rank];
            return process != null && process.strike() ? process.incarnation() : 0;
        }
    }

    /** kill -9 of a process that follows the rank, as an accident. Any thread may call it. @return its number; 0 if none follows */
    public int strikeFollower(int rank) {
        synchronized (present) {
            for (RankProcess follower : followers) {
                if (follower.rank() == rank && follower.strike()) {
                    return follower.incarnation();
                }
            }
            return 0;
        }
    }

    @Override
    public void kill() {
        synchronized (present) {
            killed = true;
            if (stopWatch != null) {
                stopWatch.close();
            }
            followers.forEach(RankProcess::dropOutput); // They wait for nobody.
        }
        kill(rank -> true);
    }

    @Override
    public void close() {
        assert thread.isCurrent();
        if (input != null) {
            input.close();
        }
        try {
            starter.close();
        } catch (JobFailure e) {
            output.tell(e.getMessage());
        }
    }
}
