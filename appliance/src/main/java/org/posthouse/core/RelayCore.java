package org.posthouse.core;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * All that a relay decides: who may join, where a frame goes, which receive gets which message, who is given credit.
 * A single-owner state machine; every method is called by its owner and returns at once.
 *
 * <p>The way of a message is DESIGN section 3. A frame from a rank that breaks the protocol is answered with a {@link
 * WireException}, which closes that rank's connection; a frame from another site that does so ends the job it names.
 */
public final class RelayCore {
    private final String relay;
    private final CoreConfig config;
    private final Function<JobOpen, Journal> journals;
    private final Deliveries deliveries;
    private final RankFrames rankFrames;
    private final SiteFrames siteFrames;
    private final Mismatches mismatches;
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /**
     * @param relay this relay's id in the homes of a job
     * @param journals opens the journal of a job that is logged; null from it means that there is no log
     */
    public RelayCore(String relay, CoreConfig config, SitePort sites, Function<JobOpen, Journal> journals) {
        this.relay = relay;
        this.config = config;
        this.journals = journals;
        deliveries = new Deliveries(config, sites);
        rankFrames = new RankFrames(config, sites, deliveries);
        siteFrames = new SiteFrames(sites, deliveries);
        mismatches = new Mismatches(sites);
    }

    // ---- jobs and ranks

    /** Opens a job, so that its ranks may come and messages for them may wait. */
    public Job openJob(JobOpen opening, JobWatch watch) throws Refusal {
        if (jobs.containsKey(opening.job())) {
            throw new Refusal(Reason.DUPLICATE_JOB, "job " + Job.hexId(opening.job()) + " is open already");
        }
        int self = Job.indexOf(relay, opening.homes());
        if (self < 0) {
            throw new Refusal(
                    Reason.WRONG_SITE,
                    "job " + Job.hexId(opening.job()) + " has no rank at relay " + relay + "; its homes: " + opening.homes());
        }
        Journal journal = opening.logged() ? journals.apply(opening) : Journal.NONE;
        if (journal == null) {
            throw new Refusal(Reason.NO_LOG, "job " + Job.hexId(opening.job()) + " is to be logged, at relay " + relay);
        }
        Job job = new Job(opening, self, watch, journal);
        jobs.put(job.id(), job);
        return job;
    }

    /** Ends a job: whoever is still connected is told, and everything kept for it is forgotten. */
    public void closeJob(long id, Notice why) {
        Job job = jobs.remove(id);
        if (job == null) {
            return;
        }
        for (HomedRank rank : job.homedRanks()) {
            RankPort port = rank.port();
            if (port != null) {
                rank.disconnect(RankState.LOST);
                job.report(JobEvent.LOST, rank.rank(), why.code(), "the job was closed");
                port.aborted(why);
            }
            rank.release();
            deliveries.forget(rank);
        }
        job.journal().jobClosed(id);
        job.report(JobEvent.CLOSED, -1, why.code(), "");
    }

    public Collection<Job> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /** The job with this id, or null. */
    public Job job(long id) {
        return jobs.get(id);
    }

    /** Messages matched to a receive, and messages that had to wait for one, since the relay's start. */
    public long messagesMatched() {
        return deliveries.messagesMatched();
    }

    public long messagesStored() {
        return deliveries.messagesStored();
    }

    /**
     * A rank says HELLO. Version 1 of the relay starts ranks only once: a restart or a reconnect, which would need what
     * was logged, is refused by name.
     *
     * @return the connected rank; {@link #welcome} is what to answer
     */
    public HomedRank connect(Hello hello, RankPort port) throws Refusal {
        Job job = jobs.get(hello.job());
        if (job == null) {
            throw new Refusal(Reason.UNKNOWN_JOB, "job " + Job.hexId(hello.job()) + " is not open at relay " + relay);
        }
        try {
            HomedRank rank = admit(job, hello);
            rank.connect(port, hello.incarnation());
            job.report(JobEvent.CONNECTED, rank.rank(), 0, "");
            return rank;
        } catch (Refusal refusal) {
            job.report(JobEvent.REFUSED, hello.rank(), refusal.reason().code(), refusal.getMessage());
            throw refusal;
        }
    }

    private HomedRank admit(Job job, Hello hello) throws Refusal {
        String who = "rank " + hello.rank() + " of job " + job.hexId();
        if (!job.token().matches(hello.token())) {
            throw new Refusal(Reason.WRONG_TOKEN, who + " came with a token that is not the job's");
        }
        HomedRank rank = job.homed(hello.rank());
        if (rank == null) {
            throw new Refusal(
                    Reason.WRONG_RANK,
                    hello.rank() >= 0 && hello.rank() < job.size()
                            ? who + " is at home at relay " + job.home(hello.rank()).relay() + ", not at " + relay
                            : who + ", which has ranks 0 to " + (job.size() - 1));
        }
        if (rank.state() != RankState.WAITING && hello.incarnation() <= rank.incarnation()) {
            throw new Refusal(
                    Reason.FENCED,
                    who + " with incarnation " + hello.incarnation() + ", but incarnation " + rank.incarnation() + " is "
                            + rank.state());
        }
        boolean fresh = hello.deliveries() == 0 && hello.failedPolls() == 0 && hello.sent().isEmpty();
        if (rank.state() != RankState.WAITING || !fresh) {
            throw new Refusal(
                    Reason.CANNOT_RESUME,
                    who + " is " + rank.state() + " after " + rank.messagesDelivered() + " deliveries and comes with "
                            + hello.deliveries() + "; this version starts a rank once");
        }
        return rank;
    }

    /** The answer to a rank that {@link #connect} admitted. */
    public Welcome welcome(HomedRank rank) {
        Job job = rank.job();
        return new Welcome(
                job.id(),
                rank.rank(),
                rank.incarnation(),
                config.creditBytes(),
                config.creditMessages(),
                rank.messagesDelivered(),
                List.of(),
                job.self(),
                job.homes(),
                job.homeOf());
    }

    /** A rank's connection ended. */
    public void disconnected(HomedRank rank, Notice why) {
        if (rank.state() == RankState.CONNECTED) {
            leave(rank, RankState.LOST);
            rank.job().report(JobEvent.LOST, rank.rank(), why.code(), why.text());
        }
    }

    /** Credit that waited for the rank to read goes back: what it paid for is no longer held here. */
    private void leave(HomedRank rank, RankState next) {
        List<Message> deferred = List.copyOf(rank.deferred());
        List<Message> readingBack = List.copyOf(rank.readingBack());
        rank.disconnect(next);
        readingBack.forEach(message -> deliveries.abandon(rank, message));
        deferred.forEach(message -> deliveries.progress(rank, message));
    }

    /** A rank called Abort: its launcher ends the job. */
    public void aborted(HomedRank rank, Notice notice) {
        rank.job().report(JobEvent.ABORTED, rank.rank(), notice.code(), notice.text());
    }

    // ---- frames of ranks

    /** A frame other than HELLO, ABORT and CLOSE from a rank. */
    public void fromRank(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        if (rank.state() != RankState.CONNECTED) {
            throw new WireException(Reason.NOT_EXPECTED, view.type() + " from " + rank + ", which is " + rank.state());
        }
        if (view.job() != rank.job().id()) {
            throw new WireException(Reason.UNKNOWN_JOB, view.type() + " for job " + Job.hexId(view.job()) + " from " + rank);
        }
        try {
            if (view.type() == FrameType.FINALIZE) {
                finalizeRank(rank, view);
            } else {
                rankFrames.take(rank, frame);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    private void finalizeRank(HomedRank rank, FrameView view) throws WireException {
        RankFrames.logPolls(rank, view.finalizeFailedPolls());
        RankPort port = rank.port();
        leave(rank, RankState.FINALIZED);
        port.finalized();
        mismatches.finalized(rank);
        rank.job().report(JobEvent.FINALIZED, rank.rank(), 0, "");
    }

    /** A rank says that it is blocked in a collective, or no more. */
    public void blocked(HomedRank rank, Stall stall) throws WireException {
        mismatches.blocked(rank, stall);
    }

    /** A rank that was slow to read reads again: what depended on it goes on. */
    public void writable(HomedRank rank) {
        rank.clearUnreadAnswers();
        for (int left = rank.deferred().size(); left > 0; left--) {
            deliveries.progress(rank, rank.deferred().remove());
        }
        try {
            deliveries.readBack(rank);
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    // ---- frames of other sites

    /** A frame that another site's relay passed on. Frames of jobs that have ended here are dropped. */
    public void fromSite(String site, Frame frame) {
        FrameView view = frame.view();
        Job job = jobs.get(view.job());
        if (job == null) {
            return;
        }
        try {
            siteFrames.take(job, site, frame);
        } catch (WireException e) {
            job.fail(e.reason(), e.getMessage() + ", from site " + site);
        } catch (JournalFailure e) {
            job.fail(e.reason(), e.getMessage());
        }
    }

    /** A rank of another site is blocked in a collective, or that site's relay judges one at home here. */
    public void stalled(String site, FrameType type, Stall stall) {
        Job job = jobs.get(stall.job());
        if (job != null) {
            mismatches.stalled(job, site, type, stall);
        }
    }

    /** What relays share has gone: the relay at {@code site} has restarted and forgotten its jobs. */
    public void forgotten(String site) {
        for (Job job : List.copyOf(jobs.values())) {
            if (job.isHome(site)) {
                job.fail(Reason.CANNOT_RESUME, "the relay at site " + site + " was restarted");
            }
        }
    }

    /** A fault outside the core leaves this job unable to go on. */
    public void failJob(long id, Reason reason, String detail) {
        Job job = jobs.get(id);
        if (job != null) {
            job.fail(reason, detail);
        }
    }
}
