package org.posthouse.core;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
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
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * All that a relay decides: who may join, where a frame goes, which receive gets which message, who is given credit.
 * A single-owner state machine; every method is called by its owner and returns at once.
 *
 * <p>What comes in comes in here, and is handed to who decides it: {@link OpenJobs} which jobs there are, {@link RankLives} how ranks come and go,
 * {@link RankFrames} and {@link PeerFrames} what they and other cores ask for, {@link Deliveries} what becomes of a message, {@link Comebacks} how a
 * rank or a relay comes back, {@link Checkpoints} where a rank can be started again from, {@link Mismatches} and {@link Standstills} who waits in
 * vain. A {@link JournalFailure} goes no further than here: its job ends.
 *
 * <p>The way of a message is in docs/architecture.md. A frame from a rank that breaks the protocol is answered with a {@link
 * WireException}, which closes that rank's connection; a frame from another core that does so ends the job it names.
 */
public final class RelayCore {
    private final OpenJobs jobs;
    private final RankLives lives;
    private final RankFrames rankFrames;
    private final PeerFrames peerFrames;
    private final Deliveries deliveries;
    private final Comebacks comebacks;
    private final Checkpoints checkpoints;
    private final Crossings crossings = new Crossings();
    private final Standstills standstills = new Standstills();
    private final Mismatches mismatches = new Mismatches(standstills);
    private final Historian historian;

    /**
     * @param relay this relay's id in the homes of a job
     * @param shards how many cores the relay has: its ranks are spread over them
     * @param nanoTime the owner's clock: figures depend on it, and what is said of ranks that are blocked
     * @param historian where the histories of ranks are
     * @param images where their images are
     */
    public RelayCore(
            String relay, CoreConfig config, int shards, LongSupplier nanoTime, Historian historian, Images images) {
        this(relay, config, shards, new OwnUnexpectedPool(config, shards), nanoTime, historian, images);
    }

    /** The same with a pool that the relay's cores share. */
    public RelayCore(
            String relay, CoreConfig config, int shards, UnexpectedPool pool, LongSupplier nanoTime, Historian historian, Images images) {
        this.historian = historian;
        jobs = new OpenJobs(relay, shards, crossings);
        checkpoints = new Checkpoints(images);
        deliveries = new Deliveries(config, shards, pool, new MatchTimes(nanoTime), checkpoints);
        lives = new RankLives(relay, config, deliveries, checkpoints, mismatches, historian);
        rankFrames = new RankFrames(config, deliveries, historian, checkpoints);
        peerFrames = new PeerFrames(deliveries, crossings, historian);
        comebacks = new Comebacks(deliveries);
    }

    // ---- jobs and ranks

    /**
     * Opens a job, so that its ranks may come and messages for them may wait.
     *
     * @param peerOf the core that a rank is at home at; null if that is this one
     * @param journal the job's, or {@link Journal#NONE}
     */
    public Job openJob(JobOpen opening, IntFunction<Peer> peerOf, JobOwner owner, Journal journal) throws Refusal {
        return jobs.open(opening, peerOf, owner, journal);
    }

    /**
     * Makes a job what it was when its relay's log was last written. To be called once, right after {@link #openJob} and
     * before anybody else comes: its ranks are awaited, have finalized, or have not been there.
     *
     * @param ranks all of the job's that are at home at this relay, those of its other cores included, whose messages are
     *     only looked at: to be called in one core after the other
     */
    public void restore(Job job, List<Recovered> ranks) {
        new Restoration(deliveries).restore(job, ranks);
    }

    /** Ends a job: whoever is still connected is told, and everything kept for it is forgotten. */
    public void closeJob(long id, CloseNotice why) {
        Job job = jobs.remove(id);
        if (job != null) {
            historian.forget(id);
            crossings.forget(job);
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

    /** What senders of offers have under way beyond a window each. */
    long lentBytes() {
        return deliveries.grants().lentBytes();
    }

    /** What senders of offers were told to send, and is not here. */
    long underWayBytes() {
        return deliveries.grants().underWayBytes();
    }

    /** How many of them wait for the word that they may go on, as there is no room for what would come. */
    int sendersThatWait() {
        return deliveries.grants().sendersThatWait();
    }

    /** Messages matched to a receive, and messages that had to wait for one, since the relay's start. */
    public long messagesMatched() {
        return deliveries.messagesMatched();
    }

    public long messagesStored() {
        return deliveries.messagesStored();
    }

    /** Messages sent to their ranks before there was a receive for them, since the start. */
    public long messagesPushed() {
        return deliveries.messagesPushed();
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
     * A rank says HELLO: at its start, after a process of it has ended, or again after it was asked to {@link #move}. A
     * process that has lost its connection cannot come back to it.
     *
     * @return the connected rank; {@link #welcome} and {@link #state} are what to answer, and then, if it is {@link
     *     RankState#MOVING}, {@link #moved} is to be called; if {@link RankState#REPLAYING}, {@link #replay}
     */
    public HomedRank connect(Hello hello, List<StatePage.Entry> state, RankPort port) throws Refusal {
        return lives.connect(jobs.require(hello.job()), hello, state, port);
    }

    /** What whoever says that he is this rank has to prove that he knows. @throws Refusal if there is no such job */
    public Token tokenOf(Identify client) throws Refusal {
        return jobs.require(client.job()).token().ofRank(client.rank());
    }

    /** Somebody could not, which the job's launcher is told. @return why he is refused */
    public Refusal unproven(Identify client) {
        try {
            return RankLives.unproven(jobs.require(client.job()), client.rank());
        } catch (Refusal ended) {
            return ended;
        }
    }

    /**
     * Asks a connected rank to connect again, so that another thread may serve it (docs/wire.md, moving); whatever it is
     * doing goes on until it answers. One that is replayed is asked when it is live. Any other rank stays as it is.
     *
     * @return whether it is asked, now or since before, or will be
     */
    public boolean move(HomedRank rank) {
        return RankLives.askMove(rank);
    }

    /** The rank that moved has been welcomed on {@code port}: it gets what was held for it. */
    public void moved(HomedRank rank, RankPort port) {
        rank.endMove(port);
        writable(rank);
    }

    /** A rank that began its {@code move}-th move has not come in time. Does nothing if it has. */
    public void moveFailed(HomedRank rank, int move, CloseNotice why) {
        lives.moveFailed(rank, move, why);
    }

    /** The answer to a rank that {@link #connect} admitted; {@link #state} follows it. */
    public Welcome welcome(HomedRank rank) {
        return lives.welcome(rank);
    }

    /** What the rank has to know about its channels. */
    public List<StatePage.Entry> state(HomedRank rank) {
        return OpenChannels.state(rank);
    }

    // ---- bringing a rank back

    /** The rank, which is {@link RankState#REPLAYING}, has been welcomed: its history begins. */
    public void replay(HomedRank rank) {
        Reconnections.tell(rank);
        rank.replay().begin();
    }

    /** The next steps of a rank's history, as the {@link Historian} was asked for. */
    public void past(HomedRank rank, int replay, List<Past> steps) {
        if (isReplayed(rank, replay)) {
            rank.job().guarded(() -> comebacks.past(rank, steps));
        }
    }

    private static boolean isReplayed(HomedRank rank, int replay) {
        return rank.replay() != null && rank.replay().number() == replay;
    }

    /** A restarted rank would have sent something else than it had sent before: the job's launcher is told. */
    public void diverged(long id, int source, Claim claim, String difference) {
        Job job = job(id);
        if (job != null) {
            job.diverged(source, claim.context(), claim.destination(), claim.sequence(), difference);
        }
    }

    /** A rank's history cannot be read. */
    public void pastUnreadable(HomedRank rank, int replay, String why) {
        if (isReplayed(rank, replay)) {
            rank.job().fail(new JournalDamaged("the history of " + rank + ": " + why, null));
        }
    }

    /** A rank's connection ended: the one of {@code port}; if the rank has another by now, nothing has happened. */
    public void disconnected(HomedRank rank, RankPort port, CloseNotice why) {
        lives.disconnected(rank, port, why);
    }

    // ---- checkpoints

    /** A word of a rank about its checkpoints; dropped as in {@link #fromRank}. */
    public void pointed(HomedRank rank, CheckpointNotice checkpointNotice) throws WireException {
        if (rank.job().isUnloggable()) {
            return;
        }
        try {
            checkpoints.point(rank, checkpointNotice);
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    /** A launcher has what a rank has printed up to here; or it has all, and the rank is done. */
    public void outputKept(JobKept kept) {
        HomedRank rank = jobs.homed(kept.job(), kept.rank());
        if (rank == null) {
            return;
        }
        if (kept.isDone()) {
            RankLives.done(rank);
        } else {
            rank.job().guarded(() -> checkpoints.outputKept(rank, kept));
        }
    }

    /** A rank is to take a checkpoint, so that the log can be cut. @return whether it was asked */
    public boolean askCheckpoint(long id, int number) {
        HomedRank rank = jobs.homed(id, number);
        boolean asked = rank != null && rank.state() == RankState.CONNECTED && rank.save() == null;
        if (asked) {
            rank.port().point(CheckpointNotice.of(id, CheckpointNotice.Kind.ASK, 0, 0));
        }
        return asked;
    }

    /** The log has too little room, or room again: logged jobs are told, and in that case senders may go on. */
    public void roomChanged(boolean holds, String text) {
        standstills.room(holds, jobs.all(), deliveries.times().now());
        for (Job job : List.copyOf(jobs.all())) {
            if (job.logged()) {
                job.report(JobEvent.LOG_STATE, -1, holds ? 1 : 0, text);
            }
        }
        if (!holds) {
            deliveries.grants().release();
        }
    }

    /** So many bytes of a rank's image were written. */
    public void imageWritten(HomedRank rank, int save, long bytes) {
        checkpoints.written(rank, save, bytes);
    }

    /** A rank's image is on the disk. */
    public void imageKept(HomedRank rank, int save, ImageNote image) {
        rank.job().guarded(() -> checkpoints.kept(rank, save, image));
    }

    /** A rank's image could not be kept. */
    public void imageFailed(HomedRank rank, int save) {
        checkpoints.failed(rank, save);
    }

    /** A rank called Abort: its launcher ends the job. */
    public void aborted(HomedRank rank, CloseNotice closeNotice) {
        rank.job().report(JobEvent.ABORTED, rank.rank(), closeNotice.code(), closeNotice.text());
    }

    // ---- frames of ranks

    /**
     * A frame other than HELLO, ABORT and CLOSE from a rank. It is dropped if the log takes nothing more of its job: it may follow from what is not logged, and the
     * rank says it again to the relay's next process.
     */
    public void fromRank(HomedRank rank, Frame frame) throws WireException {
        if (rank.job().isUnloggable()) {
            return;
        }
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
                case MOVE -> RankLives.beginMove(rank);
                case LIVE -> {
                    comebacks.live(rank);
                    writable(rank);
                }
                default -> rankFrames.take(rank, frame);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    /** A rank says that it is blocked in a call, or no more; dropped as in {@link #fromRank}: what it waits for may have been. */
    public void blocked(HomedRank rank, BlockedReport blockedReport) throws WireException {
        if (rank.job().isUnloggable()) {
            return;
        }
        mismatches.blocked(rank, blockedReport, deliveries.times().now());
    }

    /** A rank that was slow to read reads again: what depended on it goes on. */
    public void writable(HomedRank rank) {
        rank.clearUnreadAnswers();
        try {
            if (rank.replay() == null) {
                deliveries.goOn(rank);
            } else {
                comebacks.goOn(rank);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e);
        }
    }

    // ---- frames of other cores

    /**
     * A frame that another core passed on. Frames of jobs that have ended here are dropped.
     *
     * @return whether it was handled. Else it was dropped, as the log takes nothing more of its job: who has sent it may need it for the relay's next
     *     process, until the job has ended here
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

    /** The link to another core is down, or up again. */
    public void linked(Peer peer, boolean up) {
        standstills.linked(peer, up, jobs.all(), deliveries.times().now());
    }

    /** What to tell a launcher that comes of a rank that it would have been told stands still. */
    public Optional<JobEvent> standstill(HomedRank rank) {
        return standstills.told(rank);
    }

    /** A rank of another core is blocked in a call, or that core judges one at home here. */
    public void stalled(Peer peer, FrameType type, BlockedReport blockedReport) {
        Job job = job(blockedReport.job());
        if (job != null && !job.isUnloggable()) {
            try {
                mismatches.stalled(job, peer, type, blockedReport, deliveries.times().now());
            } catch (WireException e) {
                breach(peer, job.id(), e);
            }
        }
    }

    /**
     * Another core breaks the protocol in what it says of a job: the job ends. But it is nobody's to end that has no rank of the job: what such a one says
     * of it is dropped, and the peer is told what it was.
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
     * The peer's relay has restarted: what was on the way to it or from it is lost. Jobs that are logged there go on, all
     * others of its ranks end, but for those of which no rank has come here. To be called before anything that the peer says after its restart.
     *
     * @param unacknowledged the frames that this core has had passed on to it, in their order, of which it is not known
     *     that they were handled; those that the jobs still want are passed on again. The way to the peer forgets them: those
     *     of them that were kept are not counted in {@link #handled} but when they are handled as passed on again. What the
     *     core wants of them it holds; the frames stay the caller's
     */
    public void peerRestarted(Peer peer, List<Frame> unacknowledged) {
        comebacks.peerRestarted(peer, crossings, List.copyOf(jobs.all()), unacknowledged);
    }

    /** The peer is gone, behind {@link #peerRestarted}: no job has ranks there, and none will. If its relay comes again, that is another peer. */
    public void forget(Peer peer) {
        crossings.forget(peer);
        standstills.forget(peer);
    }

    /**
     * Frames that ranks keep were handled by the core that they were passed on to.
     *
     * @param survivesHost whether they were of jobs that survive the host, which a peer behind a link counts by themselves; else false
     * @param frames how many of those that this core has passed on to it as kept, since this core began; the first ones
     */
    public void handled(Peer peer, boolean survivesHost, long frames) {
        crossings.of(peer, survivesHost).handled(frames, lives::safer);
    }

    /** The ranks at home here that have a receive posted which names one of these sources. */
    public BitSet waitingFor(long id, IntPredicate sources) {
        BitSet waiting = new BitSet();
        Job job = job(id);
        if (job != null) {
            job.homedRanks().stream()
                    .filter(rank -> rank.mailbox().waitsForAny(sources))
                    .forEach(rank -> waiting.set(rank.rank()));
        }
        return waiting;
    }

    /** A fault outside the core leaves this job unable to go on. */
    public void failJob(long id, CloseReason closeReason, String detail) {
        Job job = job(id);
        if (job != null) {
            job.fail(closeReason, detail);
        }
    }
}
