package org.posthouse.launch;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Token;

/**
 * One job from its opening to the end of its last process. Confined to the thread that calls {@link #run}; {@link #stop}
 * and {@link #kill} may be called from anywhere.
 *
 * <p>The first thing that goes wrong is the job's cause and status; everything after it is a consequence and is not
 * reported. Whatever happens, no process of the job is left when {@link #run} returns.
 */
public final class JobRun {
    /** How long after a rank's process has ended its relay has to notice, or the other way round. */
    private static final long SETTLE_MS = 5_000;

    /** How long ranks that were told of the job's end have to leave before they are killed. */
    private static final long LEAVE_GRACE_MS = 1_000;

    private static final long CLOSE_GRACE_MS = 5_000;
    private static final int STATUS_NOT_STARTED = 143;
    private static final int SIGNAL_BASE = 128;
    private static final Map<Integer, String> SIGNALS = Map.of(
            1, "SIGHUP", 2, "SIGINT", 4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    private final JobSpec spec;
    private final List<RelayLine> relays;
    private final Spread spread;
    private final RankOutput output;
    private final long id = new SecureRandom().nextLong();
    private final Token token = Token.random();
    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final List<RankProcess> processes = new ArrayList<>();
    private final RankTable ranks;
    private JobOutcome failure;
    private volatile boolean killed;
    private volatile boolean stopped;

    private JobRun(JobSpec spec, List<RelayLine> relays, Spread spread, RankOutput output) {
        this.spec = spec;
        this.relays = relays;
        this.spread = spread;
        this.output = output;
        this.ranks = new RankTable(spread.homeOf());
    }

    /** Connects to the relays that the job's ranks will be at home at, and decides which is whose. */
    public static JobRun prepare(JobSpec spec, Reach reach, RankOutput output) throws JobFailure {
        List<List<RelayLine>> found = RelaySearch.find(reach, spec.ranks());
        Spread spread = Spread.of(spec.ranks(), found.stream().map(JobRun::candidates).toList());
        List<RelayLine> used = new ArrayList<>();
        for (RelayLine relay : found.stream().flatMap(List::stream).toList()) {
            if (spread.homes().contains(relay.home())) {
                used.add(relay);
            } else {
                relay.close();
            }
        }
        used.sort(Comparator.comparingInt(relay -> spread.homes().indexOf(relay.home())));
        return new JobRun(spec, used, spread, output);
    }

    private static List<Candidate> candidates(List<RelayLine> site) {
        return site.stream().map(RelayLine::self).toList();
    }

    /** The job's id as people write it. */
    public String hexId() {
        return String.format("%016x", id);
    }

    /** Runs the job to its end. @throws JobFailure if it could not be opened or started; nothing is left then */
    public JobOutcome run() throws JobFailure, InterruptedException {
        long start = System.nanoTime();
        try {
            open();
            fork();
            supervise();
            JobOutcome first = failure;
            finish();
            JobOutcome outcome = failure != null ? failure : first;
            double seconds = (System.nanoTime() - start) / 1e9;
            return outcome == null ? new JobOutcome(0, "", seconds) : new JobOutcome(outcome.status(), outcome.cause(), seconds);
        } finally {
            kill();
            Stragglers.kill(hexId());
            relays.forEach(RelayLine::close);
        }
    }

    /** Ends the job soon, with this status. */
    public void stop(int status, String why) {
        stopped = true;
        signals.add(new Signal.Stop(status, why));
    }

    /** Whether somebody wanted the job to end. */
    public boolean isStopped() {
        return stopped;
    }

    /** Kills every process of the job at once. */
    public void kill() {
        synchronized (processes) {
            killed = true;
            processes.forEach(RankProcess::kill);
        }
    }

    private void open() throws JobFailure {
        JobOpen opening = new JobOpen(id, token, spec.logged(), spec.name(), spread.homes(), spread.homeOf());
        for (RelayLine relay : relays) {
            relay.listen(event -> signals.add(new Signal.Event(event)), why -> signals.add(new Signal.RelayLost(why)));
            relay.open(opening);
        }
    }

    private void fork() throws JobFailure {
        for (int rank = 0; rank < spec.ranks(); rank++) {
            String relay = relays.get(ranks.home(rank)).home().address();
            synchronized (processes) {
                if (killed) {
                    ranks.exited(rank, STATUS_NOT_STARTED);
                } else {
                    RankProcess process = RankProcess.start(spec, id, token, rank, relay, output);
                    processes.add(process);
                    Thread.ofVirtual().name("posthouse-rank-" + rank).start(() -> awaitExit(process));
                }
            }
        }
    }

    private void awaitExit(RankProcess process) {
        try {
            signals.add(new Signal.Exited(process.rank(), process.await()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until every process has ended, or something went wrong. */
    private void supervise() throws InterruptedException {
        while (failure == null && !(ranks.allExited() && ranks.firstUnsettled() < 0)) {
            int unsettled = ranks.firstUnsettled();
            Signal signal = unsettled < 0 ? signals.take() : signals.poll(SETTLE_MS, TimeUnit.MILLISECONDS);
            if (signal == null) {
                judgeUnsettled(unsettled);
            } else {
                on(signal);
            }
        }
    }

    private void on(Signal signal) {
        switch (signal) {
            case Signal.Exited exited -> {
                ranks.exited(exited.rank(), exited.status());
                judge(exited.rank());
            }
            case Signal.Event event -> onEvent(event.event());
            case Signal.RelayLost lost -> fail(1, lost.why());
            case Signal.Stop stop -> fail(stop.status(), stop.why());
        }
    }

    private void onEvent(JobEvent event) {
        int rank = event.rank();
        if (event.kind() == JobEvent.REFUSED) {
            System.err.println("posthouse: somebody who claimed to be rank " + rank + " was refused: " + event.text());
            return;
        }
        if (rank >= spec.ranks()) {
            fail(1, "a relay told of rank " + rank + " of a job of " + spec.ranks() + " ranks");
            return;
        }
        switch (event.kind()) {
            case JobEvent.CONNECTED -> ranks.connected(rank);
            case JobEvent.FINALIZED -> ranks.finalized(rank);
            case JobEvent.ABORTED -> fail(event.code(), rank < 0 ? event.text() : "rank " + rank + " " + event.text());
            case JobEvent.LOST -> ranks.lost(rank, event.text());
            default -> throw new IllegalStateException("unknown event " + event);
        }
        if (rank >= 0) {
            judge(rank);
        }
    }

    /** Decides what a rank's end means, once both its process and its relay have told. */
    private void judge(int rank) {
        if (!ranks.hasExited(rank) || !ranks.isSettled(rank)) {
            return;
        }
        int status = ranks.status(rank);
        if (SIGNALS.containsKey(status - SIGNAL_BASE)) {
            int signal = status - SIGNAL_BASE;
            fail(status, "rank " + rank + " was killed by signal " + signal + " (" + SIGNALS.get(signal) + ")");
        } else if (status != 0) {
            fail(status, "rank " + rank + " exited with status " + status);
        } else if (ranks.isLost(rank)) {
            fail(1, "rank " + rank + " exited without calling MPI.Finalize");
        }
    }

    private void judgeUnsettled(int rank) {
        if (ranks.neverConnected(rank)) {
            fail(1, "rank " + rank + " exited without calling MPI.Init, which other ranks did");
        } else if (ranks.hasExited(rank)) {
            fail(1, "rank " + rank + " exited with status " + ranks.status(rank) + ", and its relay does not notice");
        } else {
            fail(1, "rank " + rank + " lost its connection to the relay and goes on without it: " + ranks.lostWhy(rank));
        }
    }

    private void fail(int status, String cause) {
        if (failure == null) {
            failure = new JobOutcome(status, cause, 0);
        }
    }

    /** Closes the job at its relays, hears what they still have to tell, and sees the last process off. */
    private void finish() throws InterruptedException {
        Notice why = failure == null
                ? new Notice(id, 0, -1, "finished")
                : new Notice(id, failure.status() == 0 ? 1 : failure.status(), -1, failure.cause());
        if (failure != null) {
            // A rank that came to a closed job would be refused, and would tell so beside the failure.
            processes.stream().filter(process -> ranks.isAwaited(process.rank())).forEach(RankProcess::kill);
        }
        relays.forEach(relay -> relay.closeJob(why));
        if (failure != null) {
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAVE_GRACE_MS);
            for (RankProcess process : processes) {
                process.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
            kill();
        }
        for (RelayLine relay : relays) {
            relay.awaitClosed(CLOSE_GRACE_MS);
        }
        while (!ranks.allExited()) {
            on(signals.take());
        }
        for (Signal late = signals.poll(); late != null; late = signals.poll()) {
            on(late);
        }
    }
}
