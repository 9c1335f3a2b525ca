package org.posthouse.core;

import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.JobEvent;

/**
 * Reports to launchers which ranks at home here have stood still in a call for long, and which of them have continued.
 * Only the launcher knows whether all ranks of a job stand still. While a link of the job is down, or its log has no
 * room, the program is not at fault and no standstill is reported. Part of {@link RelayCore}; {@link BlockedRanks}
 * keeps the reports.
 */
final class StallReporter {
    private final Set<Peer> cut = new HashSet<>();

    /** Whether the log has too little room for the jobs that are logged. */
    private boolean full;

    /**
     * A rank reports the call in which it is blocked, or its end. Reports are repeated every few seconds, and no timer
     * is needed.
     */
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
     * Reports a send that waits behind the send of its destination, at the home of the destination. The destination has
     * posted all receives that precede its own send's match, and none matches this send. So this send is matched later,
     * if ever. In a ring of such sends each would be matched later than itself (ADR 62). The result does not depend on
     * when the reports arrive.
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

    /** The standstill that was reported to the launcher for this rank; empty if none was. */
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
        return full && job.isInLog() || job.holdsSenders() || job.peers().stream().anyMatch(cut::contains);
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
        jobs.stream().filter(Job::isInLog).forEach(job -> excuse(job, nowNanos));
    }

    private static void excuse(Job job, long nowNanos) {
        job.blocked().excuse(nowNanos).stream().filter(rank -> job.homed(rank) != null).forEach(rank -> tellGoesOn(job, rank));
    }
}
