package org.posthouse.launch;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Token;

/**
 * One job from its opening to the end of its last process. Confined to the thread that calls {@link #run}; {@link #stop},
 * {@link #kill}, {@link #strike} and {@link #awaitConnected} may be called from anywhere.
 *
 * <p>The first thing that goes wrong is the job's cause and status; everything after it is a consequence and is not
 * reported. Whatever happens, no process of the job is left when {@link #run} returns.
 */
public final class JobRun {
    /** How long ranks that were told of the job's end have to leave before they are killed. */
    private static final long LEAVE_GRACE_MS = 1_000;

    private static final long CLOSE_GRACE_MS = 5_000;

    private final JobSpec spec;
    private final JobRelays relays;
    private final Spread spread;
    private final long id = new SecureRandom().nextLong();
    private final Token token = Token.random();
    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final RankProcesses processes;
    private final RankOutput output;
    private final JobWatch watch;
    /** Open until every rank's program has called Init, or the job has ended. */
    private final CountDownLatch connected = new CountDownLatch(1);

    private volatile boolean stopped;

    private JobRun(JobSpec spec, List<RelayLine> lines, Token launchToken, Spread spread, RankOutput output) {
        this.spec = spec;
        this.spread = spread;
        this.output = output;
        this.relays = new JobRelays(lines, launchToken, signals::add);
        this.processes = new RankProcesses(spec, id, token, this::relayOf, output, signals::add);
        this.watch = new JobWatch(spec, id, spread.homeOf(), processes, this::redial, output::tell);
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
        return new JobRun(spec, used, reach.token(), spread, output);
    }

    private static List<Candidate> candidates(List<RelayLine> site) {
        return site.stream().map(RelayLine::self).toList();
    }

    /** Where the home relay of a rank listens. */
    private String relayOf(int rank) {
        return relays.address(spread.homeOf()[rank]);
    }

    private void redial(int relay) {
        relays.redial(relay, spec.patience().relayTimeoutMs());
    }

    /** The job's id as people write it. */
    public String hexId() {
        return String.format("%016x", id);
    }

    /** Runs the job to its end. @throws JobFailure if it could not be opened or started; nothing is left then */
    public JobOutcome run() throws JobFailure, InterruptedException {
        long start = System.nanoTime();
        try (StoppedRanks stoppedRanks = watchStopped()) {
            relays.open(new JobOpen(id, token, spec.durability(), false, spec.name(), spread.homes(), spread.homeOf()));
            for (int rank = 0; rank < spec.ranks(); rank++) {
                watch.start(rank, System.nanoTime());
            }
            watchToTheEnd();
            finish();
            return watch.outcome((System.nanoTime() - start) / 1e9);
        } finally {
            connected.countDown();
            kill();
            Stragglers.kill(hexId());
            relays.close();
            processes.close();
        }
    }

    /** Null if nothing is to be done about them. */
    private StoppedRanks watchStopped() {
        int seconds = spec.isRestartable() ? spec.patience().silenceSeconds() : 0;
        return seconds == 0 ? null : StoppedRanks.watch(processes::present, seconds, TimeUnit.SECONDS.toMillis(1), output::tell);
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

    /**
     * Does to the job what it has to endure: kill -9 of a rank's present process, of which nobody tells the launcher.
     *
     * @return which incarnation of the rank it was, from 1; 0 if no process of the rank runs
     */
    public int strike(int rank) {
        return processes.strike(rank);
    }

    /** Waits until every rank's program has called Init, or the job has ended. */
    public void awaitConnected() throws InterruptedException {
        connected.await();
    }

    /** Kills every process of the job at once. */
    public void kill() {
        processes.kill();
    }

    /** Until every process has ended, or something went wrong. */
    private void watchToTheEnd() throws JobFailure, InterruptedException {
        while (!watch.isOver()) {
            long waitNs = watch.quietNs(System.nanoTime());
            Signal signal = waitNs == Deadlines.FOR_EVER ? signals.take() : signals.poll(waitNs, TimeUnit.NANOSECONDS);
            if (signal != null) {
                watch.on(signal, System.nanoTime());
            }
            watch.onTime(System.nanoTime());
            if (watch.haveAllConnected()) {
                connected.countDown();
            }
        }
    }

    /** Closes the job at its relays, hears what they still have to tell, and sees the last process off. */
    private void finish() throws InterruptedException {
        boolean failed = watch.hasFailed();
        Notice why = watch.close();
        if (failed) {
            // A rank that came to a closed job would be refused, and would tell so beside the failure.
            processes.kill(watch::isAwaited);
        }
        relays.closeJob(why);
        if (failed) {
            processes.awaitExits(LEAVE_GRACE_MS);
            kill();
        }
        relays.awaitClosed(CLOSE_GRACE_MS);
        while (!watch.haveAllExited()) {
            watch.on(signals.take(), System.nanoTime());
        }
        for (Signal late = signals.poll(); late != null; late = signals.poll()) {
            watch.on(late, System.nanoTime());
        }
    }
}
