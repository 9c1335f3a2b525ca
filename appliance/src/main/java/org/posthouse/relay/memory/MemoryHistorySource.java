package org.posthouse.relay.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.posthouse.core.HistorySource;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Journal;
import org.posthouse.core.RelayCore;
import org.posthouse.core.ResendClaim;
import org.posthouse.wire.JobOpen;

/**
 * The histories of one core's ranks: those in memory, and for all other jobs those of another source. Confined to the core's owner.
 *
 * <p>What a follower claims to have sent before the checksums that the core remembers is compared with a log, and here with nothing.
 */
public final class MemoryHistorySource implements HistorySource {
    private final HistorySource logged;
    private final HistoryBudget budget;
    private final LongSupplier nanoTime;
    private final Executor later;
    private final Supplier<RelayCore> core;
    private final Map<Long, MemoryJournal> journals = new HashMap<>();

    /**
     * @param logged reads the histories of logged jobs
     * @param later runs work in the core's owner, behind what it does now
     */
    public MemoryHistorySource(HistorySource logged, HistoryBudget budget, LongSupplier nanoTime, Executor later, Supplier<RelayCore> core) {
        this.logged = logged;
        this.budget = budget;
        this.nanoTime = nanoTime;
        this.later = later;
        this.core = core;
    }

    /** The journal of a job that is about to be opened and is not logged. */
    public Journal journal(JobOpen opening) {
        MemoryJournal journal = new MemoryJournal(opening.followed(), budget, nanoTime, () -> later.execute(() -> core.get().memoryFreed()));
        journals.put(opening.job(), journal);
        return journal;
    }

    /** Looks what time has changed. Call it about once a second. */
    public void look() {
        journals.values().forEach(MemoryJournal::look);
    }

    private RankHistory history(HomedRank rank) {
        MemoryJournal journal = journals.get(rank.job().id());
        return journal == null ? null : journal.history(rank.rank());
    }

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo) {
        if (!journals.containsKey(rank.job().id())) {
            logged.begin(rank, replay, deliveries, events, originKnown, follows, upTo);
            return;
        }
        RankHistory history = history(rank);
        if (history == null || !history.isHere(deliveries, events)) {
            String why =
                    history == null ? "nobody is to follow it" : "its beginning was cut, as it is more than half of " + budget.share() + " bytes of memory";
            later.execute(() -> core.get().storage().historyUnreadable(rank, replay, why));
            return;
        }
        history.begin(replay);
        more(rank, replay, upTo);
    }

    @Override
    public void more(HomedRank rank, int replay, long upTo) {
        MemoryJournal journal = journals.get(rank.job().id());
        if (journal == null) {
            logged.more(rank, replay, upTo);
            return;
        }
        later.execute(() -> {
            RankHistory history = journal.history(rank.rank());
            HistoryCursor cursor = history == null ? null : history.cursor(replay);
            if (cursor != null) {
                List<HistoryStep> steps = cursor.read(upTo, journal.position());
                core.get().storage().historyRead(rank, replay, steps);
            }
        });
    }

    @Override
    public void reached(HomedRank rank, int replay, long position) {
        MemoryJournal journal = journals.get(rank.job().id());
        if (journal == null) {
            logged.reached(rank, replay, position);
            return;
        }
        RankHistory history = journal.history(rank.rank());
        HistoryCursor cursor = history.cursor(replay);
        if (cursor != null) {
            cursor.reached(position);
            journal.trim(history);
        }
    }

    @Override
    public void end(HomedRank rank, int replay) {
        MemoryJournal journal = journals.get(rank.job().id());
        if (journal == null) {
            logged.end(rank, replay);
        } else if (journal.history(rank.rank()) != null) {
            RankHistory history = journal.history(rank.rank());
            history.end(replay);
            journal.trim(history);
        }
    }

    @Override
    public void resent(long job, int source, ResendClaim resendClaim) {
        if (!journals.containsKey(job)) {
            logged.resent(job, source, resendClaim);
        }
    }

    @Override
    public void forget(long job) {
        MemoryJournal journal = journals.remove(job);
        if (journal == null) {
            logged.forget(job);
        } else {
            journal.close();
        }
    }
}
