package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * Decides everything that a relay decides: who may join, where a frame goes, which message a receive gets, who gets
 * credit. A state machine with a single owner: only the owner calls its methods, and each returns at once.
 *
 * <p>All input enters here and is passed to the class that decides it. {@link OpenJobs} holds the jobs; {@link
 * RankLifecycle} handles ranks that connect and leave. {@link RankFrames} and {@link PeerFrames} handle the frames of ranks
 * and of other cores, and {@link Deliveries} the messages. {@link RecoveryFrames} handles ranks and relays that reconnect,
 * and {@link Checkpoints} the points from which a rank can restart. {@link CollectiveMismatchDetector} and {@link StallReporter} detect
 * ranks that wait in vain. A {@link JournalFailure} ends its job and is not thrown further.
 *
 * <p>docs/architecture.md describes the path of a message. A frame of a rank that breaks the protocol causes a {@link
 * WireException}, which closes that rank's connection. Such a frame of another core ends the job that it names.
 */
public final class RelayCore {
    private final OpenJobs jobs;
    private final RankLifecycle lives;
    private final RankFrames rankFrames;
    private final PeerFrames peerFrames;
    private final FailureFrames failureFrames;
    private final Deliveries deliveries;
    private final RecoveryFrames recoveryFrames;
    private final Checkpoints checkpoints;
    private final ForwardCounts forwardCounts = new ForwardCounts();
    private final StallReporter stallReporter = new StallReporter();
    private final CollectiveMismatchDetector collectiveMismatchDetector = new CollectiveMismatchDetector(stallReporter);
    private final HistorySource historySource;
    private final StorageResults storageResults;

    /**
     * @param relay this relay's id in the homes of a job
     * @param shards number of cores of the relay, over which its ranks are spread
     * @param pool memory for messages that wait for their receives, which the relay's cores share
     * @param nanoTime the owner's clock, used for metrics and for reports of blocked ranks
     * @param historySource reads the histories of ranks
     * @param images stores the checkpoint images of ranks
     */
    public RelayCore(
            String relay, CoreConfig config, int shards, UnexpectedPool pool, LongSupplier nanoTime, HistorySource historySource,
            CheckpointImages checkpointImages) {
        this.historySource = historySource;
        jobs = new OpenJobs(relay, shards, forwardCounts);
        checkpoints = new Checkpoints(checkpointImages);
        deliveries = new Deliveries(config, shards, pool, new MatchTimes(nanoTime), checkpoints);
        failureFrames = new FailureFrames(deliveries);
        lives = new RankLifecycle(relay, config, deliveries, checkpoints, collectiveMismatchDetector, failureFrames, historySource);
        rankFrames = new RankFrames(config, deliveries, historySource, checkpoints, lives.followers());
        peerFrames = new PeerFrames(deliveries, forwardCounts, historySource);
        recoveryFrames = new RecoveryFrames(deliveries);
        storageResults = new StorageResults(jobs, recoveryFrames, checkpoints, lives);
    }

    // ---- jobs and ranks

    /**
     * Opens a job, so that its ranks may connect and messages for them may wait.
     *
     * @param peerOf the core that a rank is at home at; null if that is this one
     * @param journal the job's, or {@link Journal#NONE}
     */
    public Job openJob(JobOpen opening, IntFunction<Peer> peerOf, JobOwner owner, Journal journal) throws Refusal {
        return jobs.open(opening, peerOf, owner, journal);
    }

    /**
     * Restores a job to its state at the last write of the relay's log. Call it once, right after {@link #openJob} and
     * before any rank or peer connects. Afterwards the job's ranks are awaited, have finalized, or have never
     * connected.
     *
     * @param ranks all ranks of the job that are at home at this relay, those of its other cores included. Their
     *     messages are only read, so call this for one core after the other.
     */
    public void restore(Job job, List<RecoveredRank> ranks) {
        new JobRecovery(deliveries).restore(job, ranks);
    }

    /**
     * Restores what the relay's log says of the job's failures. Call it after {@link #restore}.
     *
     * @param frames RANK_FAILED, REVOKE and AGREED, in the order of the log
     */
    public void restoreFailures(Job job, List<ByteBuffer> frames) throws WireException {
        failureFrames.restore(job, frames);
    }

    /** Ends a job: tells all connected ranks and discards the job's state. */
    public void closeJob(long id, CloseNotice why) {
        Job job = jobs.remove(id);
        if (job != null) {
            historySource.forget(id);
            forwardCounts.forget(job);
            job.homedRanks().forEach(rank -> lives.end(rank, why));
        }
    }

    public Collection<Job> jobs() {
        return jobs.all();
    }

    /** The job with this id, or null. */
    public Job job(long id) {
        return jobs.job(id);
    }

    /** Bytes that senders of offers have under way beyond one window each. */
    long lentBytes() {
        return deliveries.grants().lentBytes();
    }

    /** Bytes that senders of offers were cleared to send and that have not arrived. */
    public long underWayBytes() {
        return deliveries.grants().underWayBytes();
    }

    /** Number of senders of offers that wait to be cleared because there is no room for their payload. */
    int sendersThatWait() {
        return deliveries.grants().sendersThatWait();
    }

    /** Counts and waits of the messages matched here since the core's start: a copy. */
    public MatchStatistics statistics() {
        return deliveries.statistics();
    }

    /**
     * Handles a rank's HELLO: at its start, after a process of it has ended, or after {@link #move} asked it to
     * reconnect. A process that has lost its connection cannot reconnect to it.
     *
     * <p>The port gets the {@link RankPort#welcome} before anything else; then the frames that were held while the rank
     * moved, or the beginning of its replay, or the deaths and revocations that were before it came.
     *
     * @param state the entries of the rank's STATE pages
     */
    public void connect(Hello hello, List<StatePage.Entry> state, RankPort port) throws Refusal {
        HomedRank rank = lives.connect(jobs.require(hello.job()), hello, state, port);
        port.welcome(rank, lives.welcome(rank), OpenChannels.state(rank));
        if (rank.state() == RankState.MOVING) {
            rank.endMove(port);
            writable(rank);
        } else if (rank.state() == RankState.REPLAYING) {
            RankReconnection.tell(rank);
            rank.replay().begin();
        } else {
            FailureFrames.tellKnown(rank);
        }
    }

    /**
     * The token that a client must prove to know in order to connect as this rank.
     *
     * @throws Refusal if there is no such job
     */
    public Token tokenOf(Identify client) throws Refusal {
        return jobs.require(client.job()).token().ofRank(client.rank());
    }

    /**
     * The home of the rank that a client would be; empty if the job has no such rank.
     *
     * @throws Refusal if there is no such job
     */
    public Optional<RankHome> homeOf(Identify client) throws Refusal {
        Job job = jobs.require(client.job());
        if (client.rank() < 0 || client.rank() >= job.size()) {
            return Optional.empty();
        }
        return Optional.of(new RankHome(job.home(client.rank()).relay(), job.isInLog()));
    }

    /**
     * Tells the job's launcher that a client failed this proof.
     *
     * @return the reason of the refusal
     */
    public Refusal unproven(Identify client) {
        try {
            return RankLifecycle.unproven(jobs.require(client.job()), client.rank());
        } catch (Refusal ended) {
            return ended;
        }
    }

    /**
     * Asks a connected rank to reconnect, so that another thread may serve it (docs/wire.md, moving). The rank's
     * operations continue until it answers. A rank in replay is asked once it is live. A rank in any other state is not
     * asked.
     *
     * @return whether it is asked now, was asked before, or will be asked
     */
    public boolean move(HomedRank rank) {
        return RankLifecycle.askMove(rank);
    }

    /**
     * Handles a rank that did not reconnect in time after its {@code move}-th move began. Does nothing if it has
     * reconnected.
     */
    public void moveFailed(HomedRank rank, int move, CloseNotice why) {
        rank.job().guarded(() -> lives.moveFailed(rank, move, why));
    }

    /**
     * Handles the end of a rank's connection on {@code port}. Does nothing if the rank has another connection by now.
     */
    public void disconnected(HomedRank rank, RankPort port, CloseNotice why) {
        rank.job().guarded(() -> lives.disconnected(rank, port, why));
    }

    // ---- followers

    /**
     * Handles the HELLO of a process that is to follow a rank's leader. Its incarnation is its number among all
     * processes of the rank. It observes the rank's history as far as that is safe, without an end, and says only the
     * checksums of what it would send, until it is promoted.
     */
    public void follow(Hello hello, List<StatePage.Entry> state, FollowerPort port) throws Refusal {
        lives.follow(jobs.require(hello.job()), hello, state, port);
    }

    /**
     * Handles a frame of a follower. Once {@link FollowerPort#promoted} was called, all further frames of its
     * connection go to {@link #fromRank}, those included that it sent before it knew.
     */
    public void fromFollower(HomedRank rank, FollowerPort port, Frame frame) throws WireException {
        lives.followers().take(rank, port, frame);
    }

    /** A follower that was slow to read is writable again. */
    public void writable(HomedRank rank, FollowerPort port) {
        lives.followers().writable(rank, port);
    }

    /**
     * More of the log may be safe for what the jobs' durability covers: followers get it. Call it after each turn of
     * input, and when the log was synced.
     *
     * @param synced the log position up to which all records are on the disk itself
     */
    public void logSafe(long synced) {
        lives.followers().logSafe(synced);
    }

    /** Whether a process follows a rank here. */
    public boolean hasFollowers() {
        return lives.followers().any();
    }

    /** Whether {@link #logSafe} has more for a follower once the log is synced up to its end. */
    public boolean waitsForSync() {
        return lives.followers().waitsForSync();
    }

    /**
     * Drops followers that are too far behind, and promotes others whose leader has not come again. Call it about once a second.
     *
     * @param bytesFrom bytes that the log has from a position on
     */
    public void lookAtFollowers(LongUnaryOperator bytesFrom) {
        lives.followers().look(bytesFrom);
    }

    /**
     * The owner's verdict is that the rank's process is dead or too slow. If a follower is there, the process is fenced,
     * and the follower leads.
     *
     * @return whether there was one
     */
    public boolean depose(HomedRank rank, CloseNotice why) {
        return lives.depose(rank, why);
    }

    // ---- checkpoints

    /** The launcher has kept a rank's output up to this position, or all of it, in which case the rank is done. */
    public void outputKept(JobKept kept) {
        HomedRank rank = jobs.homed(kept.job(), kept.rank());
        if (rank == null) {
            return;
        }
        if (kept.isDone()) {
            RankLifecycle.done(rank);
        } else {
            rank.job().guarded(() -> checkpoints.outputKept(rank, kept));
        }
    }

    /**
     * Asks a rank to take a checkpoint, so that the log can be cut.
     *
     * @return whether it was asked
     */
    public boolean askCheckpoint(long id, int number) {
        HomedRank rank = jobs.homed(id, number);
        boolean asked = rank != null && rank.state() == RankState.CONNECTED && rank.checkpoints().save() == null;
        if (asked) {
            rank.port().point(CheckpointNotice.of(id, CheckpointNotice.Kind.ASK, 0, 0));
        }
        return asked;
    }

    /**
     * Asks all connected ranks of a logged job that are here to take checkpoints.
     *
     * @return those that were asked, or save now, and whose programs have checkpoints as far as is known
     */
    public List<Integer> askCheckpoints(long id) {
        List<Integer> able = new ArrayList<>();
        Job job = jobs.job(id);
        for (int number = 0; job != null && job.isInLog() && number < job.size(); number++) {
            askCheckpoint(id, number);
            HomedRank rank = jobs.homed(id, number);
            if (rank != null && rank.state() == RankState.CONNECTED && rank.checkpoints().outputNotes().hasPrologue()) {
                able.add(number);
            }
        }
        return able;
    }

    /**
     * Handles a change of the log space, which is short or free again. The launchers of logged jobs are notified; once
     * space is free again, senders may continue.
     */
    public void roomChanged(boolean holds, String text) {
        stallReporter.room(holds, jobs.all(), deliveries.times().now());
        for (Job job : List.copyOf(jobs.all())) {
            if (job.isInLog()) {
                job.report(JobEvent.LOG_STATE, -1, holds ? 1 : 0, text);
            }
        }
        if (!holds) {
            deliveries.grants().release();
        }
    }

    /** A journal in memory holds senders no more. */
    public void memoryFreed() {
        deliveries.grants().release();
    }

    /** Where the storage of histories and images puts its results. */
    public StorageResults storage() {
        return storageResults;
    }

    // ---- frames of ranks

    /**
     * Handles a rank's frame other than HELLO, STATE and CLOSE. The frame is dropped if the log accepts nothing more of
     * the job, since it may depend on events that are not logged. The rank resends it to the relay's next process. An
     * ABORT is never dropped.
     */
    public void fromRank(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        if (view.type() == FrameType.ABORT) {
            lives.aborted(rank, CloseNotice.decode(frame.copy()));
        } else if (!rank.job().isUnloggable()) {
            switch (view.type()) {
                case BLOCKED -> blocked(rank, BlockedReport.decode(frame.copy()));
                case POINT -> pointed(rank, CheckpointNotice.decode(frame.copy()));
                case REVOKE, AGREE -> failed(rank, frame);
                default -> fromConnected(rank, frame);
            }
        }
    }

    /** The rank is blocked in a call, or no longer. */
    private void blocked(HomedRank rank, BlockedReport blockedReport) throws WireException {
        collectiveMismatchDetector.blocked(rank, blockedReport, deliveries.times().now());
    }

    /** What the rank's program does about failures. */
    private void failed(HomedRank rank, Frame frame) throws WireException {
        try {
            failureFrames.fromRank(rank, frame);
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    /** A notice about the rank's checkpoints. */
    private void pointed(HomedRank rank, CheckpointNotice checkpointNotice) throws WireException {
        try {
            checkpoints.point(rank, checkpointNotice);
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    private void fromConnected(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        if (rank.state() != RankState.CONNECTED && rank.state() != RankState.REPLAYING) {
            throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from " + rank + ", which is " + rank.state());
        }
        if (view.job() != rank.job().id()) {
            throw new WireException(CloseReason.UNKNOWN_JOB, view.type() + " for job " + Job.hexId(view.job()) + " from " + rank);
        }
        try {
            switch (view.type()) {
                case FINALIZE -> lives.beginFinalize(rank, view);
                case MOVE -> RankLifecycle.beginMove(rank);
                case LIVE -> {
                    recoveryFrames.live(rank);
                    FailureFrames.tellKnown(rank);
                    writable(rank);
                }
                default -> rankFrames.take(rank, frame);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    /** A rank that was slow to read is writable again: resumes what waited for that. */
    public void writable(HomedRank rank) {
        rank.receives().clearUnreadAnswers();
        try {
            if (rank.replay() == null) {
                deliveries.goOn(rank);
            } else {
                recoveryFrames.goOn(rank);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    // ---- frames of other cores

    /**
     * Handles a frame that another core passed on. Frames of jobs that have ended here are dropped.
     *
     * @return whether it was handled. If false, it was dropped because the log accepts nothing more of its job. The
     *     sender may need it for the relay's next process, until the job has ended here.
     */
    public boolean fromPeer(Peer peer, Frame frame) {
        FrameView view = frame.view();
        Job job = job(view.job());
        if (job == null) {
            return true;
        }
        if (job.isUnloggable()) {
            return false;
        }
        try {
            peerFrames.take(job, peer, frame);
        } catch (WireException e) {
            breach(peer, job.id(), e);
        } catch (JournalFailure e) {
            job.fail(e);
        }
        return !job.isUnloggable();
    }

    /** Handles another core's frame about failures: RANK_FAILED, REVOKE, AGREE or AGREED. */
    public void failure(Peer peer, Frame frame) {
        Job job = job(frame.view().job());
        if (job != null && !job.isUnloggable()) {
            try {
                failureFrames.fromPeer(job, peer, frame);
            } catch (WireException e) {
                breach(peer, job.id(), e);
            } catch (JournalFailure e) {
                job.fail(e);
            }
        }
    }

    /**
     * The launcher knows that this process of a rank has ended, or that it cannot be reached.
     *
     * @return whether it is still connected, and what it has sent may not have been read: {@link #fence} is to follow
     */
    public boolean rankFailed(RankFailed failed) {
        HomedRank rank = jobs.homed(failed.job(), failed.rank());
        try {
            return rank != null && lives.ended(rank, failed.incarnation());
        } catch (JournalFailure e) {
            rank.job().fail(e);
            return false;
        }
    }

    /** The connection of a process that has {@link #rankFailed} must have ended by now: closes it if it has not. */
    public void fence(RankFailed failed) {
        HomedRank rank = jobs.homed(failed.job(), failed.rank());
        if (rank != null) {
            rank.job().guarded(() -> lives.fence(rank, failed.incarnation()));
        }
    }

    /** The link to another core is down, or up again. */
    public void linked(Peer peer, boolean up) {
        stallReporter.linked(peer, up, jobs.all(), deliveries.times().now());
    }

    /** Handles another core's report of a rank blocked in a call, or its judgement of a rank that is at home here. */
    public void stalled(Peer peer, FrameType type, BlockedReport blockedReport) {
        Job job = job(blockedReport.job());
        if (job != null && !job.isUnloggable()) {
            try {
                collectiveMismatchDetector.stalled(job, peer, type, blockedReport, deliveries.times().now());
            } catch (WireException e) {
                breach(peer, job.id(), e);
            }
        }
    }

    /**
     * Ends a job because another core breaks the protocol in it. A peer without a rank of the job cannot end it: its
     * frame is dropped, and the error is passed to {@link Peer#onStranger}.
     */
    public void breach(Peer peer, long id, WireException what) {
        Job job = job(id);
        if (job != null && job.peers().contains(peer)) {
            job.fail(what.reason(), what.getMessage() + ", from " + peer);
        } else if (job != null) {
            peer.onStranger(what.getMessage() + ", of " + job);
        }
    }

    /**
     * Handles the restart of a peer's relay, which loses all frames on the way to it and from it. Jobs that are logged
     * there continue. All other jobs with ranks there end, except those of which no rank has connected here. Call it
     * before anything that the peer sends after its restart.
     *
     * @param unacknowledged the frames, in order, that this core has passed on to the peer and that are not known to be
     *     handled. Those that their jobs still need are passed on again. The way to the peer discards them: those of
     *     kept frames count in {@link #handled} only when handled after that. The core takes its own hold on frames
     *     that it needs; the caller keeps its hold on all.
     */
    public void peerRestarted(Peer peer, List<Frame> unacknowledged) {
        recoveryFrames.peerRestarted(peer, forwardCounts, List.copyOf(jobs.all()), unacknowledged);
    }

    /**
     * Removes a peer that is gone, after {@link #peerRestarted}. No job has ranks there or will have. If its relay
     * returns, it is a new peer.
     */
    public void forget(Peer peer) {
        forwardCounts.forget(peer);
        stallReporter.forget(peer);
    }

    /**
     * Frames that ranks keep were handled by the core that they were passed on to.
     *
     * @param survivesHost whether they belong to jobs that survive the host, which a peer behind a link counts
     *     separately; else false
     * @param frames how many of the kept frames that this core has passed on to the peer since it began; the first ones
     */
    public void handled(Peer peer, boolean survivesHost, long frames) {
        forwardCounts.of(peer, survivesHost).handled(frames, lives::safer);
    }

    /** Fails a job that cannot continue because of a fault outside the core. */
    public void failJob(long id, CloseReason closeReason, String detail) {
        Job job = job(id);
        if (job != null) {
            job.fail(closeReason, detail);
        }
    }
}
