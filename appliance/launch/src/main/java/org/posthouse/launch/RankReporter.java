package org.posthouse.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.supervise.RankHost;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.JobReport;

/**
 * Tells the home relays of a job's ranks what their consoles show and only the launcher knows: which node runs a rank.
 * It looks once a second, on a thread of its own, and never waits for a relay. A relay that was lost is told all again.
 */
final class RankReporter implements AutoCloseable {
    private static final long LOOK_MS = 1_000;

    private final JobOpen job;
    private final JobRelays relays;
    private final RankHost host;

    /** Node of each rank as its relay was told last; guarded by this. */
    private final Map<Integer, Told> told = new HashMap<>();

    private final Thread looker = Thread.ofVirtual().name("posthouse-reports").unstarted(this::lookOften);

    /** What was told on this connection. */
    private record Told(RelayClient line, String node) {}

    RankReporter(JobOpen job, JobRelays relays, RankHost host) {
        this.job = job;
        this.relays = relays;
        this.host = host;
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
        for (int rank = 0; rank < job.size(); rank++) {
            RelayClient line = relays.line(job.homeOf()[rank]);
            if (line != null) {
                node(line, rank);
            }
        }
    }

    private void node(RelayClient line, int rank) {
        Told now = new Told(line, host.node(rank));
        Told before = told.get(rank);
        String shown = before == null || before.line != line ? "" : before.node;
        if (now.node.equals(shown) || line.tryReport(new JobReport(job.job(), JobReport.NODE, rank, 0, now.node))) {
            told.put(rank, now);
        }
    }

    @Override
    public void close() {
        looker.interrupt();
    }
}
