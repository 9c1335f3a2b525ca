package org.posthouse.relay;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.audit.Lifecycle;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.directory.RankEntry;
import org.posthouse.status.FollowerCounts;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to the ranks of open jobs: counts it, and tells it to their launchers, to operators, to the directory and, of divergences, to the log.
 * Confined to the relay's control strand.
 */
final class RankEvents {
    private static final Logger LOG = LoggerFactory.getLogger(RankEvents.class);

    private final Relay relay;
    private final Jobs jobs;
    private long divergences;
    private long followersPromoted;
    private long followersLost;
    private long followersDiverged;

    RankEvents(Relay relay, Jobs jobs) {
        this.relay = relay;
        this.jobs = jobs;
    }

    /** Tells a launcher that has come back the state of each rank, and the events it has missed. */
    void tellStandings(OpenJob job) {
        assert relay.inLoop();
        job.tellMissed();
        relay.shards().each(shard -> shard.standings(job.id()).forEach(this::onStanding));
        relay.joints().of(job.id()).forEach(joint -> relay.shards().each(shard -> limits(shard.standings(joint)).forEach(this::onStanding)));
    }

    /** Of a joint job's ranks, those that cannot be replayed there. One that has left has said so in its own job: an image saved there since then counts. */
    private static Stream<JobEvent> limits(List<JobEvent> standings) {
        Set<Integer> left = standings.stream().filter(event -> event.kind() == JobEvent.FINALIZED).map(JobEvent::rank).collect(Collectors.toSet());
        return standings.stream().filter(event -> event.kind() == JobEvent.LIMITED && !left.contains(event.rank()));
    }

    private void onStanding(JobEvent event) {
        relay.control().submit(() -> onEvent(event, null));
    }

    /** Called inside the rank's shard. */
    void onRankEvent(JobEvent event, HomedRank rank) {
        RankEntry entry = rank == null ? null : jobs.entry(event.job(), rank.rank(), rank.incarnation(), rank.state());
        relay.control().submit(() -> onEvent(event, entry));
    }

    /** What became of processes that followed ranks. */
    FollowerCounts followers() {
        return new FollowerCounts(followersPromoted, followersLost, followersDiverged);
    }

    private void count(JobEvent event) {
        followersPromoted += event.kind() == JobEvent.PROMOTED ? 1 : 0;
        boolean isLost = event.kind() == JobEvent.FOLLOWER_LOST;
        followersLost += isLost ? 1 : 0;
        followersDiverged += isLost && event.a() == CloseReason.DIVERGED.code() ? 1 : 0;
    }

    /** A job is back from the log, in which so many messages have diverged. */
    void recall(long jobsDivergences) {
        divergences += jobsDivergences;
    }

    /** Number of diverging messages of all jobs: messages that restarted ranks sent otherwise than before. */
    long divergences() {
        return divergences;
    }

    private void onEvent(JobEvent event, RankEntry entry) {
        assert relay.inLoop();
        OpenJob job = jobs.job(event.job());
        if (job != null && job.isTold(event)) {
            return;
        }
        LOG.info("{}: job {} rank {}: event {} {}", relay.id(), Job.hexId(event.job()), event.rank(), event.kind(), event.text());
        divergences += event.kind() == JobEvent.DIVERGED ? 1 : 0;
        count(event);
        if (job == null) {
            return;
        }
        if (entry != null) {
            relay.directory().putRanks(List.of(entry));
            if (entry.incarnation() > 0) {
                jobs.rankCame(job, entry.rank());
            }
        }
        note(job, event, entry == null ? 0 : entry.incarnation());
        if (OpenJob.stands(event)) {
            job.standStill(new JobEvent(event.job(), event.kind(), event.rank(), event.code(), event.text() + held(job)));
            return;
        }
        job.tell(event);
        relay.joints().onEvent(event);
        if (event.kind() == JobEvent.DIVERGED) {
            keepDivergences(job);
        } else if (event.kind() == JobEvent.CHECKPOINTED) {
            relay.status().onCheckpoint(job.id(), event.rank());
        }
    }

    /** With the number of the rank for that of its process. */
    private static JobEvent ofRank(JobEvent event, int ranks) {
        return event.rank() < ranks
                ? event
                : new JobEvent(event.job(), event.kind(), event.rank() % ranks, event.code(), event.a(), event.b(), event.text());
    }

    /** Tells operators. Ranks that lose their connection because the job has ended are no loss. */
    private void note(OpenJob job, JobEvent told, int incarnation) {
        if (job.state() == OpenJob.State.CLOSED) {
            return;
        }
        JobEvent event = ofRank(told, job.opening().ranks());
        RankLifecycle.describe(event, incarnation).ifPresent(what -> Lifecycle.event(relay.id(), what));
        if (OpenJob.stands(event)) {
            relay.events().add("JOB_STANDS_STILL", Job.hexId(job.id()), event.rank(), job.opening().name() + " stands still: " + event.text());
        } else {
            relay.events().add(event, job.opening().name());
        }
    }

    /**
     * Describes which relays are delayed by a job that stands still. The relay acknowledges the job's frames only after
     * its restart, and a link acknowledges in order.
     */
    private String held(OpenJob job) {
        String others = String.join(", ", jobs.others(job.opening()));
        return others.isEmpty() ? "" : "; until then it holds what comes from " + others + ", of whatever job: past the 64 MiB of a link's window that waits";
    }

    /**
     * Logs the first divergence, and each doubling of their number, because a rank may send millions of diverging
     * messages.
     */
    private void keepDivergences(OpenJob job) {
        if (job.opening().logged() && Long.bitCount(job.divergences()) == 1) {
            relay.log().diverged(job.id(), job.divergences(), job.divergence());
        }
    }
}
