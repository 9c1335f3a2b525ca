package org.posthouse.relay;

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
import org.posthouse.core.Claim;
import org.posthouse.core.Job;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what restarted ranks would send again with what they had sent to one shard's ranks, on the thread that reads
 * histories, a strand's turn of claims at a time. Called inside the shard's strand, but for what {@link SentBefore} does.
 *
 * <p>What was read for a rank that has claimed nothing for a minute is forgotten: it has caught up, mostly, and what it claims later is read anew.
 */
final class Resends {
    /** Whoever has claimed nothing between two looks, which are so far apart, is forgotten. */
    static final long LOOK_MS = 60_000;

    /** Claims that may wait for that thread: some 26 MiB. A rank that sends again faster than the log is read is not held up for it; what is beyond is not compared. */
    static final int WAITING_MAX = 262_144;

    private static final Logger LOG = LoggerFactory.getLogger(Resends.class);

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

    /** Who has claimed something since the last look. Confined like that, as is {@link #looking}. */
    private final Set<Source> lately = new HashSet<>();

    private final long lookMs;
    private boolean looking;

    private List<Resent> turn = new ArrayList<>();

    /** Claims that were taken and not compared yet. */
    private final AtomicInteger waiting = new AtomicInteger();

    /** Of whom it was said that not all is compared. Confined to the strand. */
    private final Set<Source> passedOver = new HashSet<>();

    Resends(Shard shard, Histories histories, long lookMs) {
        this.shard = shard;
        this.histories = histories;
        this.lookMs = lookMs;
        histories.journal().onCut(() -> histories.thread().execute(() -> before.values().forEach(SentBefore::onCut)));
    }

    /** A rank would have sent a message again. */
    void add(long job, int source, Claim claim) {
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

    /** Claims that wait. Thread-safe. */
    int waiting() {
        return waiting.get();
    }

    private void compareTurn() {
        List<Resent> claims = turn;
        turn = new ArrayList<>();
        histories.thread().execute(() -> claims.forEach(this::compare));
    }

    private void compare(Resent resent) {
        waiting.decrementAndGet();
        Source source = resent.source();
        lately.add(source);
        lookNowAndThen();
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

    private void lookNowAndThen() {
        if (!looking) {
            looking = true;
            Runnable look = () -> histories.thread().execute(this::look);
            histories.journal().background().scheduleWithFixedDelay(look, lookMs, lookMs, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        forgetThose(source -> !lately.contains(source));
        lately.clear();
    }

    /** The job has ended: nothing of it is compared any more. */
    void forget(long job) {
        passedOver.removeIf(source -> source.job() == job);
        histories.thread().execute(() -> forgetThose(source -> source.job() == job));
    }

    private void forgetThose(Predicate<Source> which) {
        for (Iterator<Map.Entry<Source, SentBefore>> it = before.entrySet().iterator(); it.hasNext();) {
            Map.Entry<Source, SentBefore> entry = it.next();
            if (which.test(entry.getKey())) {
                entry.getValue().close();
                it.remove();
            }
        }
    }
}
