package org.posthouse.launch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.output.OutputTail;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.process.FollowerNode;
import org.posthouse.launch.process.ProcessRankHost;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.JobReport;

/**
 * Tells the home relays of a job's ranks what their consoles show and only the launcher knows: which node runs a rank, the
 * newest lines that it has printed, and the parts of its restarts. It looks once a second, on a thread of its own, and never waits for a relay: lines
 * for which a relay has no room by then are left out. A relay that was lost is told the nodes again.
 */
final class RankReporter implements AutoCloseable {
    private static final long LOOK_MS = 1_000;

    private final JobOpen job;
    private final JobRelays relays;
    private final ProcessRankHost host;

    /** Null if no console is to see what ranks print. */
    private final OutputTail tail;

    /** Node of each rank as its relay was told last; guarded by this. */
    private final Map<Integer, Told> told = new HashMap<>();

    /** The rank that is looked at first, so that none is always the last; guarded by this. */
    private int first;

    private final Thread looker = Thread.ofVirtual().name("posthouse-reports").unstarted(this::lookOften);

    /** Node of each process that follows, likewise; guarded by this. */
    private final Map<FollowerNode, RelayClient> toldFollowers = new HashMap<>();

    /** What was told on this connection. */
    private record Told(RelayClient line, String node) {}

    /** @param tail null if no console is to see what ranks print */
    RankReporter(JobOpen job, JobRelays relays, ProcessRankHost host, OutputTail tail) {
        this.job = job;
        this.relays = relays;
        this.host = host;
        this.tail = tail;
    }

    void start() {
        looker.start();
    }

    private void lookOften() {
        try {
            while (true) {
                look();
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells what is new. */
    synchronized void look() {
        for (Restart restart = host.nextRestart(); restart != null; restart = host.nextRestart()) {
            restart(restart);
        }
        int begin = first;
        first = (begin + 1) % job.ranks();
        for (int each = 0; each < job.ranks(); each++) {
            int rank = (begin + each) % job.ranks();
            RelayClient line = relays.line(job.homeOf()[rank]);
            if (line != null && !line.isLost()) {
                node(line, rank);
                followers(line, rank);
                output(line, rank, false);
                output(line, rank, true);
            }
        }
    }

    private void node(RelayClient line, int rank) {
        Told now = new Told(line, host.node(rank));
        Told before = told.get(rank);
        String shown = before == null || before.line != line ? "" : before.node;
        if (now.node.equals(shown)) {
            told.put(rank, now);
        } else if (line.mayReport()) {
            line.report(new JobReport(job.job(), JobReport.NODE, rank, 0, now.node));
            told.put(rank, now);
        }
    }

    /** One that has no node yet is told later. */
    private void followers(RelayClient line, int rank) {
        List<FollowerNode> present = host.followers(rank);
        toldFollowers.keySet().removeIf(follower -> follower.rank() == rank && !present.contains(follower));
        for (FollowerNode follower : present) {
            if (!follower.node().isEmpty() && toldFollowers.get(follower) != line && line.mayReport()) {
                line.report(new JobReport(job.job(), JobReport.FOLLOWER, rank, follower.process(), follower.node()));
                toldFollowers.put(follower, line);
            }
        }
    }

    /** A relay that is away by then does not hear of it; the launcher has told it to people anyway. */
    private void restart(Restart restart) {
        RelayClient line = relays.line(job.homeOf()[restart.rank()]);
        if (line != null && line.mayReport()) {
            String words = job.onFailure() == FailureMode.REBUILD ? restart.newProcessWords() : restart.words();
            line.report(new JobReport(job.job(), JobReport.RESTART, restart.rank(), 0, words));
        }
    }

    private void output(RelayClient line, int rank, boolean isErr) {
        if (tail == null || !line.mayReport()) {
            return;
        }
        Optional<OutputTail.Part> part = tail.take(rank, isErr);
        part.ifPresent(lines -> line.report(
                new JobReport(job.job(), isErr ? JobReport.ERR : JobReport.OUT, rank, lines.skipped(), lines.text())));
    }

    @Override
    public void close() {
        looker.interrupt();
    }
}
