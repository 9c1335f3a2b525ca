package org.posthouse.core;

import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Point;
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
    private final int shards;
    private final Deliveries deliveries;
    private final Historian historian;
    private final Checkpoints checkpoints;
    private final Admissions admissions;
    private final RankFrames rankFrames;
    private final PeerFrames peerFrames;
    private final Comebacks comebacks;
    private final Crossings crossings = new Crossings();
    private final Standstills standstills = new Standstills();
    private final Mismatches mismatches = new Mismatches(standstills);
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /** The job that was asked for last, as a rule the next one too; null if that is gone. */
    private Job latest;

    /**
     * @param relay this relay's id in the homes of a job
     * @param shards how many cores the relay has: its ranks are spread over them
     * @param nanoTime the owner's clock; nothing but figures depends on it
     * @param historian where the histories of ranks are
     * @param images where their images are
     */
    public RelayCore(
            String relay, CoreConfig config, int shards, LongSupplier nanoTime, Historian historian, Images images) {
        this.relay = relay;
        this.shards = shards;
        this.historian = historian;
        checkpoints = new Checkpoints(images);
        deliveries = new Deliveries(config, shards, new MatchTimes(nanoTime), checkpoints);
        admissions = new Admissions(relay, config, historian, this::leave);
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
        Job job = new Job(opening, self, peerOf, peer -> crossings.of(peer, opening.survivesHost()), cores, watch, journal);
        jobs.put(job.id(), job);
        return job;
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
    public void closeJob(long id, Notice why) {
        Job job = jobs.remove(id);
        if (job == null) {
            return;
        }
        latest = null;
        historian.forget(id);
        crossings.forget(job);
        for (HomedRank rank : job.homedRanks()) {
            checkpoints.drop(rank);
            RankPort port = rank.port();
            if (port != null) {
                rank.disconnect(RankState.LOST);
                job.report(JobEvent.LOST, rank.rank(), why.code(), "the job was closed");
                port.aborted(why);
            }
            deliveries.forget(rank);
            rank.release();
        }
    }

    public Collection<Job> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /** The job with this id, or null. */
    public Job job(long id) {
        if (latest == null || latest.id() != id) {
            latest = jobs.get(id);
        }
        return latest;
    }

    /** What senders of offers have under way beyond a window each. */
    long lentBytes() {
        return deliveries.lentBytes();
    }

    /** What senders of offers were told to send, and is not here. */
    long underWayBytes() {
        return deliveries.underWayBytes();
    }

    /** How many of them wait for the word that they may go on, as there is no room for what would come. */
    int sendersThatWait() {
        return deliveries.sendersThatWait();
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
        Job job = job(hello);
        try {
            Admissions.authenticate(job, hello);
            return admissions.admit(job, hello, state, port, deliveries.times().now());
        } catch (JournalFailure e) {
            job.fail(e.reason(), e.getMessage()); // Whoever was the rank has been closed, and nobody can be let in.
            throw new Refusal(e.reason(), e.getMessage());
        } catch (Refusal refusal) {
            boolean isElsewhere = refusal.reason() == Reason.WRONG_RANK && hello.rank() >= 0 && hello.rank() < job.size();
            if (!isElsewhere) { // Which takes this relay for its own one, and tries on: its launcher knows.
                refused(job, hello, refusal);
            }
            throw refusal;
        }
    }

    private static void refused(Job job, Hello hello, Refusal refusal) {
        job.report(JobEvent.REFUSED, hello.rank(), refusal.reason().code(), refusal.getMessage());
    }

    private Job job(Hello hello) throws Refusal {
        Job job = job(hello.job());
        if (job == null) {
            throw new Refusal(Reason.UNKNOWN_JOB, "job " + Job.hexId(hello.job()) + " is not open at relay " + relay);
        }
        return job;
    }

    /** Refuses whoever does not know the job's token, before he tells what he remembers. */
    public void authenticate(Hello hello) throws Refusal {
        Job job = job(hello);
        try {
            Admissions.authenticate(job, hello);
        } catch (Refusal refusal) {
            refused(job, hello, refusal);
            throw refusal;
        }
    }

    /**
     * Asks a connected rank to connect again, so that another thread may serve it (docs/wire.md, moving); whatever it is
     * doing goes on until it answers. One that is replayed is asked when it is live. Any other rank stays as it is.
     *
     * @return whether it is asked, now or since before, or will be
     */
    public boolean move(HomedRank rank) {
        boolean there = rank.state() == RankState.CONNECTED || rank.state() == RankState.REPLAYING;
        if (there && !rank.isMoveAsked()) {
            rank.askMove();
        }
        return there;
    }

    /** The rank that moved has been welcomed on {@code port}: it gets what was held for it. */
    public void moved(HomedRank rank, RankPort port) {
        rank.endMove(port);
        writable(rank);
    }

    /** A rank that began its {@code move}-th move has not come in time. Does nothing if it has. */
    public void moveFailed(HomedRank rank, int move, Notice why) {
        if (rank.state() == RankState.MOVING && rank.moves() == move) {
            lose(rank, why);
        }
    }

    /** The answer to a rank that {@link #connect} admitted; {@link #state} follows it. */
    public Welcome welcome(HomedRank rank) {
        return admissions.welcome(rank);
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
        if (rank.replay() != null && rank.replay().number() == replay) {
            try {
                rank.replay().past(steps);
                askForPieces(rank);
            } catch (JournalFailure e) {
                rank.job().fail(e.reason(), e.getMessage());
            }
        }
    }

    /** What the log misses of the rank's history its senders have. */
    private void askForPieces(HomedRank rank) {
        if (rank.replay() != null && rank.takesPieces()) {
            comebacks.askForPieces(rank);
        }
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
        if (rank.replay() != null && rank.replay().number() == replay) {
            rank.job().fail(Reason.LOG_DAMAGED, "the history of " + rank + ": " + why);
        }
    }

    /** A rank's connection ended: the one of {@code port}; if the rank has another by now, nothing has happened. */
    public void disconnected(HomedRank rank, RankPort port, Notice why) {
        boolean replayed = rank.replay() != null && rank.replay().port() == port;
        if (replayed || rank.state() == RankState.CONNECTED && rank.port() == port) {
            lose(rank, why);
        }
    }

    /** The rank has gone without a word: for ever, or until its next incarnation comes. */
    private void lose(HomedRank rank, Notice why) {
        boolean awaited = rank.job().logged();
        leave(rank, awaited ? RankState.AWAY : RankState.LOST);
        rank.job().report(awaited ? JobEvent.AWAY : JobEvent.LOST, rank.rank(), why.code(), why.text());
    }

    /** Credit that waited for the rank to read goes back: what it paid for is no longer held here. */
    private void leave(HomedRank rank, RankState next) {
        List<Message> deferred = List.copyOf(rank.deferred());
        List<Message> readingBack = List.copyOf(rank.readingBack());
        checkpoints.drop(rank);
        rank.disconnect(next);
        readingBack.forEach(message -> deliveries.abandon(rank, message));
        deferred.forEach(message -> deliveries.progress(rank, message));
    }

    // ---- checkpoints

    /** A word of a rank about its checkpoints. */
    public void pointed(HomedRank rank, Point point) throws WireException {
        try {
            checkpoints.point(rank, point);
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    /** A launcher has what a rank has printed up to here; or it has all, and the rank is done. */
    public void outputKept(JobKept kept) {
        HomedRank rank = homed(kept.job(), kept.rank());
        if (rank == null) {
            return;
        }
        if (kept.isDone()) {
            done(rank);
        } else {
            try {
                checkpoints.outputKept(rank, kept);
            } catch (JournalFailure e) {
                rank.job().fail(e.reason(), e.getMessage());
            }
        }
    }

    /** No process of the rank follows. Of one that has not called Finalize, as far as the log of a host that lost its power has it, nothing is given up. */
    private static void done(HomedRank rank) {
        if (rank.state() == RankState.FINALIZED) {
            rank.job().journal().done(rank.job().id(), rank.rank(), rank.incarnation());
        }
    }

    private HomedRank homed(long id, int number) {
        Job job = job(id);
        return job == null ? null : job.homed(number);
    }

    /** A rank is to take a checkpoint, so that the log can be cut. @return whether it was asked */
    public boolean askCheckpoint(long id, int number) {
        HomedRank rank = homed(id, number);
        boolean asked = rank != null && rank.state() == RankState.CONNECTED && rank.save() == null;
        if (asked) {
            rank.port().point(Point.of(id, Point.Kind.ASK, 0, 0));
        }
        return asked;
    }

    /** The log has too little room, or room again: logged jobs are told, and in that case senders may go on. */
    public void roomChanged(boolean holds, String text) {
        standstills.room(holds, jobs.values(), deliveries.times().now());
        for (Job job : List.copyOf(jobs.values())) {
            if (job.logged()) {
                job.report(JobEvent.LOG_STATE, -1, holds ? 1 : 0, text);
            }
        }
        if (!holds) {
            deliveries.release();
        }
    }

    /** So many bytes of a rank's image were written. */
    public void imageWritten(HomedRank rank, int save, long bytes) {
        checkpoints.written(rank, save, bytes);
    }

    /** A rank's image is on the disk. */
    public void imageKept(HomedRank rank, int save, ImageNote image) {
        try {
            checkpoints.kept(rank, save, image);
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    /** A rank's image could not be kept. */
    public void imageFailed(HomedRank rank, int save) {
        checkpoints.failed(rank, save);
    }

    /** A rank called Abort: its launcher ends the job. */
    public void aborted(HomedRank rank, Notice notice) {
        rank.job().report(JobEvent.ABORTED, rank.rank(), notice.code(), notice.text());
    }

    // ---- frames of ranks

    /** A frame other than HELLO, ABORT and CLOSE from a rank. */
    public void fromRank(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        if (rank.state() != RankState.CONNECTED && rank.state() != RankState.REPLAYING) {
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
            } else if (view.type() == FrameType.LIVE) {
                comebacks.live(rank);
                writable(rank);
            } else {
                rankFrames.take(rank, frame);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    private static void beginMove(HomedRank rank) throws WireException {
        if (!rank.isMoveAsked() || rank.isFinalizing()) {
            throw new WireException(
                    Reason.NOT_EXPECTED, "MOVE from " + rank + ", which " + (rank.isFinalizing() ? "has said FINALIZE" : "was not asked to"));
        }
        RankPort port = rank.port();
        rank.beginMove();
        port.close(Notice.closing(rank.job().id(), Reason.MOVED, "connect again"));
    }

    private void finalizeRank(HomedRank rank, FrameView view) throws WireException {
        if (rank.state() == RankState.REPLAYING) {
            throw new WireException(Reason.NOT_EXPECTED, "FINALIZE from " + rank + " before it was live");
        }
        RankFrames.logPolls(rank, view.finalizeFailedPolls());
        if (rank.job().logged()) {
            rank.beginFinalize();
        }
        if (!rank.job().logged() || rank.mayFinalize()) {
            finalizeRank(rank);
        }
    }

    private void finalizeRank(HomedRank rank) {
        RankPort port = rank.port();
        rank.job().journal().finalized(rank.job().id(), rank.rank(), rank.incarnation());
        leave(rank, RankState.FINALIZED);
        port.finalized();
        mismatches.finalized(rank);
        deliveries.finalized(rank);
        rank.job().report(JobEvent.FINALIZED, rank.rank(), 0, "");
    }

    /** A rank says that it is blocked in a call, or no more. */
    public void blocked(HomedRank rank, Stall stall) throws WireException {
        mismatches.blocked(rank, stall, deliveries.times().now());
    }

    /** A rank that was slow to read reads again: what depended on it goes on. */
    public void writable(HomedRank rank) {
        try {
            if (rank.replay() == null) {
                goOn(rank);
            } else {
                rank.replay().goOn();
                askForPieces(rank);
            }
        } catch (JournalFailure e) {
            rank.job().fail(e.reason(), e.getMessage());
        }
    }

    private void goOn(HomedRank rank) {
        rank.clearUnreadAnswers();
        for (int left = rank.deferred().size(); left > 0; left--) {
            deliveries.progress(rank, rank.deferred().remove());
        }
        deliveries.readBack(rank);
    }

    // ---- frames of other cores

    /** A frame that another core passed on. Frames of jobs that have ended here are dropped. */
    public void fromPeer(Peer peer, Frame frame) {
        FrameView view = frame.view();
        Job job = job(view.job());
        if (job == null) {
            return;
        }
        try {
            peerFrames.take(job, peer, frame);
        } catch (WireException e) {
            breach(peer, job.id(), e);
        } catch (JournalFailure e) {
            job.fail(e.reason(), e.getMessage());
        }
    }

    /** The link to another core is down, or up again. */
    public void linked(Peer peer, boolean up) {
        standstills.linked(peer, up, jobs.values(), deliveries.times().now());
    }

    /** What to tell a launcher that comes of a rank that it would have been told stands still. */
    public Optional<JobEvent> standstill(HomedRank rank) {
        return standstills.told(rank);
    }

    /** A rank of another core is blocked in a call, or that core judges one at home here. */
    public void stalled(Peer peer, FrameType type, Stall stall) {
        Job job = job(stall.job());
        if (job != null) {
            try {
                mismatches.stalled(job, peer, type, stall, deliveries.times().now());
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
     * others of its ranks end. To be called before anything that the peer says after its restart.
     *
     * @param unacknowledged the frames that this core has had passed on to it, in their order, of which it is not known
     *     that they were handled; those that the jobs still want are passed on again. The way to the peer forgets them: those
     *     of them that were kept are not counted in {@link #handled} but when they are handled as passed on again. What the
     *     core wants of them it holds; the frames stay the caller's
     */
    public void peerRestarted(Peer peer, List<Frame> unacknowledged) {
        comebacks.peerRestarted(peer, crossings, List.copyOf(jobs.values()), unacknowledged);
    }

    /**
     * Frames that ranks keep were handled by the core that they were passed on to.
     *
     * @param survivesHost whether they were of jobs that survive the host, which a peer behind a link counts by themselves; else false
     * @param frames how many of those that this core has passed on to it as kept, since this core began; the first ones
     */
    public void handled(Peer peer, boolean survivesHost, long frames) {
        crossings.of(peer, survivesHost).handled(frames, this::safer);
    }

    /** More of what the rank has sent is safe. */
    private void safer(HomedRank rank) {
        if (rank.port() == null) {
            return;
        }
        if (rank.mayFinalize()) {
            try {
                finalizeRank(rank);
            } catch (JournalFailure e) {
                rank.job().fail(e.reason(), e.getMessage());
            }
        } else if (rank.safety().isDue()) {
            rank.safety().tell(rank.port());
        }
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
    public void failJob(long id, Reason reason, String detail) {
        Job job = job(id);
        if (job != null) {
            job.fail(reason, detail);
        }
    }
}
