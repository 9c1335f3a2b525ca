package org.posthouse.relay;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.posthouse.core.Claim;
import org.posthouse.core.Historian;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Past;
import org.posthouse.logstore.LogException;
import org.posthouse.logstore.Milestone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the histories of one shard's ranks, on the relay's thread for that, and brings them to the shard, some steps at a
 * time. Called inside the shard's strand.
 */
final class HistoryReader implements Historian {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryReader.class);

    private final Shard shard;
    private final LogJournal journal;
    private final Executor thread;
    private final Resends resends;
    private final Map<HomedRank, History> open = new HashMap<>();

    /** @param shard whose ranks they are */
    HistoryReader(Shard shard, Histories histories) {
        this.shard = shard;
        this.journal = histories.journal();
        this.thread = histories.thread();
        this.resends = new Resends(shard, histories);
    }

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events) {
        long job = rank.job().id();
        Optional<Milestone> beginning = journal.beginning(job, rank.rank(), deliveries, events);
        if (beginning.isEmpty()) {
            String why = "the log does not reach back to its beginning";
            shard.strand().post(() -> shard.core().pastUnreadable(rank, replay, why));
            return;
        }
        History history = new History(journal.history(job, rank.rank(), beginning.get()), beginning.get().polls());
        open.put(rank, history);
        more(rank, replay);
    }

    @Override
    public void more(HomedRank rank, int replay) {
        History history = open.get(rank);
        thread.execute(() -> read(rank, replay, history));
    }

    /** On the reading thread. */
    private void read(HomedRank rank, int replay, History history) {
        try {
            List<Past> steps = history.read();
            shard.strand().post(() -> shard.core().past(rank, replay, steps));
        } catch (LogException e) {
            LOG.error("the history of {} cannot be read", rank, e);
            shard.strand().post(() -> shard.core().pastUnreadable(rank, replay, e.getMessage()));
        }
    }

    @Override
    public void resent(long job, int source, Claim claim) {
        resends.add(job, source, claim);
    }

    @Override
    public void forget(long job) {
        resends.forget(job);
    }

    @Override
    public void end(HomedRank rank, int replay) {
        History history = open.remove(rank);
        if (history != null) {
            thread.execute(history::close);
        }
    }
}
