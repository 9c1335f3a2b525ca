package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.posthouse.mpj.blocked.CallTracker;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.checkpoint.CheckpointClient;
import org.posthouse.mpj.checkpoint.CheckpointStore;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.determinant.DivergedException;
import org.posthouse.mpj.determinant.ThreadUseGuard;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.BackgroundOperation;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.mpj.send.DeliveredPrefix;
import org.posthouse.mpj.send.Outbox;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Confirmed;
import org.posthouse.wire.Durability;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobJoined;
import org.posthouse.wire.JointEnded;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * A rank's connection to its home relay. All state is guarded by the lock of its {@link ProgressEngine}, where threads
 * wait.
 *
 * <p>A message of up to 64 KiB is sent in one frame (SEND). One of up to {@link Settings#eagerBytesMax} is sent at once
 * in chunks (EAGER). Both forms need credit. Any other message is offered, and its bytes are sent after the match. So a
 * rank without credit never deadlocks on a message that another rank waits for.
 *
 * <p>In a logged job, {@link DeterminantLog} records what the program observes. A process that replaces a dead one
 * observes the same in the same order.
 *
 * <p>The rank reconnects when the relay asks for it, and in a logged job also when the connection has broken. The
 * reading thread reconnects, whatever call it is in. Meanwhile all calls that write wait, even those that otherwise
 * never block.
 */
public final class RelayEndpoint implements Endpoint, ProgressEngine.Owner, ObservationOrder.History {
    /**
     * Limit for the rank's ABORT: how long it waits for a connection that moves, is not read by the relay, or is in use
     * by another writing thread.
     */
    private static final long ABORT_MS_MAX = 10_000;

    /** Exit status of a program that cannot be replicated. */
    private static final int STATUS_REFUSED = 1;

    private final Platform machine;
    private final RelayConnection line;
    private final ProcessExit processExit;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog = new DeterminantLog();
    private final DeterminantWriter determinantWriter;
    private final DeterminantRecorder determinantRecorder;
    private final Outbox outbox;
    private final Inbox inbox;
    private final ProbeMatcher probeMatcher;
    private final RankFailures failures;
    private final Completions completions;
    private final Cancellations cancellations;
    private final CallTracker callTracker;
    private final ThreadUseGuard threadUseGuard;
    private final CheckpointClient checkpointClient;
    private final Handshake handshake;
    private final NameClient nameClient;
    private final RelayJobJoiner jobJoiner;
    private final int rank;
    private final long job;

    /** Whether a process of the job may follow another one, so that the history must be exact. */
    private final boolean replicated;

    /** Why nothing more is to come in this joint job; null if more is. Program calls hear of it when the replay is over. */
    private String ending;

    /** Written by the program's thread that closes the endpoint, read by any thread. */
    private volatile boolean closed;

    /** The ranks of a job whose ranks get new processes when they die; else 0. Written once, before the program has the endpoint. */
    private int ranks;

    /** Whether the program of a logged job goes on without ranks that stay dead. Written once, as above. */
    private boolean tellsDeaths;

    private RelayEndpoint(RelayJobJoiner.Reach reach, RelayConnection line, Hello hello, ProcessExit processExit) {
        Settings settings = reach.settings();
        this.machine = reach.machine();
        this.line = line;
        this.processExit = processExit;
        rank = hello.rank();
        job = hello.job();
        replicated = settings.replicated();
        progressEngine = new ProgressEngine(line, rank, this);
        determinantWriter = new DeterminantWriter(line, determinantLog, job);
        outbox = new Outbox(determinantWriter, job, rank, determinantLog, settings.eagerBytesMax());
        inbox = new Inbox(determinantWriter, job, rank, determinantLog, settings.ahead());
        determinantRecorder = new DeterminantRecorder(machine, line, progressEngine, determinantLog, determinantWriter, job, inbox::deliveries);
        determinantWriter.behindLive(inbox::live);
        callTracker = new CallTracker(line, progressEngine, determinantLog, outbox, inbox, this::lost, job, rank);
        threadUseGuard = new ThreadUseGuard(machine, progressEngine, determinantLog, () -> limitHere(ReplayLimit.THREADS));
        failures =
                new RankFailures(line, progressEngine, inbox, outbox, this::awaitLine, threadUseGuard, determinantLog, determinantRecorder, determinantWriter,
                        this::lost, job, rank);
        probeMatcher = new ProbeMatcher(line, progressEngine, determinantRecorder, inbox, callTracker, failures, this::awaitLine);
        completions = new Completions(progressEngine, determinantLog, determinantRecorder, callTracker, failures);
        cancellations = new Cancellations(line, progressEngine, determinantLog, determinantRecorder, inbox, outbox, this::awaitLine);
        checkpointClient = new CheckpointClient(determinantWriter, line, progressEngine, threadUseGuard, determinantLog, determinantRecorder, inbox, outbox,
                failures, job, this::lost);
        nameClient = new NameClient(line, progressEngine, determinantLog, determinantRecorder, this::awaitLine, job);
        jobJoiner = new RelayJobJoiner(this, reach, hello.incarnation(), line, progressEngine, determinantRecorder, this::awaitLine, job);
        handshake = new Handshake(line, hello, settings, determinantLog, determinantWriter, determinantRecorder, outbox, inbox, failures);
        if (processExit instanceof JointExit joint) {
            joint.ends(progressEngine);
        }
    }

    @Override
    public CheckpointStore vault() {
        return checkpointClient;
    }

    /**
     * Connects to the relay, authenticates as this rank, and sends HELLO.
     *
     * @param processExit how the process ends when the job or the connection does
     * @throws IOException if the relay cannot be reached, in one line that names it
     */
    static RelayEndpoint connect(String relay, Token token, Hello hello, Settings settings, ProcessExit processExit) throws IOException {
        return connect(Platform.REAL, relay, Credentials.of(token), hello, settings, processExit, false);
    }

    /**
     * As above, on the given machine.
     *
     * @param awaits whether to wait for a relay that is down and will return, because the job is logged
     */
    static RelayEndpoint connect(
            Platform machine, String relay, Credentials credentials, Hello hello, Settings settings, ProcessExit processExit, boolean awaits)
            throws IOException {
        RelayConnection line = RelayConnection.connect(machine, relay, credentials, settings, hello, awaits);
        RelayEndpoint endpoint = new RelayEndpoint(new RelayJobJoiner.Reach(machine, relay, credentials, settings), line, hello, processExit);
        endpoint.progressEngine.lock();
        try {
            endpoint.progressEngine.awaitLine();
        } finally {
            endpoint.progressEngine.unlock();
        }
        return endpoint;
    }

    @Override
    public int rank() {
        return rank;
    }

    /** The job has so many ranks, of which each may have several processes, one after the other. To be called before the program calls. */
    void rebuilds(int jobRanks) {
        ranks = jobRanks;
    }

    /** Whether the program of a logged job is told of ranks that stay dead. To be called before the program calls. */
    void tellsDeaths(boolean areTold) {
        tellsDeaths = areTold;
    }

    @Override
    public boolean isAlwaysWhole() {
        return failures().isEmpty() || determinantLog.isLogged() && !tellsDeaths;
    }

    @Override
    public int size() {
        return ranks > 0 ? ranks : handshake.size();
    }

    @Override
    public int processes() {
        return handshake.size();
    }

    @Override
    public int siteOf(int rank) {
        return handshake.siteOf(rank);
    }

    HomeRelay home(int rank) {
        return handshake.home(rank);
    }

    // ---- joint jobs

    @Override
    public Optional<JobJoiner> joiner() {
        return replicated ? Optional.empty() : Optional.of(jobJoiner);
    }

    /** Asks the relay whether this process may take part in a joint job. */
    JobJoined joined(JobJoin join) {
        return call(() -> jobJoiner.ask(join));
    }

    /** Reads until the relay has sent its last frame, so that all operations proceed whatever the program waits for. Runs in a thread of its own. */
    void keepReading() {
        while (readOnce()) {
            jobJoiner.tellEnded();
        }
    }

    private boolean readOnce() {
        progressEngine.lock();
        try {
            if (!progressEngine.isOver()) {
                jobJoiner.joinAgain();
                if (!jobJoiner.hasEnded()) {
                    progressEngine.await();
                }
            }
            return !progressEngine.isOver();
        } catch (FinalizedException e) {
            return false; // The last frame came while it waited: nothing is left to read.
        } catch (IOException e) {
            end(e);
            return false;
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public Optional<RankFailures> failures() {
        boolean isRecorded = !replicated && !(processExit instanceof JointExit);
        return determinantLog.isLogged() && !isRecorded ? Optional.empty() : Optional.of(failures);
    }

    /** Orders the program's calls here among those in the process's other endpoints. */
    void order(ObservationOrder order) {
        threadUseGuard.turn(order.turn(this));
        progressEngine.lock();
        try {
            progressEngine.onBlocked(() -> {
                if (!machine.isCollective() && !determinantLog.isCatchingUp() && !determinantLog.isReplaying()) {
                    order.blocked();
                }
            });
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public boolean isCatchingUp() {
        progressEngine.lock();
        try {
            return determinantLog.isCatchingUp();
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public void awaitReported() {
        locked(determinantRecorder::awaitTold);
    }

    /** One of the joint job's two jobs has ended. Calls of the program fail that would wait, once it has done what it had done before. */
    void endLater(String why) {
        locked(() -> {
            ending = why;
            endWaits();
        });
    }

    private void endWaits() throws IOException {
        if (ending != null && !progressEngine.isOver() && !determinantLog.isCatchingUp() && line.isOpen()) {
            progressEngine.endWaits(ending);
            ending = null;
        }
    }

    @Override
    public void askForAnswer() throws IOException {
        inbox.proceed();
        determinantWriter.ask();
        line.flush();
    }

    // ---- calls of the program

    /** A call of the program, which fails with the connection. */
    private interface Call<T> {
        T call() throws IOException;
    }

    /** A call of the program without a result. */
    private interface Action {
        void run() throws IOException;
    }

    /**
     * Makes a call with the lock. It counts among the overlapping calls of the program's threads. A lost connection ends
     * the process. Sends, receives and waits contain the same steps in place of a lambda: a lambda that captures
     * arguments costs up to 48 bytes for each message.
     */
    private <T> T call(Call<T> call) {
        threadUseGuard.enter();
        try {
            return call.call();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    /** Makes a call with the lock that does not count as one of the program's. A lost connection ends the process. */
    private void locked(Action action) {
        progressEngine.lock();
        try {
            action.run();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            progressEngine.unlock();
        }
    }

    // ---- sending

    /** Called without the lock: the answer is fixed when the endpoint is made. */
    @Override
    public boolean mayWaitForReceive(long bytes, SendMode mode) {
        return !outbox.mayBeStored(bytes, mode);
    }

    @Override
    public Operation send(int context, int destination, int tag, Content content, SendMode mode) {
        threadUseGuard.enter();
        try {
            awaitLine();
            readCredit(content, mode);
            Operation operation = startSend(context, destination, tag, content, mode);
            flush();
            return operation;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    @Override
    public Operation receive(int context, int source, int tag, Sink sink) {
        threadUseGuard.enter();
        try {
            awaitLine();
            Operation operation = post(context, source, tag, sink);
            flush();
            return operation;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    @Override
    public Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content, SendMode mode) {
        threadUseGuard.enter();
        try {
            awaitLine();
            readCredit(content, mode);
            Operation receive = post(context, source, receiveTag, sink);
            Operation send = startSend(context, destination, sendTag, content, mode);
            flush();
            return new Operation[] {receive, send};
        } catch (IOException e) {
            throw lost(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    /**
     * As {@link ProgressEngine#awaitLine}; then posts the receives that waited for the connection. A replay that has
     * received all that came reads more, so that it notices its end.
     */
    private void awaitLine() throws IOException {
        if (determinantLog.isReplaying() && !inbox.hasEarly()) {
            progressEngine.poll();
        }
        progressEngine.awaitLine();
        inbox.proceed();
    }

    /**
     * Reads what is in the socket, without blocking, before a message is offered only for want of credit. The input may
     * contain credit, and a rank that only sends reads nothing otherwise. An offer may have to wait for its receive.
     */
    private void readCredit(Content content, SendMode mode) throws IOException {
        if (!determinantLog.isReplaying() && outbox.wantsCredit(content.bytes(), mode)) {
            progressEngine.poll();
            awaitLine();
        }
    }

    /** Flushes the written frames. Suppressed sends (RESENT) of a replay wait for a later frame or the next read. */
    private void flush() throws IOException {
        if (outbox.takeUrgent() || !determinantLog.isCatchingUp()) {
            line.flush();
        }
    }

    private Operation startSend(int context, int destination, int tag, Content content, SendMode mode) throws IOException {
        progressEngine.moved();
        ReceiveException mismatch = callTracker.mismatch(context);
        boolean isLogged = determinantLog.isLogged();
        if (mismatch == null) {
            mismatch = isLogged ? failures.refusalAsLearned(context, destination) : failures.refusal(context, destination);
        }
        return mismatch == null
                ? outbox.send(context, destination, tag, content, mode, isLogged ? refusal(context, destination) : null)
                : Outbox.abandoned(context, destination, tag, content, mismatch);
    }

    // ---- receiving

    /** Why an operation fails that is called now. While the history is read it is told by that: {@link RankFailures#onHistory}. */
    private ReceiveException refusal(int context, int peer) {
        return determinantLog.isCatchingUp() ? null : failures.refusal(context, peer);
    }

    private Operation post(int context, int source, int tag, Sink sink) throws IOException {
        progressEngine.moved();
        PostedReceive postedReceive = new PostedReceive(context, source, tag, sink);
        ReceiveException mismatch = callTracker.mismatch(context);
        ReceiveException learned = failures.refusalAsLearned(context, source);
        ReceiveException refusal = refusal(context, source);
        if (mismatch != null) {
            postedReceive.abandon(mismatch);
        } else if (learned != null && learned.kind() == ReceiveException.Kind.REVOKED) {
            postedReceive.abandon(learned);
        } else if (refusal == null) {
            inbox.receive(postedReceive);
        } else if (refusal.kind() == ReceiveException.Kind.PROC_FAILED) {
            inbox.receiveWhatCame(postedReceive, refusal);
        } else if (determinantLog.isLogged()) {
            inbox.receiveWhatIsHere(postedReceive, refusal);
        } else {
            postedReceive.abandon(refusal);
        }
        return postedReceive;
    }

    @Override
    public Envelope probe(int context, int source, int tag, String call) {
        return call(() -> probeMatcher.probe(context, source, tag, call));
    }

    @Override
    public Envelope tryProbe(int context, int source, int tag) {
        return call(() -> probeMatcher.tryProbe(context, source, tag));
    }

    // ---- non-deterministic outcomes

    void countFailedPolls(int polls) {
        locked(() -> determinantRecorder.count(polls));
    }

    @Override
    public long value(LongSupplier source) {
        return call(() -> determinantRecorder.value(source));
    }

    @Override
    public NameAnswer names(NameAsk ask) {
        assert progressEngine.isLocked() : "asked outside of a recorded value's source";
        try {
            return nameClient.ask(ask);
        } catch (IOException e) {
            throw lost(e);
        }
    }

    @Override
    public long nanoTime() {
        if (!determinantLog.isLogged()) {
            return machine.nanoTime();
        }
        return call(() -> determinantRecorder.nanoTime());
    }

    @Override
    public boolean isReplaying() {
        progressEngine.lock();
        try {
            return determinantLog.isReplaying();
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public void limit(ReplayLimit reason) {
        threadUseGuard.beginTurn();
        try {
            limitHere(reason);
        } finally {
            threadUseGuard.endTurn();
        }
    }

    @Override
    public void limitHere(ReplayLimit reason) {
        progressEngine.lock();
        try {
            if (replicated) {
                abort(
                        STATUS_REFUSED,
                        "cannot run more than once (posthouse run -r): " + reason.text() + "; let one thread at a time call MPI, or run it without -r");
            }
            determinantLog.limit(reason);
        } finally {
            progressEngine.unlock();
        }
    }

    /** How the process ends. */
    ProcessExit processExit() {
        return processExit;
    }

    /** Null if what was done until now can be replayed. */
    private ReplayLimit limitSoFar() {
        progressEngine.lock();
        try {
            return determinantLog.limitSoFar();
        } finally {
            progressEngine.unlock();
        }
    }

    /** What the job survives. */
    Durability durability() {
        return !determinantLog.isLogged() ? Durability.NONE : determinantRecorder.survivesHost() ? Durability.HOST : Durability.PROCESS;
    }

    /** Whether another process may be started in place of this one. */
    boolean isLogged() {
        return determinantLog.isLogged();
    }

    /**
     * Waits until all that the program has observed is in the log, if the job has one. Returns at once if the caller is
     * inside a call: output from there depends on nothing that the program has observed.
     */
    void awaitTold() {
        if (!determinantLog.isLogged() || progressEngine.isLocked() || jobJoiner.isAnyLocked()) {
            return;
        }
        awaitReported();
        jobJoiner.awaitReported();
    }

    /** Whether the caller is inside a call. */
    boolean isLocked() {
        return progressEngine.isLocked();
    }

    // ---- progress

    @Override
    public void await(Operation operation, String call) {
        threadUseGuard.enter();
        try {
            completions.await(operation, call);
            operation.seen();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    @Override
    public void awaitAll(Operation[] operations, String call) {
        threadUseGuard.enter();
        try {
            completions.awaitAll(operations, call);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            threadUseGuard.leave();
        }
    }

    @Override
    public int awaitAny(Operation[] operations, String call) {
        return call(() -> completions.awaitAny(operations, call));
    }

    @Override
    public Operation begin() {
        return new BackgroundOperation();
    }

    @Override
    public void end(Operation errand) {
        progressEngine.lock();
        try {
            progressEngine.end((BackgroundOperation) errand);
        } finally {
            progressEngine.unlock();
        }
    }

    @Override
    public boolean test(Operation operation, boolean move) {
        return call(() -> completions.test(operation, move));
    }

    // ---- frames from the relay

    @Override
    public void moveTo(FrameChannel next) throws IOException {
        nameClient.reconnected();
        jobJoiner.reconnected();
        handshake.moveTo(next);
    }

    @Override
    public void comeAgain(FrameChannel next) throws IOException {
        checkpointClient.broken();
        nameClient.reconnected();
        jobJoiner.reconnected();
        handshake.comeAgain(next);
    }

    @Override
    public void askForRoom() throws IOException {
        handshake.askForRoom();
    }

    @Override
    public void caughtUp() throws IOException {
        handshake.caughtUp();
        failures.askWhetherConfirmed();
        endWaits();
    }

    @Override
    public void onFrame(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (progressEngine.isOver()) {
            return;
        }
        line.expect(view.type());
        if (view.type() != FrameType.ACK && view.type() != FrameType.PROBE_ANSWER) {
            progressEngine.moved();
        }
        switch (view.type()) {
            case DELIVERED -> inbox.onDelivered(frame, view);
            case ENDED -> inbox.onEnded(view);
            case CHUNK -> inbox.onChunk(frame, view);
            case CLEAR -> outbox.onClear(view);
            case CREDIT -> {
                outbox.credit(view.creditBytes(), view.creditMessages());
                outbox.proceed();
            }
            case PROBE_ANSWER -> inbox.onProbeAnswer(view);
            case CANCELLED -> inbox.onCancelled(view);
            case WITHDRAWN -> {
                outbox.onWithdrawn(view);
                outbox.proceed();
            }
            case RANK_FAILED -> failures.onFailed(frame);
            case REVOKE -> failures.onRevoked(frame);
            case AGREED -> failures.onAgreed(frame);
            case MISMATCH -> callTracker.onMismatch(BlockedReport.decode(frame));
            case WELCOME -> handshake.onWelcome(Welcome.decode(frame));
            case STATE -> handshake.onState(StatePage.decode(frame));
            case ACK -> onAck(view);
            case CONFIRMED -> outbox.onConfirmed(Confirmed.decode(frame));
            case PROMOTED -> handshake.onPromoted(Promoted.decode(frame));
            case EVENTS -> {
                determinantLog.onEvents(frame, view);
                failures.onHistory();
            }
            case POINT -> checkpointClient.onPoint(CheckpointNotice.decode(frame));
            case IMAGE -> checkpointClient.onImage(frame, view);
            case NAME_ANSWER -> nameClient.onAnswer(frame);
            case JOB_JOINED -> jobJoiner.onJoined(frame);
            case JOINT_ENDED -> jobJoiner.onEnded(JointEnded.decode(frame));
            case FINALIZE -> progressEngine.end();
            case ABORT -> processExit.aborted(CloseNotice.decode(frame));
            case CLOSE -> onClose(CloseNotice.decode(frame));
            case MOVE -> handshake.onMove();
            default -> throw new WireException(CloseReason.NOT_EXPECTED, view + " from a relay");
        }
    }

    /**
     * Payload is placed directly only if the job ends with the connection. Otherwise the rest of a partial frame might
     * never be sent again: the receive may be cancelled, or get another message after the log has lost its end (ADR
     * 13).
     */
    @Override
    public ByteBuffer place(FrameView view) {
        if (progressEngine.isOver() || !line.isOnly()) {
            return null;
        }
        return switch (view.type()) {
            case DELIVERED -> inbox.placeOfMessage(view);
            case CHUNK -> inbox.placeOfChunk(view);
            default -> null;
        };
    }

    @Override
    public void onPlaced(FrameView view) throws WireException, IOException {
        if (view.type() == FrameType.DELIVERED) {
            inbox.onMessagePlaced(view);
        } else {
            inbox.onChunkPlaced(view);
        }
    }

    private void onAck(FrameView view) throws WireException, IOException {
        line.acknowledged(view);
        failures.onAck();
        inbox.proceed();
        outbox.proceed();
    }

    private void onClose(CloseNotice why) throws WireException {
        if (why.reason() == CloseReason.MOVED && handshake.follows()) {
            line.dialAgain(why);
        } else if (why.reason() == CloseReason.MOVED) {
            line.left();
        } else if (!line.isRefusedForNow(why)) {
            processExit.refused(line.remote(), why);
        }
    }

    // ---- cancelling

    @Override
    public boolean cancel(Operation operation) {
        return call(() -> cancellations.cancel(operation));
    }

    // ---- blocked ranks

    @Override
    public CollectivePosition presence(int context, int[] worldRanks, int first) {
        return callTracker.presence(context, worldRanks, first);
    }

    public CallTracker presences() {
        return callTracker;
    }

    DeliveredPrefix accepted() {
        return outbox.accepted();
    }

    // ---- end of the connection

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        callTracker.stop();
        ReplayLimit limit = limitSoFar();
        if (limit != null && processExit instanceof JointExit joint) {
            joint.leaves(limit);
        }
        threadUseGuard.beginTurn();
        try {
            leave();
        } finally {
            threadUseGuard.endTurn();
        }
    }

    private void leave() {
        locked(() -> {
            progressEngine.requireOpen();
            if (handshake.follows()) {
                followToEnd();
            }
            if (progressEngine.isOver()) {
                line.close();
                return;
            }
            if (determinantRecorder.replays()) {
                throw determinantRecorder.diverged("Finalize");
            }
            while (!outbox.isEmpty()) {
                progressEngine.awaitInCall(true, false);
            }
            awaitLine();
            inbox.stop();
            callTracker.quiet();
            handshake.sayFinalize();
            while (!progressEngine.isOver()) {
                progressEngine.await();
            }
            line.close();
        });
    }

    /** A follower has come to Finalize: waits until its leader has finalized, or it leads. */
    private void followToEnd() throws IOException {
        while (handshake.follows() && !outbox.hasClaimedAll()) {
            progressEngine.awaitInCall(true, false);
        }
        if (handshake.follows()) {
            handshake.sayFinalize();
        }
        while (handshake.follows() && !progressEngine.isOver()) {
            if (!determinantLog.isUndecided()) {
                throw determinantRecorder.diverged("Finalize");
            }
            progressEngine.await();
        }
    }

    @Override
    public IllegalStateException giveUp(String why) {
        processExit.gaveUp(why);
        return new IllegalStateException("the process was to end: " + why);
    }

    @Override
    public void abort(int status, String why) {
        processExit.exitLater(status, ABORT_MS_MAX);
        locked(() -> sayAbort(status, why));
        processExit.exit(status);
    }

    private void sayAbort(int status, String why) throws IOException {
        while (!line.isOpen() && !progressEngine.isOver()) {
            progressEngine.await();
        }
        if (!progressEngine.isOver()) {
            line.write(new CloseNotice(job, status, rank, why).encode(FrameType.ABORT));
        }
    }

    private void end(IOException cause) {
        if (cause instanceof DivergedException) {
            diverged(cause.getMessage());
        } else {
            processExit.lost(line.remote(), cause);
        }
    }

    private IllegalStateException lost(IOException cause) {
        end(cause);
        if (processExit instanceof JointExit) {
            progressEngine.requireOpen(); // Throws why the joint job has ended.
        }
        return new IllegalStateException("the process was to end", cause);
    }

    private void diverged(String how) {
        processExit.diverged(how);
        processExit.exitLater(ExitStatuses.DIVERGED, ABORT_MS_MAX);
        try {
            sayAbort(ExitStatuses.DIVERGED, how);
        } catch (IOException e) {
            processExit.lost(line.remote(), e);
        }
        processExit.exit(ExitStatuses.DIVERGED);
    }
}
