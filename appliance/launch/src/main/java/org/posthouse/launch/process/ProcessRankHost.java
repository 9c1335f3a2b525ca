package org.posthouse.launch.process;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
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
    private final JobThread thread = new JobThread();
    private final JobSpec spec;
    private final Token job;
    private final ProcessStarter starter;
    private final IntFunction<RelayEndpointAddress> wayOf;
    private final RankOutput output;
    private final Consumer<JobSignal> signals;
    private final JobRecords records;
    /** Null in a job whose ranks are started once. */
    private final OutputJournals tapes;
    /** Null if no rank reads anything. */
    private final JobInput input;

    /** Guarded by itself; null for a rank that was never started. */
    private final RankProcess[] present;

    /** Complete restarts that were not taken yet. */
    private final Queue<Restart> restarts = new ConcurrentLinkedQueue<>();

    /** Guarded by {@link #present}. */
    private boolean killed;

    /** Guarded by {@link #present}; null unless stopped processes are killed. */
    private ProcessStarter.StopWatch stopWatch;

    /**
     * @param starter starts the processes; closed with this
     * @param job the job's token
     * @param wayOf the way of a rank to its home relay
     * @param tapes what the ranks have printed; null in a job whose ranks are started once
     * @param input the ranks' input; null if none reads anything
     * @param records records each start before it
     * @param signals hears of every process's end
     */
    public ProcessRankHost(
            JobSpec spec,
            Token job,
            ProcessStarter starter,
            IntFunction<RelayEndpointAddress> wayOf,
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
        RelayEndpointAddress way = wayOf.apply(rank);
        synchronized (present) {
            if (killed) {
                return false;
            }
            records.starts(rank, incarnation);
            watch(RankProcess.start(starter, request(rank, incarnation, way), output, tapes, inputOf(rank), keeper()));
            return true;
        }
    }

    @Override
    public boolean adopt(int rank, int incarnation) {
        assert thread.isCurrent();
        ProcessRequest request = request(rank, incarnation, wayOf.apply(rank));
        synchronized (present) {
            Optional<StartedProcess> process = killed ? Optional.empty() : starter.adopt(request);
            process.ifPresent(it -> {
                records.continues(rank, incarnation);
                watch(RankProcess.of(it, request, output, tapes, inputOf(rank), keeper()));
            });
            return process.isPresent();
        }
    }

    private void watch(RankProcess process) {
        present[process.rank()] = process;
        Thread.ofVirtual().name("posthouse-rank-" + process.rank()).start(() -> awaitExit(process));
    }

    private ProcessRequest request(int rank, int incarnation, RelayEndpointAddress way) {
        return new ProcessRequest(rank, incarnation, way, tapes == null ? null : marks(rank, incarnation), spec.streams().hasInput(rank));
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
            if (tapes != null && status != 0) {
                process.endStragglers();
            }
            process.awaitOutput();
            signals.accept(new JobSignal.Exited(process.rank(), status, endedNs));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public List<JobStatusReport.RankRun> present() {
        return all().map(process -> new JobStatusReport.RankRun(process.rank(), process.incarnation(), process.pid())).toList();
    }

    private Stream<RankProcess> all() {
        synchronized (present) {
            return Arrays.stream(present.clone()).filter(Objects::nonNull);
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
        for (RankProcess process : all().toList()) {
            process.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
    }

    @Override
    public void awaitOutput() throws InterruptedException {
        assert thread.isCurrent();
        for (RankProcess process : all().toList()) {
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

    @Override
    public void kill() {
        synchronized (present) {
            killed = true;
            if (stopWatch != null) {
                stopWatch.close();
            }
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
