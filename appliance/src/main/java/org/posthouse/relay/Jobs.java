package org.posthouse.relay;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.RankState;
import org.posthouse.core.Refusal;
import org.posthouse.directory.RankEntry;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that launchers have opened at this relay: begins and ends them in the shards, the log and the directory, and
 * tells their launchers what happens to their ranks. Confined to the relay's control strand.
 */
final class Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

    /** A job that is open here. */
    record Open(JobOpen opening, LauncherSession launcher, Journal journal, long startMs) {
        long id() {
            return opening.job();
        }

        /** As people know it. */
        @Override
        public String toString() {
            return "job " + Job.hexId(id()) + " (" + opening.name() + ")";
        }
    }

    private final Relay relay;
    private final Map<Long, Open> open = new LinkedHashMap<>();

    Jobs(Relay relay) {
        this.relay = relay;
    }

    Collection<Open> all() {
        return open.values();
    }

    /** How many ranks of open jobs are at home here. */
    int ranksHere() {
        return (int) open.values().stream().mapToLong(job -> here(job).count()).sum();
    }

    private IntStream here(Open job) {
        int self = Job.indexOf(relay.id(), job.opening().homes());
        int[] homeOf = job.opening().homeOf();
        return IntStream.range(0, homeOf.length).filter(rank -> homeOf[rank] == self);
    }

    /** The job with this id, or null. */
    Open job(long id) {
        return open.get(id);
    }

    /**
     * Opens a job, so that its ranks may come and messages for them may wait. Fails with a {@link Refusal}, or for want
     * of room in the log.
     */
    Future<Open> open(JobOpen opening, LauncherSession launcher) {
        Journal journal;
        try {
            check(opening);
            journal = opening.logged() ? relay.journal().forJob(opening) : Journal.NONE;
        } catch (Refusal | RuntimeException e) {
            return Future.failedFuture(e);
        }
        Open job = new Open(opening, launcher, journal, System.currentTimeMillis());
        open.put(job.id(), job);
        List<OtherRelay> elsewhere = opening.homes().stream().map(home -> relay.links().other(home.relay())).toList();
        Promise<Open> opened = Promise.promise();
        relay.shards().open(opening, elsewhere, this::onRankEvent, journal, refusal -> relay.control().submit(() -> {
            if (refusal == null) {
                LOG.info("{}: {} of {} ranks opened", relay.id(), job, opening.size());
                relay.directory().putRanks(waiting(job));
                relay.announce();
                opened.complete(job);
            } else {
                open.remove(job.id());
                opened.fail(refusal);
            }
        }));
        return opened.future();
    }

    private void check(JobOpen opening) throws Refusal {
        String job = "job " + Job.hexId(opening.job());
        if (open.containsKey(opening.job())) {
            throw new Refusal(Reason.DUPLICATE_JOB, job + " is open already");
        }
        if (opening.again()) {
            throw new Refusal(Reason.UNKNOWN_JOB, job + " is not open any more at relay " + relay.id());
        }
        if (Job.indexOf(relay.id(), opening.homes()) < 0) {
            throw new Refusal(
                    Reason.WRONG_SITE, job + " has no rank at relay " + relay.id() + "; its homes: " + opening.homes());
        }
        if (opening.logged() && !relay.journal().isOpen()) {
            throw new Refusal(Reason.NO_LOG, job + " is to be logged, at relay " + relay.id());
        }
    }

    private List<RankEntry> waiting(Open job) {
        return here(job).mapToObj(rank -> entry(job.id(), rank, 0, RankState.WAITING)).toList();
    }

    private RankEntry entry(long job, int rank, int incarnation, RankState state) {
        return new RankEntry(job, rank, relay.settings().site(), relay.id(), incarnation, state.name());
    }

    /** Called inside the rank's shard. */
    private void onRankEvent(JobEvent event, HomedRank rank) {
        RankEntry entry = rank == null ? null : entry(event.job(), rank.rank(), rank.incarnation(), rank.state());
        relay.control().submit(() -> onEvent(event, entry));
    }

    private void onEvent(JobEvent event, RankEntry entry) {
        LOG.info("{}: job {} rank {}: event {} {}", relay.id(), Job.hexId(event.job()), event.rank(), event.kind(), event.text());
        Open job = open.get(event.job());
        if (job == null) {
            return;
        }
        if (entry != null) {
            relay.directory().putRanks(List.of(entry));
        }
        job.launcher().onJobEvent(event);
    }

    /** Ends a job: whoever is still connected is told, and everything kept for it is forgotten. */
    void close(long id, Notice why) {
        Open job = open.get(id);
        if (job == null) {
            return;
        }
        LOG.info("{}: {} closed: status {} {}", relay.id(), job, why.code(), why.text());
        relay.shards().close(id, why, ranks -> relay.control().submit(() -> closed(job, why, ranks)));
    }

    private void closed(Open job, Notice why, Collection<ShardStatus.Rank> ranks) {
        if (open.remove(job.id()) == null) {
            return;
        }
        relay.status().onJobClosed(job, ranks, why.code() == 0);
        if (job.opening().logged()) {
            relay.journal().jobClosed(job.id(), why.code());
        }
        relay.directory().removeJob(job.id());
        relay.announce();
        relay.status().refresh();
        job.launcher().onJobEvent(new JobEvent(job.id(), JobEvent.CLOSED, -1, why.code(), ""));
    }
}
