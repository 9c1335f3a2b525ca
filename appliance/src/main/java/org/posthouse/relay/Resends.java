package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.posthouse.core.Claim;
import org.posthouse.core.Job;

/**
 * Compares what restarted ranks would send again with what they had sent to one shard's ranks, on the thread that reads
 * histories, a strand's turn of claims at a time. Called inside the shard's strand, but for what {@link SentBefore} does.
 */
final class Resends {
    private record Source(long job, int rank) {
        @Override
        public String toString() {
            return "rank " + rank + " of job " + Job.hexId(job);
        }
    }

    private record Resent(Source source, Claim claim) {}

    private final Shard shard;
    private final Histories histories;

    /** Confined to the thread that reads. */
    private final Map<Source, SentBefore> before = new HashMap<>();

    private List<Resent> turn = new ArrayList<>();

    Resends(Shard shard, Histories histories) {
        this.shard = shard;
        this.histories = histories;
        histories.journal().onCut(() -> histories.thread().execute(() -> before.values().forEach(SentBefore::onCut)));
    }

    /** A rank would have sent a message again. */
    void add(long job, int source, Claim claim) {
        turn.add(new Resent(new Source(job, source), claim));
        if (turn.size() == 1) {
            shard.strand().post(this::compareTurn);
        }
    }

    private void compareTurn() {
        List<Resent> claims = turn;
        turn = new ArrayList<>();
        histories.thread().execute(() -> claims.forEach(this::compare));
    }

    private void compare(Resent resent) {
        Source source = resent.source();
        LogWork.attempt("not compared with what was sent before:", source, () -> {
            String difference = before.computeIfAbsent(
                            source, any -> new SentBefore(
                                    () -> histories.journal().points().sent(source.job(), source.rank()),
                                    () -> histories.journal().firstPosition()))
                    .difference(resent.claim());
            if (!difference.isEmpty()) {
                shard.strand().post(() -> shard.core().diverged(source.job(), source.rank(), resent.claim(), difference));
            }
        }, why -> {});
    }

    /** The job has ended: nothing of it is compared any more. */
    void forget(long job) {
        histories.thread().execute(() -> {
            for (Iterator<Map.Entry<Source, SentBefore>> it = before.entrySet().iterator(); it.hasNext(); ) {
                Map.Entry<Source, SentBefore> entry = it.next();
                if (entry.getKey().job() == job) {
                    entry.getValue().close();
                    it.remove();
                }
            }
        });
    }
}
