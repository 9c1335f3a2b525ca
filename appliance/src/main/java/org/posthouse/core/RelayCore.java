package org.posthouse.core;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * All that a relay decides: who may join, where a frame goes, which receive gets which message, who is given credit.
 * A single-owner state machine; every method is called by its owner and returns at once.
 *
 * <p>The way of a message is DESIGN section 3. A frame from a rank that breaks the protocol is answered with a {@link
 * WireException}, which closes that rank's connection; a frame from another core that does so ends the job it names.
 */
public final class RelayCore {
    private final String relay;
    private final CoreConfig config;
    private final int shards;
    private final Deliveries deliveries;
    private final RankFrames rankFrames;
    private final PeerFrames peerFrames;
    private final Mismatches mismatches = new Mismatches();
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /**
     * @param relay this relay's id in the homes of a job
     * @param shards how many cores the relay has: its ranks are spread over them
     * @param nanoTime the owner's clock; nothing but {@link Latencies} depends on it
     */
    public RelayCore(String relay, CoreConfig config, int shards, LongSupplier nanoTime) {
        this.relay = relay;
        this.config = config;
        this.shards = shards;
        deliveries = new Deliveries(config, shards, new MatchTimes(nanoTime));
        rankFrames = new RankFrames(config, deliveries);
        peerFrames = new PeerFrames(deliveries);
    }

    // ---- jobs and ranks

    /**
     * Opens a job, so that its ranks may come and messages for them may wait.
     *
     * @param peerOf the core that a rank is at home at; null if that is this one
     * @param journal the job's, or {@link Journal#NONE}
     */
    public Job openJob(JobOpen opening, IntFunction<Peer> peerOf, JobWatch watch, Journal journal) throws Refusal {
        if (jobs.containsKey(opening.job())) {
            throw new Refusal(Reason.DUPLICATE_JOB, "job " + Job.hexId(opening.job()) + " is open already");
        }
        int self = Job.indexOf(relay, opening.homes());
        if (self < 0) {
            throw new Refusal(
                    Reason.WRONG_SITE,
                    "job " + Job.hexId(opening.job()) + " has no rank at relay " + relay + "; its homes: " + opening.homes());
        }
        int cores = shards * opening.homes().size();
        Job job = new Job(opening, self, peerOf, cores, watch, journal);
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

    /** How long matched messages had waited for a receive; confined to the owner. */
    public Latencies messageWaits() {
        return deliveries.times().messages();
    }

    /** How long matched receives had waited for a message; confined to the owner. */
    public Latencies receiveWaits() {
        return deliveries.times().receives();
    }

    /**
     * A rank says HELLO: at its start, or again after it was asked to {@link #move}. A restart or any other reconnect,
     * which would need what was logged, is refused by name.
     *
     * @return the connected rank; {@link #welcome} is what to answer, and then, if it is {@link RankState#MOVING}, {@link
     *     #moved} is to be called
     */
    public HomedRank connect(Hello hello, List<StatePage.Entry> state, RankPort port) throws Refusal {
        authenticate(hello);
        Job job = job(hello);
        try {
            HomedRank rank = admit(job, hello, state);
            if (rank.state() != RankState.MOVING) {
                rank.connect(port, hello.incarnation());
                job.report(JobEvent.CONNECTED, rank.rank(), 0, "");
            }
            return rank;
        } catch (Refusal refusal) {
            refused(job, hello, refusal);
            throw refusal;
        }
    }

    private static void refused(Job job, Hello hello, Refusal refusal) {
        job.report(JobEvent.REFUSED, hello.rank(), refusal.reason().code(), refusal.getMessage());
    }

    private Job job(Hello hello) throws Refusal {
        Job job = jobs.get(hello.job());
        if (job == null) {
            throw new Refusal(Reason.UNKNOWN_JOB, "job " + Job.hexId(hello.job()) + " is not open at relay " + relay);
        }
        return job;
    }

    /** Refuses whoever does not know the job's token. */
    public void authenticate(Hello hello) throws Refusal {
        Job job = job(hello);
        if (!job.token().matches(hello.token())) {
            Refusal refusal = new Refusal(
                    Reason.WRONG_TOKEN,
                    "rank " + hello.rank() + " of job " + job.hexId() + " came with a token that is not the job's");
            refused(job, hello, refusal);
            throw refusal;
        }
    }

    private HomedRank admit(Job job, Hello hello, List<StatePage.Entry> state) throws Refusal {
        String who = "rank " + hello.rank() + " of job " + job.hexId();
        HomedRank rank = job.homed(hello.rank());
        if (rank == null) {
            throw new Refusal(
                    Reason.WRONG_RANK,
                    hello.rank() >= 0 && hello.rank() < job.size()
                            ? who + " is at home at relay " + job.home(hello.rank()).relay() + ", not at " + relay
                            : who + ", which has ranks 0 to " + (job.size() - 1));
        }
        if (rank.state() == RankState.MOVING && hello.incarnation() == rank.incarnation()) {
            checkCounters(rank, hello, state);
            return rank;
        }
        if (rank.state() != RankState.WAITING && hello.incarnation() <= rank.incarnation()) {
            throw new Refusal(
                    Reason.FENCED,
                    who + " with incarnation " + hello.incarnation() + ", but incarnation " + rank.incarnation() + " is "
                            + rank.state());
        }
        boolean fresh = hello.start() == Hello.FRESH && hello.deliveries() == 0 && hello.failedPolls() == 0 && state.isEmpty();
        if (rank.state() != RankState.WAITING || !fresh) {
            throw new Refusal(
                    Reason.CANNOT_RESUME,
                    who + " is " + rank.state() + " after " + rank.messagesDelivered() + " deliveries and comes with "
                            + hello.deliveries() + "; this version starts a rank once");
        }
        return rank;
    }

    /** A rank that was asked to move has seen all that it was sent, and the relay all that the rank sent. */
    private static void checkCounters(HomedRank rank, Hello hello, List<StatePage.Entry> state) throws Refusal {
        long sent = 0;
        for (StatePage.Entry channel : state) {
            int to = channel.peer();
            if (to < 0 || to >= rank.job().size()) {
                throw new Refusal(Reason.CANNOT_RESUME, rank + " has sent to rank " + to + ", which the job has not");
            }
            HomedRank local = rank.job().homed(to);
            long known = local == null
                    ? rank.outgoing().lastSequence(channel.context(), to)
                    : local.mailbox().lastSequence(channel.context(), rank.rank());
            if (channel.kind() != StatePage.SENT || channel.a() != known) {
                throw new Refusal(
                        Reason.CANNOT_RESUME,
                        rank + " has sent up to sequence " + channel.a() + " to rank " + to + " in context "
                                + channel.context() + ", known here: " + known);
            }
            sent += known;
        }
        if (sent != rank.messagesSent() || hello.deliveries() != rank.deliveriesSent()) {
            throw new Refusal(
                    Reason.CANNOT_RESUME,
                    rank + " comes with " + hello.deliveries() + " deliveries and " + sent + " sends, known here: "
                            + rank.deliveriesSent() + " and " + rank.messagesSent());
        }
    }

    /**
     * Asks a connected rank to connect again, so that another thread may serve it (docs/wire.md, moving); whatever it is
     * doing goes on until it answers. Any other rank stays as it is.
     *
     * @return whether it is asked, now or since before
     */
    public boolean move(HomedRank rank) {
        if (rank.state() == RankState.CONNECTED && !rank.isMoveAsked()) {
            rank.askMove();
        }
        return rank.state() == RankState.CONNECTED;
    }

    /** The rank that moved has been welcomed on {@code port}: it gets what was held for it. */
    public void moved(HomedRank rank, RankPort port) {
        rank.endMove(port);
        writable(rank);
    }

    /** A rank that began its {@code move}-th move has not come in time. Does nothing if it has. */
    public void moveFailed(HomedRank rank, int move, Notice why) {
        if (rank.state() == RankState.MOVING && rank.moves() == move) {
            leave(rank, RankState.LOST);
            rank.job().report(JobEvent.LOST, rank.rank(), why.code(), why.text());
        }
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
                false,
                rank.deliveriesSent(),
                0,
                0,
                0,
                0,
                job.self(),
                job.homes(),
                job.homeOf(),
                new int[0]);
    }

    /** A rank's connection ended: the one of {@code port}; if the rank has another by now, nothing has happened. */
    public void disconnected(HomedRank rank, RankPort port, Notice why) {
        if (rank.state() == RankState.CONNECTED && rank.port() == port) {
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
            } else if (view.type() == FrameType.MOVE) {
                beginMove(rank);
            } else {
                rankFrames.take(rank, frame);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    private static void beginMove(HomedRank rank) throws WireException {
        if (!rank.isMoveAsked()) {
            throw new WireException(Reason.NOT_EXPECTED, "MOVE from " + rank + ", which was not asked to");
        }
        RankPort port = rank.port();
        rank.beginMove();
        port.close(Notice.closing(rank.job().id(), Reason.MOVED, "connect again"));
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

    // ---- frames of other cores

    /** A frame that another core passed on. Frames of jobs that have ended here are dropped. */
    public void fromPeer(Peer peer, Frame frame) {
        FrameView view = frame.view();
        Job job = jobs.get(view.job());
        if (job == null) {
            return;
        }
        try {
            peerFrames.take(job, peer, frame);
        } catch (WireException e) {
            job.fail(e.reason(), e.getMessage() + ", from " + peer);
        } catch (JournalFailure e) {
            job.fail(e.reason(), e.getMessage());
        }
    }

    /** A rank of another core is blocked in a collective, or that core judges one at home here. */
    public void stalled(Peer peer, FrameType type, Stall stall) {
        Job job = jobs.get(stall.job());
        if (job != null) {
            mismatches.stalled(job, peer, type, stall);
        }
    }

    /** What relays share has gone: the peer's relay has restarted and forgotten its jobs. */
    public void forgotten(Peer peer) {
        for (Job job : List.copyOf(jobs.values())) {
            if (job.peers().contains(peer)) {
                job.fail(Reason.CANNOT_RESUME, peer + " was restarted");
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
