package org.posthouse.relay.shard;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.RecoveredRank;
import org.posthouse.core.Refusal;
import org.posthouse.core.RelayCore;
import org.posthouse.core.SourceCounters;
import org.posthouse.core.UnexpectedPool;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.memory.HistoryBudget;
import org.posthouse.status.PairTraffic;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.WireException;

/**
 * The relay's shards, and the shard of each rank. Neighbouring ranks of a job share a shard, because they exchange the
 * most messages. A job fills a shard with {@link #BLOCK_MIN} ranks before it uses the next. Thread-safe.
 */
public final class Shards {
    /** Ranks of a job that share a shard before the next is used: few enough for one core of the machine. */
    public static final int BLOCK_MIN = 8;

    private final String relay;
    private final CoreConfig credit;
    private final List<Shard> shards = new ArrayList<>();
    private final Map<Long, int[]> seatOf = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();

    /** Receives the events of ranks, in the strand of their shard. */
    public interface Watch {
        /** @param rank the rank of the event, or null */
        void onJobEvent(JobEvent event, HomedRank rank);
    }

    /** @param connections number of the relay's connections */
    public Shards(
            String relay, CoreConfig config, int count, Placement placement, HistoryThreads historyThreads, Supplier<OutputGate> gates,
            IntSupplier connections) {
        this.relay = relay;
        this.credit = config;
        UnexpectedPool pool = new SharedUnexpectedPool(config);
        HistoryBudget budget = HistoryBudget.ofHeap();
        for (int number = 0; number < count; number++) {
            shards.add(new Shard(number, relay, config, count, pool, placement.matching(number), historyThreads, budget, gates.get(), connections));
        }
        Shard.introduce(shards);
    }

    public List<Shard> all() {
        return shards;
    }

    /** Moves the work of all shards to other threads. */
    public void moveTo(Placement placement) {
        for (Shard shard : shards) {
            shard.written().spread(placement.spreadsEmission());
            shard.strand().moveTo(placement.matching(shard.number()));
        }
    }

    /** The shard of a rank. If the rank is not at home here it is any shard, whose core reports the error. */
    public Shard of(long job, int rank) {
        return shards.get(seat(job, rank) % shards.size());
    }

    /**
     * The seat of a rank. Up to {@link #BLOCK_MIN} neighbours in one shard have the same seat. One thread should read
     * all connections of a seat, since several would compete for the shard. The shard is the seat modulo the number of
     * shards.
     */
    public int seat(long job, int rank) {
        int[] table = seatOf.get(job);
        return table != null && rank >= 0 && rank < table.length ? Math.max(0, table[rank]) : 0;
    }

    /** The shard to which another relay's frame is addressed. */
    public Shard addressed(FrameView view) {
        return of(view.job(), switch (view.type()) {
            case CLEAR, WITHDRAWN -> view.source();
            case CREDIT -> view.creditRank();
            default -> view.destination();
        });
    }

    /**
     * Opens a job in all shards.
     *
     * @param elsewhere the job's other relays, by their index in the job's homes; null for this one
     * @param journal of a logged job; null for others
     * @param done called once, in some shard's strand, with null or the failure of a shard
     */
    public void open(JobOpen opening, List<LinkedRelay> elsewhere, Watch watch, Journal journal, Consumer<Exception> done) {
        int[] table = place(opening);
        seatOf.putIfAbsent(opening.job(), table);
        AtomicInteger left = new AtomicInteger(shards.size());
        AtomicReference<Exception> fault = new AtomicReference<>();
        for (Shard shard : shards) {
            shard.strand().submit(() -> {
                try {
                    shard.gate(opening);
                    shard.core()
                            .openJob(
                                    opening,
                                    rank -> table[rank] >= 0
                                            ? shard.peer(table[rank] % shards.size())
                                            : elsewhere.get(opening.homeOf()[rank]).peer(shard),
                                    event -> watch.onJobEvent(event, shard.rank(event.job(), event.rank())),
                                    journal == null ? shard.journal(opening) : journal);
                } catch (Refusal | RuntimeException e) {
                    fault.compareAndSet(null, e);
                }
                if (left.decrementAndGet() == 0) {
                    if (fault.get() != null) {
                        seatOf.remove(opening.job(), table);
                    }
                    done.accept(fault.get());
                }
            });
        }
    }

    /**
     * Restores an opened job to the state in the log.
     *
     * @param ranks all ranks that are at home at this relay
     * @param failures frames of the deaths, revocations and agreements in the log
     * @param done called once, in some shard's strand, with null or the cause of failure
     */
    public void restore(long job, List<RecoveredRank> ranks, List<ByteBuffer> failures, Consumer<Exception> done) {
        restore(job, ranks, failures, 0, done);
    }

    /** Restores one shard after the other, because each reads state of the others. */
    private void restore(long job, List<RecoveredRank> ranks, List<ByteBuffer> failures, int number, Consumer<Exception> done) {
        if (number == shards.size()) {
            restoreFailures(job, failures, 0, done);
            return;
        }
        step(number, done, core -> core.restore(core.job(job), ranks), () -> restore(job, ranks, failures, number + 1, done));
    }

    /** Behind the above, because a core that restores failures tells the others. */
    private void restoreFailures(long job, List<ByteBuffer> failures, int number, Consumer<Exception> done) {
        if (number == shards.size()) {
            done.accept(null);
            return;
        }
        List<ByteBuffer> own = failures.stream().map(frame -> frame.duplicate().order(frame.order())).toList();
        step(number, done, core -> core.restoreFailures(core.job(job), own), () -> restoreFailures(job, failures, number + 1, done));
    }

    private interface Step {
        void take(RelayCore core) throws WireException;
    }

    private void step(int number, Consumer<Exception> done, Step step, Runnable next) {
        Shard shard = shards.get(number);
        shard.strand().submit(() -> {
            try {
                step.take(shard.core());
            } catch (RuntimeException | WireException e) {
                done.accept(e);
                return;
            }
            next.run();
        });
    }

    /** The seat of each process of the job, or -1 if its rank is at home at another relay. */
    private int[] place(JobOpen opening) {
        return place(opening, Job.indexOf(relay, opening.homes()), shards.size(), opened.getAndIncrement());
    }

    /**
     * Blocks of ranks, one shard after the other. All processes of a rank have one seat, as at most one of them lives.
     *
     * @param self the relay's index among the job's homes
     * @param first the shard of the first block
     */
    static int[] place(JobOpen opening, int self, int shards, int first) {
        int[] table = new int[opening.ranks()];
        int here = 0;
        for (int rank = 0; rank < table.length; rank++) {
            table[rank] = opening.homeOf()[rank] == self ? here++ : -1;
        }
        int block = Math.max(BLOCK_MIN, (here + shards - 1) / shards);
        for (int rank = 0; rank < table.length; rank++) {
            if (table[rank] >= 0) {
                int shard = Math.floorMod(first + table[rank] / block, shards);
                table[rank] = shard + shards * (table[rank] % block / BLOCK_MIN);
            }
        }
        return IntStream.range(0, opening.size()).map(process -> table[process % table.length]).toArray();
    }

    /**
     * Closes a job in all shards.
     *
     * @param done called once, in some shard's strand
     */
    public void close(long job, CloseNotice why, Consumer<ClosedRanks> done) {
        seatOf.remove(job);
        Queue<ShardStatus.Rank> ranks = new ConcurrentLinkedQueue<>();
        Map<Integer, SourceCounters> deliveries = new ConcurrentHashMap<>();
        AtomicInteger left = new AtomicInteger(shards.size());
        for (Shard shard : shards) {
            shard.strand().submit(() -> {
                ranks.addAll(shard.count(credit).ranksOf(job));
                deliveries.putAll(shard.deliveries(job));
                shard.core().closeJob(job, why);
                if (left.decrementAndGet() == 0) {
                    done.accept(new ClosedRanks(ranks, deliveries));
                }
            });
        }
    }

    /**
     * The ranks here of a job that has been closed.
     *
     * @param ranks their last states
     * @param deliveries by rank, what it was given; nobody counts any more
     */
    public record ClosedRanks(Collection<ShardStatus.Rank> ranks, Map<Integer, SourceCounters> deliveries) {}

    /** Updates the counters of every shard, and then calls back in some shard's strand. */
    public void count(Runnable done) {
        AtomicInteger left = new AtomicInteger(shards.size());
        for (Shard shard : shards) {
            shard.strand().submit(() -> {
                shard.count(credit);
                if (left.decrementAndGet() == 0) {
                    done.run();
                }
            });
        }
    }

    /** Runs work in the strand of every shard. */
    public void each(Consumer<Shard> work) {
        shards.forEach(shard -> shard.strand().submit(() -> work.accept(shard)));
    }

    /** The deliveries to a job's ranks, by source and destination. Completes in some shard's strand. */
    public Future<List<PairTraffic>> traffic(long job) {
        List<Future<List<PairTraffic>>> parts = new ArrayList<>();
        for (Shard shard : shards) {
            Promise<List<PairTraffic>> part = Promise.promise();
            parts.add(part.future());
            shard.strand().submit(() -> part.complete(shard.traffic(job)));
        }
        return Future.all(parts).map(all -> parts.stream().flatMap(part -> part.result().stream()).toList());
    }

    /** Asks a job's ranks for checkpoints. @return those that were asked ({@code RelayCore}); completes in some shard's strand */
    public Future<List<Integer>> askCheckpoints(long job) {
        List<Future<List<Integer>>> parts = new ArrayList<>();
        for (Shard shard : shards) {
            Promise<List<Integer>> part = Promise.promise();
            parts.add(part.future());
            shard.strand().submit(() -> part.complete(shard.core().askCheckpoints(job)));
        }
        return Future.all(parts).map(all -> parts.stream().flatMap(part -> part.result().stream()).sorted().toList());
    }

    /** The last counters of the shards. */
    public List<ShardStatus> status() {
        return shards.stream().map(Shard::status).toList();
    }
}
