package org.posthouse.core;

import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.JobEvent;

/**
 * Tells launchers which ranks at home here have stood still in a call for long, and which of them go on. Only the
 * launcher knows whether all ranks of a job stand still. While a link of the job is down, or its log has no room, the
 * program is not at fault and nobody is told. Part of {@link RelayCore}; {@link BlockedRanks} keeps the reports.
 */
final class StallReporter {
    private final Set<Peer> cut = new HashSet<>();

    /** Whether the log has too little room for the jobs that are logged. */
    private boolean full;

    /** A rank says where it is blocked, or that it goes on. It says so again every few seconds: nothing else is waited for. */
    void word(Job job, BlockedReport word, long nowNanos) {
        boolean goesOn = job.blocked().word(word, nowNanos);
        tellBehind(job, word);
        HomedRank rank = job.homed(word.rank());
        if (rank == null) {
            return;
        }
        if (goesOn) {
            tellGoesOn(job, word.rank());
        }
        if (!isExcused(job) && job.blocked().tells(word.rank(), nowNanos)) {
            told(rank).ifPresent(job::report);
        }
    }

    /**
     * What can be said for certain where the rank is at home that a send waits for: it has asked for all that it asks for before its own send is matched, and this one is not matched. So it is matched later, if ever; and
     * of sends that wait for each other in a ring each would be matched later than itself (ADR 62). Nothing of that depends on when words come.
     */
    private static void tellBehind(Job job, BlockedReport word) {
        if (!word.waitsForMatch()) {
            return;
        }
        if (job.homed(word.peer()) != null) {
            tellBehind(job, word, word.peer());
        }
        if (job.homed(word.rank()) != null) {
            job.blocked().sendingTo(word.rank()).forEach(send -> tellBehind(job, send, word.rank()));
        }
    }

    private static void tellBehind(Job job, BlockedReport send, int to) {
        BlockedReport other = job.blocked().sending(to);
        Message offer = other == null || job.homed(to).state() != RankState.CONNECTED
                ? null
                : job.homed(to).mailbox().offer(send.context(), send.rank(), send.group());
        if (offer != null && offer.clearedUpTo() == SuppressedSends.NOT_CLEARED && job.blocked().tellsBehind(send, other)) {
            String why = offer.isStorable() ? " (no room for it before its receive)" : " (it waits for its receive, by its length or mode)";
            job.report(new JobEvent(job.id(), JobEvent.SENDS_BEHIND, send.rank(), to, send.number(), other.number(), send.text() + why));
        }
    }

    /** What the launcher was told of a rank that stands still; empty if nothing. */
    static Optional<JobEvent> told(HomedRank rank) {
        Job job = rank.job();
        return job.blocked().isTold(rank.rank())
                ? job.blockedIn(rank.rank()).map(blocked -> new JobEvent(job.id(), JobEvent.BLOCKED, rank.rank(), (int) BlockedCall.LONG_S, blocked.in()))
                : Optional.empty();
    }

    private static void tellGoesOn(Job job, int rank) {
        job.report(JobEvent.BLOCKED, rank, 0, "");
    }

    private boolean isExcused(Job job) {
        return full && job.logged() || job.peers().stream().anyMatch(cut::contains);
    }

    /** The link to another core is down, or up again. */
    void linked(Peer peer, boolean up, Collection<Job> jobs, long nowNanos) {
        boolean changed = up ? cut.remove(peer) : cut.add(peer);
        if (changed) {
            jobs.stream().filter(job -> job.peers().contains(peer)).forEach(job -> excuse(job, nowNanos));
        }
    }

    /** No job has ranks at that core any more. */
    void forget(Peer peer) {
        cut.remove(peer);
    }

    /** The log has too little room, or room again. */
    void room(boolean holds, Collection<Job> jobs, long nowNanos) {
        full = holds;
        jobs.stream().filter(Job::logged).forEach(job -> excuse(job, nowNanos));
    }

    private static void excuse(Job job, long nowNanos) {
        job.blocked().excuse(nowNanos).stream().filter(rank -> job.homed(rank) != null).forEach(rank -> tellGoesOn(job, rank));
    }
}
