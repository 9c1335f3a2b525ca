package org.posthouse.relay.shard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.posthouse.core.HistorySource;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.HomedRank;
import org.posthouse.core.ResendClaim;
import org.posthouse.relay.log.FollowerHistory;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.LogTasks;
import org.posthouse.relay.log.RankHistoryReader;
import org.posthouse.relay.log.RelayLog;
import org.posthouse.relay.log.RestartChoice;

/**
 * Reads the histories of one shard's ranks, on the relay's thread for histories, and passes them to the shard, some
 * steps at a time. Called inside the shard's strand.
 */
final class HistoryReader implements HistorySource {
    private final Shard shard;
    private final RelayLog relayLog;
    private final Executor thread;
    private final DivergenceChecker divergenceChecker;
    private final Map<Key, Reading> open = new HashMap<>();

    private record Key(HomedRank rank, int replay) {}

    /** A history that is being read. Confined to the thread, except the reference to it and {@link #reached}. */
    private interface Reading {
        List<HistoryStep> read(long upTo);

        /** A follower was sent everything up to this log position. Any thread. */
        default void reached(long position) {}

        void close();
    }

    /** The history of a rank's process, which the first read opens. */
    private static final class RankReading implements Reading {
        private final Supplier<RankHistoryReader> opening;
        private RankHistoryReader history;

        private RankReading(Supplier<RankHistoryReader> opening) {
            this.opening = opening;
        }

        @Override
        public List<HistoryStep> read(long upTo) {
            if (history == null) {
                history = opening.get();
            }
            return history.read(upTo);
        }

        @Override
        public void close() {
            if (history != null) {
                history.close();
            }
        }
    }

    /** The history of a follower, which the first read opens. */
    private static final class FollowerReading implements Reading {
        private final Supplier<FollowerHistory> opening;

        /** Written by the thread, read by any. */
        private volatile FollowerHistory history;

        private FollowerReading(Supplier<FollowerHistory> opening) {
            this.opening = opening;
        }

        @Override
        public List<HistoryStep> read(long upTo) {
            FollowerHistory open = history;
            if (open == null) {
                open = opening.get();
                history = open;
            }
            return open.read(upTo);
        }

        @Override
        public void reached(long position) {
            history.reached(position); // Something was read, as it was sent.
        }

        @Override
        public void close() {
            FollowerHistory open = history;
            if (open != null) {
                open.close();
            }
        }
    }

    /** @param shard the shard of the ranks */
    HistoryReader(Shard shard, HistoryThreads historyThreads) {
        this.shard = shard;
        this.relayLog = historyThreads.log();
        this.thread = historyThreads.thread();
        this.divergenceChecker = new DivergenceChecker(shard, historyThreads, DivergenceChecker.LOOK_MS);
    }

    @Override
    public void reached(HomedRank rank, int replay, long position) {
        Reading history = open.get(new Key(rank, replay));
        if (history != null) {
            history.reached(position);
        }
    }

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo) {
        long job = rank.job().id();
        int number = rank.rank();
        if (follows) {
            boolean started = deliveries == 0 && events == 0 && !originKnown;
            open.put(new Key(rank, replay), new FollowerReading(() -> relayLog.points().forFollower(job, number, started, deliveries, events)));
            more(rank, replay, upTo);
            return;
        }
        RestartChoice choice = relayLog.points().choice(job, number);
        boolean begins = deliveries == 0 && events == 0 || choice.isBefore(deliveries, events);
        int incarnation = rank.incarnation();
        boolean anew = begins && !originKnown && incarnation > 1;
        open.put(new Key(rank, replay),
                new RankReading(anew ? () -> choice.open(incarnation) : () -> relayLog.points().behind(job, number, deliveries, events)));
        more(rank, replay, upTo);
    }

    @Override
    public void more(HomedRank rank, int replay, long upTo) {
        Reading history = open.get(new Key(rank, replay));
        thread.execute(() -> read(rank, replay, history, upTo));
    }

    /** Runs on the reading thread. */
    private void read(HomedRank rank, int replay, Reading history, long upTo) {
        LogTasks.attempt("no history of", rank, () -> {
            List<HistoryStep> steps = history.read(upTo);
            shard.strand().post(() -> shard.core().storage().historyRead(rank, replay, steps));
        }, why -> shard.strand().post(() -> shard.core().storage().historyUnreadable(rank, replay, why)));
    }

    @Override
    public void resent(long job, int source, ResendClaim resendClaim) {
        divergenceChecker.add(job, source, resendClaim);
    }

    @Override
    public void forget(long job) {
        divergenceChecker.forget(job);
    }

    @Override
    public void end(HomedRank rank, int replay) {
        Reading history = open.remove(new Key(rank, replay));
        if (history != null) {
            thread.execute(history::close);
        }
    }
}
