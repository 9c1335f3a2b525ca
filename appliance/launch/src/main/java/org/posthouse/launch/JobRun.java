package org.posthouse.launch;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.posthouse.causes.Causes;
import org.posthouse.launch.folder.JobFile;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.folder.JobInput;
import org.posthouse.launch.folder.JobRecords;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.output.OutputTail;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.Candidate;
import org.posthouse.launch.place.HomeAssignment;
import org.posthouse.launch.place.JobNodes;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.place.RelaySearch;
import org.posthouse.launch.process.LeftProcesses;
import org.posthouse.launch.process.OrphanReaper;
import org.posthouse.launch.process.ProcessRankHost;
import org.posthouse.launch.process.ProcessStarter;
import org.posthouse.launch.process.RelayEndpointAddress;
import org.posthouse.launch.remote.NodeRelease;
import org.posthouse.launch.remote.PartsWait;
import org.posthouse.launch.supervise.JobSupervisor;
import org.posthouse.launch.supervise.JobTimers;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/**
 * One job from its opening to the end of its last process. Confined to the thread that calls {@link #run}; {@link #stop},
 * {@link #kill}, {@link #strike}, {@link #strikeFollower}, {@link #awaitOpen} and {@link #awaitConnected} may be called from anywhere.
 *
 * <p>The first thing that goes wrong is the job's cause and status; everything after it is a consequence and is not
 * reported. Whatever happens, no process of the job is left when {@link #run} returns.
 */
public final class JobRun implements RunningJob {
    /** Time for ranks to leave after they received the job's end, before they are killed. */
    private static final long LEAVE_GRACE_MS = 1_000;

    private static final long CLOSE_GRACE_MS = 5_000;

    /**
     * Milliseconds for which readers may take no output of the ranks once the job was asked to end.
     * {@code Interruption} waits a little longer.
     */
    private static final long READER_STALL_MS = 8_000;

    private final JobSpec spec;
    private final JobOpen opening;
    private final JobRelays relays;
    /** Null if the job ends with this process. */
    private final JobFolder folder;

    private final BlockingQueue<JobSignal> signals;
    private final ProcessRankHost host;
    private final ProcessStarter starter;
    private final JobRecords records;
    private final RankOutput output;
    private final RankReporter reporter;
    private final JobSupervisor watch;
    /** Open until every relay has the job, or the job has ended. */
    private final CountDownLatch open = new CountDownLatch(1);

    /** Open until every rank's program has called Init, or the job has ended. */
    private final CountDownLatch connected = new CountDownLatch(1);

    /** Written by any thread, read by any thread that asks how the job ended. */
    private volatile boolean stopped;

    /** Whether the lines for people include lines for programs. */
    private boolean supervised;

    /** Null if this process does not care for processes that ranks leave behind. */
    private OrphanReaper orphanReaper;

    private JobStatusReport told = JobStatusReport.UNTOLD;

    /** Relays that may still have the job that is over. */
    private List<HomeRelay> untold = List.of();

    private JobRun(
            JobSpec spec,
            JobOpen opening,
            JobRelays relays,
            ProcessStarter starter,
            BlockingQueue<JobSignal> signals,
            RankOutput output,
            OutputJournals tapes,
            JobFolder folder)
            throws JobFailure {
        this.spec = spec;
        this.opening = opening;
        this.relays = relays;
        this.folder = folder;
        this.signals = signals;
        this.starter = starter;
        this.output = output;
        this.records = new JobRecords(spec.ranks(), spec.logged() || spec.remembers(), folder, tapes, signals::add, output::tell);
        this.host = new ProcessRankHost(
                spec, opening.token(), starter, this::wayOf, output, tapes, input(), records, signals::add);
        OutputTail tail = spec.streams().showsTail() ? new OutputTail(spec.ranks()) : null;
        if (tail != null) {
            output.tailTo(tail);
        }
        this.reporter = new RankReporter(opening, relays, host, tail);
        this.watch = new JobSupervisor(
                spec, opening.job(), folder != null, Arrays.copyOf(opening.homeOf(), spec.ranks()), host, records, this::redial, relays::kept,
                relays::rankFailed,
                output::tell);
    }

    /** Null if no rank reads input. */
    private JobInput input() throws JobFailure {
        if (!spec.streams().hasInput()) {
            return null;
        }
        FileInputStream from = new FileInputStream(FileDescriptor.in);
        try {
            if (folder != null) {
                return JobInput.in(folder, from, output::tell);
            }
        } catch (IOException e) {
            throw new JobFailure("what ranks read on standard input cannot be kept in " + folder.path() + ": " + Causes.text(e), e);
        }
        boolean isReadOnce = !spec.goesOn() && !spec.rebuilds() && spec.streams().input() != RankStreams.ALL_INPUT;
        return isReadOnce ? JobInput.passed(from, output::tell) : JobInput.kept(from, output::tell);
    }

    /** Connects to the relays that are the homes of the job's ranks, and assigns each rank its relay. */
    public static JobRun prepare(JobSpec spec, PlacementRequest placementRequest, RankOutput output) throws JobFailure {
        List<RelayClient> lines = new ArrayList<>();
        BlockingQueue<JobSignal> signals = new LinkedBlockingQueue<>();
        PlacedJob placed = PlacedJob.place(spec, placementRequest, lines, output::tell);
        OutputJournals tapes = spec.goesOn() ? OutputJournals.of(spec.ranks(), spec.streams().compareErr(), signals::add) : null;
        JobRelays relays = new JobRelays(placed.opening(), lines, placementRequest.token(), signals::add);
        try {
            ProcessStarter starter = placed.starter(spec, relays, null, output::tell, why -> signals.add(new JobSignal.Stop(1, why)));
            return new JobRun(spec, placed.opening(), relays, starter, signals, output, tapes, null);
        } catch (JobFailure e) {
            relays.close();
            throw e;
        }
    }

    /**
     * As above, for a job that outlives this process: another may {@link #resume} it.
     *
     * @param spec with the whole environment that its ranks are to have
     * @param tokenFile the file of the relays' launch token; empty if they have none
     * @param folder new, and closed by this job's {@link #run}
     */
    public static JobRun prepare(JobSpec spec, PlacementRequest placementRequest, RankOutput output, Optional<Path> tokenFile, JobFolder folder)
            throws JobFailure {
        List<RelayClient> lines = new ArrayList<>();
        PlacedJob placed = PlacedJob.place(spec, placementRequest, lines, output::tell).kept();
        BlockingQueue<JobSignal> signals = new LinkedBlockingQueue<>();
        JobRelays relays = new JobRelays(placed.opening(), lines, placementRequest.token(), signals::add);
        try {
            folder.describe(new JobFile(spec, Path.of("").toAbsolutePath(), placed.opening(), tokenFile, placed.nodes()));
            ProcessStarter starter = placed.starter(spec, relays, folder, output::tell, why -> signals.add(new JobSignal.Stop(1, why)));
            return new JobRun(spec, placed.opening(), relays, starter, signals, output, tapes(folder, signals), folder);
        } catch (JobFailure e) {
            relays.close();
            throw e;
        }
    }

    /**
     * Continues a job that another process has left.
     *
     * @param folder closed by this job's {@link #run}
     */
    public static JobRun resume(JobFolder folder, Token launchToken, RankOutput output) throws JobFailure {
        JobFile job = folder.job();
        BlockingQueue<JobSignal> signals = new LinkedBlockingQueue<>();
        boolean isOpened = folder.notes().isBegun() || folder.notes().ending().isPresent();
        JobRelays relays = JobRelays.lost(job.opening(), launchToken, signals::add, isOpened);
        ProcessStarter starter = PlacedJob.left(job).starter(job.spec(), relays, folder, output::tell, why -> signals.add(new JobSignal.Stop(1, why)));
        return new JobRun(job.spec(), job.opening(), relays, starter, signals, output, tapes(folder, signals), folder);
    }

    /**
     * Ends a job that another process has left, or one that is over, at the relays that still have it.
     *
     * @throws JobFailure naming the first relay that could not be informed; the others were
     */
    public static void end(JobFolder folder, Token launchToken) throws JobFailure, InterruptedException {
        JobOpen opening = folder.job().opening();
        JobStatusReport.End end = folder.notes().ending().orElse(new JobStatusReport.End(ExitStatuses.TERMINATED, "ended by its user", false));
        LeftProcesses.kill(hexId(opening.job()));
        try {
            noteEnding(folder, end);
            endAtRelays(folder, launchToken, JobSupervisor.told(opening.job(), end));
            if (folder.notes().end().isEmpty()) {
                folder.ended(end.status(), end.cause());
            }
        } catch (IOException e) {
            throw new JobFailure("the job's end cannot be written to its folder " + folder.path() + ": " + Causes.text(e), e);
        }
    }

    private static void noteEnding(JobFolder folder, JobStatusReport.End end) throws IOException {
        if (folder.notes().ending().isEmpty()) {
            folder.ending(end.status(), end.cause());
        }
    }

    private static void endAtRelays(JobFolder folder, Token launchToken, CloseNotice why) throws JobFailure, InterruptedException {
        JobOpen opening = folder.job().opening();
        JobFailure first = null;
        for (HomeRelay home : opening.homes()) {
            try (RelayClient line = RelayClient.connect(home.address(), launchToken)) {
                // Another relay there knows nothing of the job, which the one that is away may have.
                if (!line.home().relay().equals(home.relay())) {
                    throw new JobFailure("relay " + line.home().relay() + " answers at " + home.address() + ", and relay " + home.relay() + " is expected");
                }
                if (folder.job().nodes().isPresent()) {
                    JobNodes nodes = folder.job().nodes().get();
                    NodeRelease.send(line, opening.job(), nodes.key());
                    String name = nodes.request().labels().getOrDefault(AgentOffer.JOB_LABEL, "");
                    if (!name.isEmpty()) {
                        PartsWait.end(line, name, why.code(), why.text());
                    }
                }
                end(line, opening, why);
            } catch (JobFailure e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw new JobFailure(
                    "the job is over, and not all its relays know: " + first.getMessage() + "; posthouse resume --end " + folder.path()
                            + " tells those that do not",
                    first);
        }
    }

    private static void end(RelayClient line, JobOpen opening, CloseNotice why) throws JobFailure, InterruptedException {
        try {
            line.open(opening.comingBack());
        } catch (JobFailure e) {
            if (line.isJobUnknown()) {
                return;
            }
            throw e;
        }
        line.closeJob(why);
        line.requireClosed(CLOSE_GRACE_MS);
    }

    private static OutputJournals tapes(JobFolder folder, BlockingQueue<JobSignal> signals) throws JobFailure {
        try {
            return OutputJournals.in(folder, signals::add);
        } catch (IOException e) {
            throw new JobFailure("what the ranks have printed cannot be read in " + folder.path() + ": " + Causes.text(e), e);
        }
    }

    /** The way of a rank's process to its home relay, which knows each new one of a rebuilt rank as a rank of its own. */
    private RelayEndpointAddress wayOf(int rank, int incarnation) {
        int home = opening.homeOf()[rank];
        int process = spec.rebuilds() ? rank + spec.ranks() * (incarnation - 1) : rank;
        return new RelayEndpointAddress(relays.address(home), opening.tokenOf(process), relays.isDirect(home));
    }

    private void redial(int relay) {
        relays.redial(relay, spec.patience().relayTimeoutMs());
    }

    /** The job's id as it is shown to people. */
    public String hexId() {
        return hexId(opening.job());
    }

    private static String hexId(long job) {
        return HexFormat.of().toHexDigits(job);
    }

    /** Runs the job to its end. @throws JobFailure if it could not be opened or started; nothing is left then */
    public JobOutcome run() throws JobFailure, InterruptedException {
        long start = System.nanoTime();
        Optional<JobOutcome> ended = Optional.empty();
        try {
            limitStops();
            begin();
            relays.watch();
            reporter.start();
            open.countDown();
            watchToTheEnd();
            finish();
            JobOutcome outcome = watch.outcome((System.nanoTime() - start) / 1e9);
            ended = Optional.of(outcome);
            if (!outcome.left()) {
                noteEnd(watch.end());
            }
            tellStanding(new JobStatusReport.End(outcome.status(), outcome.cause(), outcome.left()));
            return outcome;
        } finally {
            open.countDown();
            connected.countDown();
            reporter.close();
            kill();
            LeftProcesses.kill(hexId());
            if (orphanReaper != null) {
                orphanReaper.end();
                orphanReaper.close();
            }
            host.awaitExits(CLOSE_GRACE_MS); // Followers, too, and leaders that their relays have replaced.
            host.awaitOutput();
            if (ended.isEmpty()) {
                starter.jobEnded(1, "it could not be started, or not be watched");
            } else if (!ended.get().left()) {
                starter.jobEnded(ended.get().status(), ended.get().cause());
            }
            host.close(); // Nodes are told over the relays' connections.
            relays.close();
            records.close();
            if (folder != null) {
                folder.close();
            }
            output.close(READER_STALL_MS);
        }
    }

    private void begin() throws JobFailure, InterruptedException {
        if (folder != null && folder.isLeft()) {
            // Processes that the previous launcher left would print where nothing reads, and write to the same files.
            LeftProcesses.kill(hexId());
            watch.goOn(folder.notes(), System.nanoTime());
            return;
        }
        try {
            relays.open();
            for (int rank = 0; rank < spec.ranks(); rank++) {
                watch.start(rank, System.nanoTime());
            }
        } catch (JobFailure e) {
            JobStatusReport.End end = new JobStatusReport.End(1, e.getMessage(), false);
            noteEnding(end);
            relays.closeJob(JobSupervisor.told(opening.job(), end));
            untold = relays.awaitClosed(CLOSE_GRACE_MS);
            noteEnd(end);
            throw e;
        }
    }

    /**
     * Records the end before it is sent to any relay. Another launcher would otherwise ask relays for a job that they
     * have already ended.
     */
    private void noteEnding(JobStatusReport.End end) {
        if (folder != null) {
            try {
                folder.ending(end.status(), end.cause());
            } catch (IOException e) {
                tellUnwritten(e);
            }
        }
    }

    /** Records the end once all relays have received it. A relay that has not received it keeps the job. */
    private void noteEnd(JobStatusReport.End end) {
        if (folder != null && untold.isEmpty()) {
            try {
                folder.ended(end.status(), end.cause());
            } catch (IOException e) {
                tellUnwritten(e);
            }
        } else if (folder != null) {
            String names = untold.stream().map(HomeRelay::relay).collect(Collectors.joining(", "));
            output.tell("the job is over, and relay " + names + " has not confirmed that: it keeps the job, and room in its log, until posthouse resume --end "
                    + folder.path() + " tells it, or --launcher-timeout is over");
        }
    }

    private void tellUnwritten(IOException why) {
        output.tell("the job's folder " + folder.path() + " cannot be written, and does not say that the job is over: " + Causes.text(why));
    }

    private void limitStops() {
        int seconds = spec.goesOn() ? spec.patience().silenceSeconds() : 0;
        if (seconds > 0) {
            host.limitStops(seconds);
        }
    }

    /**
     * Makes this process adopt what its ranks leave behind. This process must run no other job, and end with this one.
     * Call before {@link #run}.
     */
    public void adoptOrphans() {
        orphanReaper = OrphanReaper.adopt();
    }

    /** Writes the job's standing to the error stream in lines for programs. Call before {@link #run}. */
    public void supervise() {
        supervised = true;
    }

    private void tellStanding(JobStatusReport.End end) {
        if (supervised) {
            JobStatusReport standing = watch.standing(host.present(), end);
            if (!standing.equals(told)) {
                told = standing;
                output.tell(standing.words());
            }
        }
    }

    @Override
    public void stop(int status, String why) {
        stopped = true;
        output.hurry();
        signals.add(new JobSignal.Stop(status, why));
    }

    @Override
    public void leave(int status, String why) {
        stopped = true;
        output.hurry();
        signals.add(folder == null ? new JobSignal.Stop(status, why) : new JobSignal.Leave(why));
    }

    /**
     * Asks the ranks to save their state, once all are connected, because what they run on will end soon. Does not wait.
     *
     * @param why a sentence for people
     */
    public void askForCheckpoints(String why) {
        if (!spec.logged()) {
            output.tell(why + ", and the ranks with it: a job without --durability has no checkpoints");
            return;
        }
        Thread.ofVirtual().name("posthouse-checkpoints").start(() -> {
            try {
                awaitConnected();
                output.tell(why + ": the ranks are asked for checkpoints");
                relays.askForCheckpoints();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public long outputTaken() {
        return output.taken();
    }

    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public int strike(int rank) {
        return host.strike(rank);
    }

    @Override
    public int strikeFollower(int rank) {
        return host.strikeFollower(rank);
    }

    @Override
    public void awaitOpen() throws InterruptedException {
        open.await();
    }

    /** Whether every rank's program has called Init. For the thread that called {@link #run}, after it returned. */
    public boolean haveAllConnected() {
        return watch.haveAllConnected();
    }

    @Override
    public void awaitConnected() throws InterruptedException {
        connected.await();
    }

    @Override
    public void kill() {
        host.kill();
    }

    /** Runs until every process has ended, or the job has failed. */
    private void watchToTheEnd() throws JobFailure, InterruptedException {
        while (!watch.isOver()) {
            tellStanding(null);
            if (signals.isEmpty()) {
                records.keepDone();
            }
            long waitNs = watch.quietNs(System.nanoTime());
            JobSignal jobSignal = waitNs == JobTimers.FOR_EVER ? signals.take() : signals.poll(waitNs, TimeUnit.NANOSECONDS);
            if (jobSignal != null) {
                watch.on(jobSignal, System.nanoTime());
            }
            onTime();
            if (watch.haveAllConnected()) {
                connected.countDown();
            }
        }
    }

    /**
     * Another launcher may not meet the cause that keeps a process from being started here, for instance a full disk.
     */
    private void onTime() throws JobFailure {
        try {
            watch.onTime(System.nanoTime());
        } catch (JobFailure e) {
            if (folder == null) {
                throw e;
            }
            watch.on(new JobSignal.Leave(e.getMessage()), System.nanoTime());
        }
    }

    /** Closes the job at its relays, reads their last events, and waits for the last process to end. */
    private void finish() throws InterruptedException {
        if (watch.isLeft()) {
            kill();
            awaitAllExited();
            return;
        }
        boolean failed = watch.hasFailed();
        CloseNotice why = watch.close();
        if (failed) {
            // A rank that came to a closed job would be refused, and would tell so beside the failure.
            host.kill(watch::isAwaited);
        }
        noteEnding(watch.end());
        reporter.look(); // The last lines, while the relays have the job.
        relays.closeJob(why);
        if (failed) {
            host.awaitExits(LEAVE_GRACE_MS);
            kill();
        }
        untold = relays.awaitClosed(CLOSE_GRACE_MS);
        awaitAllExited();
        for (JobSignal late = signals.poll(); late != null; late = signals.poll()) {
            watch.on(late, System.nanoTime());
        }
    }

    private void awaitAllExited() throws InterruptedException {
        while (!watch.haveAllExited()) {
            watch.on(signals.take(), System.nanoTime());
        }
    }
}
