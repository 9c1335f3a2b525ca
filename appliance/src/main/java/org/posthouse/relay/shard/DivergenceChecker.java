package org.posthouse.relay.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.posthouse.core.Job;
import org.posthouse.core.ResendClaim;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.LogTasks;
import org.posthouse.relay.log.SentMessageIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares suppressed sends of restarted ranks with what these ranks had sent to one shard's ranks. It runs on the
 * thread that reads histories, for one turn's claims at a time. Called inside the shard's strand, except what
 * {@link SentMessageIndex} does.
 *
 * <p>The records read for a rank are forgotten when it has claimed nothing for a minute. Most such ranks have caught
 * up; later claims are read again.
 */
final class DivergenceChecker {
    /** Milliseconds between looks; a rank that has claimed nothing between two looks is forgotten. */
    static final long LOOK_MS = 60_000;

    /**
     * Limit of claims that wait for the thread: about 26 MiB. A rank that resends faster than the log is read is not
     * delayed; claims beyond the limit are not compared.
     */
    static final int WAITING_MAX = 262_144;

    private static final Logger LOG = LoggerFactory.getLogger(DivergenceChecker.class);

    private record Source(long job, int rank) {
        @Override
        public String toString() {
            return "rank " + rank + " of job " + Job.hexId(job);
        }
    }

    private record Resent(Source source, ResendClaim claim) {}

    private final Shard shard;
    private final HistoryThreads historyThreads;

    /** Confined to the reading thread. */
    private final Map<Source, SentMessageIndex> before = new HashMap<>();

    /** Ranks with claims since the last look. Confined to the reading thread, as is {@link #looking}. */
    private final Set<Source> lately = new HashSet<>();

    private final long lookMs;
    private boolean looking;

    private List<Resent> turn = new ArrayList<>();

    /** Number of claims that wait for comparison. */
    private final AtomicInteger waiting = new AtomicInteger();

    /** Ranks of which it was logged that not all claims are compared. Confined to the strand. */
    private final Set<Source> passedOver = new HashSet<>();

    DivergenceChecker(Shard shard, HistoryThreads historyThreads, long lookMs) {
        this.shard = shard;
        this.historyThreads = historyThreads;
        this.lookMs = lookMs;
        historyThreads.log().onCut(() -> historyThreads.thread().execute(() -> before.values().forEach(SentMessageIndex::onCut)));
    }

    /** Adds a claim: a message that a rank would have sent again. */
    void add(long job, int source, ResendClaim claim) {
        Source of = new Source(job, source);
        if (waiting.get() >= WAITING_MAX) {
            passOver(of);
            return;
        }
        waiting.incrementAndGet();
        turn.add(new Resent(of, claim));
        if (turn.size() == 1) {
            shard.strand().post(this::compareTurn);
        }
    }

    private void passOver(Source source) {
        if (passedOver.add(source)) {
            LOG.warn("not all that {} would send again is compared with what was sent before: {} messages wait to be", source, WAITING_MAX);
        }
    }

    /** Number of waiting claims. Thread-safe. */
    int waiting() {
        return waiting.get();
    }

    private void compareTurn() {
        List<Resent> claims = turn;
        turn = new ArrayList<>();
        historyThreads.thread().execute(() -> claims.forEach(this::compare));
    }

    private void compare(Resent resent) {
        waiting.decrementAndGet();
        Source source = resent.source();
        lately.add(source);
        lookNowAndThen();
        LogTasks.attempt("not compared with what was sent before:", source, () -> {
            String difference = before.computeIfAbsent(
                    source, any -> new SentMessageIndex(
                            () -> historyThreads.log().points().sent(source.job(), source.rank()),
                            () -> historyThreads.log().firstPosition()))
                    .difference(resent.claim());
            if (!difference.isEmpty()) {
                shard.strand().post(() -> shard.core().storage().diverged(source.job(), source.rank(), resent.claim(), difference));
            }
        }, why -> {});
    }

    private void lookNowAndThen() {
        if (!looking) {
            looking = true;
            Runnable look = () -> historyThreads.thread().execute(this::look);
            historyThreads.log().background().scheduleWithFixedDelay(look, lookMs, lookMs, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        forgetThose(source -> !lately.contains(source));
        lately.clear();
    }

    /** Stops comparing for a job that has ended. */
    void forget(long job) {
        passedOver.removeIf(source -> source.job() == job);
        historyThreads.thread().execute(() -> forgetThose(source -> source.job() == job));
    }

    private void forgetThose(Predicate<Source> which) {
        for (Iterator<Map.Entry<Source, SentMessageIndex>> it = before.entrySet().iterator(); it.hasNext();) {
            Map.Entry<Source, SentMessageIndex> entry = it.next();
            if (which.test(entry.getKey())) {
                entry.getValue().close();
                it.remove();
            }
        }
    }
}
