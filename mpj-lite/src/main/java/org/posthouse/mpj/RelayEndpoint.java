package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.posthouse.wire.Exit;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Limit;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Point;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * A rank's connection to its home relay. All state is guarded by the lock of its {@link Progress}, where threads wait.
 *
 * <p>A message of up to 64 KiB rides in its frame, one of up to {@link Settings#eagerBytesMax} follows in chunks at
 * once, both if there is credit for it; any other is offered, and its bytes leave when it was matched. So a rank that is out
 * of credit never deadlocks on a message that another rank waits for.
 *
 * <p>In a job that is logged, what the program observes is recorded ({@link History}), and observed again in the same order by
 * a process that is started in the place of one that died.
 *
 * <p>When the relay asks the rank to connect again, or in a job that is logged the connection has broken, the thread that reads
 * connects, in whatever call it is; calls that write wait meanwhile, those included that else would not.
 */
public final class RelayEndpoint implements Endpoint, Progress.Owner {
    /** How long a rank's last word waits for a line that is moving, or that a relay does not read, which another thread may be writing to. */
    private static final long ABORT_MS_MAX = 10_000;

    private final Machine machine;
    private final HomeLine line;
    private final Ending ending;
    private final Progress progress;
    private final History history = new History();
    private final Told told;
    private final Observed observed;
    private final Outbox outbox;
    private final Inbox inbox;
    private final Probes probes;
    private final Completions completions;
    private final Withdrawals withdrawals;
    private final Presences presences;
    private final Callers callers;
    private final Saving saving;
    private final Conversation conversation;
    private final int rank;
    private final long job;

    /** Written by the program's thread that ends it, read by any. */
    private volatile boolean closed;

    private RelayEndpoint(Machine machine, HomeLine line, Hello hello, Settings settings, Ending ending) {
        this.machine = machine;
        this.line = line;
        this.ending = ending;
        rank = hello.rank();
        job = hello.job();
        progress = new Progress(line, rank, this);
        told = new Told(line, history, job);
        outbox = new Outbox(told, job, rank, history, settings.eagerBytesMax());
        inbox = new Inbox(told, job, rank, history, settings.ahead());
        observed = new Observed(machine, line, progress, history, told, job, inbox::deliveries);
        told.behindLive(inbox::live);
        presences = new Presences(line, progress, history, outbox, inbox, this::lost, job, rank);
        probes = new Probes(line, progress, observed, inbox, presences, this::awaitLine);
        completions = new Completions(progress, history, observed, presences);
        withdrawals = new Withdrawals(line, progress, history, observed, inbox, outbox, this::awaitLine);
        callers = new Callers(machine, progress, history);
        saving = new Saving(told, line, progress, callers, history, observed, inbox, outbox, job, this::lost);
        conversation = new Conversation(line, hello, settings, history, told, observed, outbox, inbox);
    }

    @Override
    public Vault vault() {
        return saving;
    }

    /**
     * Connects to the relay, proves that it is this rank, and says HELLO.
     *
     * @param ending how the process ends when the job or the connection does
     * @throws IOException if the relay cannot be reached, in one line that names it
     */
    static RelayEndpoint connect(String relay, Token token, Hello hello, Settings settings, Ending ending) throws IOException {
        return connect(Machine.REAL, relay, Credentials.of(token), hello, settings, ending, false);
    }

    /** The same on that machine. @param awaits whether its relay may be down, and comes back: the job is logged */
    static RelayEndpoint connect(
            Machine machine, String relay, Credentials credentials, Hello hello, Settings settings, Ending ending, boolean awaits) throws IOException {
        HomeLine line = HomeLine.connect(machine, relay, credentials, settings, hello, awaits);
        RelayEndpoint endpoint = new RelayEndpoint(machine, line, hello, settings, ending);
        endpoint.progress.lock();
        try {
            endpoint.progress.awaitLine();
        } finally {
            endpoint.progress.unlock();
        }
        return endpoint;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return conversation.size();
    }

    @Override
    public int siteOf(int rank) {
        return conversation.siteOf(rank);
    }

    // ---- sending

    /** Asked without the lock: it is decided when the endpoint is made. */
    @Override
    public boolean mayWaitForReceive(long bytes, Mode mode) {
        return !outbox.mayBeStored(bytes, mode);
    }

    @Override
    public Operation send(int context, int destination, int tag, Content content, Mode mode) {
        callers.enter();
        try {
            awaitLine();
            Operation operation = startSend(context, destination, tag, content, mode);
            flush();
            return operation;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public Operation receive(int context, int source, int tag, Sink sink) {
        callers.enter();
        try {
            awaitLine();
            Operation operation = post(context, source, tag, sink);
            flush();
            return operation;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content, Mode mode) {
        callers.enter();
        try {
            awaitLine();
            Operation receive = post(context, source, receiveTag, sink);
            Operation send = startSend(context, destination, sendTag, content, mode);
            flush();
            return new Operation[] {receive, send};
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    /**
     * As {@link Progress#awaitLine}; what was to be posted before is. A replay reads on when it has received what there is, so that one that is
     * over is known to be.
     */
    private void awaitLine() throws IOException {
        if (history.isReplaying() && !inbox.hasEarly()) {
            progress.poll();
        }
        progress.awaitLine();
        inbox.proceed();
    }

    /** What was written leaves. What is said only to be compared waits for more, or for the next read. */
    private void flush() throws IOException {
        if (outbox.takeUrgent() || !history.isCatchingUp()) {
            line.flush();
        }
    }

    private Operation startSend(int context, int destination, int tag, Content content, Mode mode) throws IOException {
        ReceiveException mismatch = presences.mismatch(context);
        return mismatch == null
                ? outbox.send(context, destination, tag, content, mode)
                : Outbox.abandoned(context, destination, tag, content, mismatch);
    }

    // ---- receiving

    private Operation post(int context, int source, int tag, Sink sink) throws IOException {
        Receiving receiving = new Receiving(context, source, tag, sink);
        ReceiveException mismatch = presences.mismatch(context);
        if (mismatch == null) {
            inbox.receive(receiving);
        } else {
            receiving.abandon(mismatch);
        }
        return receiving;
    }

    @Override
    public Envelope probe(int context, int source, int tag, String call) {
        callers.enter();
        try {
            return probes.probe(context, source, tag, call);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public Envelope tryProbe(int context, int source, int tag) {
        callers.enter();
        try {
            return probes.tryProbe(context, source, tag);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    // ---- what depends on time

    void countFailedPolls(int polls) {
        progress.lock();
        try {
            observed.count(polls);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            progress.unlock();
        }
    }

    @Override
    public long value(LongSupplier source) {
        callers.enter();
        try {
            return observed.value(source);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public long nanoTime() {
        if (!history.isLogged()) {
            return machine.nanoTime();
        }
        callers.enter();
        try {
            return observed.nanoTime();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public void limit(Limit reason) {
        progress.lock();
        try {
            history.limit(reason);
        } finally {
            progress.unlock();
        }
    }

    /** Whether another process may be started in place of this one. */
    boolean isLogged() {
        return history.isLogged();
    }

    /**
     * Returns when all that the program has observed is in the log, if the job has one. At once if the caller is inside a call: who
     * prints there, prints what nobody has observed yet.
     */
    void awaitTold() {
        if (!history.isLogged() || progress.isLocked()) {
            return;
        }
        progress.lock();
        try {
            observed.awaitTold();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            progress.unlock();
        }
    }

    // ---- progress

    @Override
    public void await(Operation operation, String call) {
        callers.enter();
        try {
            completions.await(operation, call);
            operation.seen();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public void awaitAll(Operation[] operations, String call) {
        callers.enter();
        try {
            completions.awaitAll(operations, call);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public int awaitAny(Operation[] operations, String call) {
        callers.enter();
        try {
            return completions.awaitAny(operations, call);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    @Override
    public Operation begin() {
        return new Errand();
    }

    @Override
    public void end(Operation errand) {
        progress.lock();
        try {
            progress.end((Errand) errand);
        } finally {
            progress.unlock();
        }
    }

    @Override
    public boolean test(Operation operation, boolean move) {
        callers.enter();
        try {
            return completions.test(operation, move);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    // ---- what the relay says

    @Override
    public void moveTo(FrameLine next) throws IOException {
        conversation.moveTo(next);
    }

    @Override
    public void comeAgain(FrameLine next) throws IOException {
        saving.broken();
        conversation.comeAgain(next);
    }

    @Override
    public void askForRoom() throws IOException {
        conversation.askForRoom();
    }

    @Override
    public void caughtUp() throws IOException {
        conversation.caughtUp();
    }

    @Override
    public void onFrame(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (progress.isOver()) {
            return;
        }
        line.expect(view.type());
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
            case MISMATCH -> presences.onMismatch(Stall.decode(frame));
            case WELCOME -> conversation.onWelcome(Welcome.decode(frame));
            case STATE -> conversation.onState(StatePage.decode(frame));
            case ACK -> onAck(view);
            case EVENTS -> history.onEvents(frame, view);
            case POINT -> saving.onPoint(Point.decode(frame));
            case IMAGE -> saving.onImage(frame, view);
            case FINALIZE -> progress.end();
            case ABORT -> ending.aborted(Notice.decode(frame));
            case CLOSE -> onClose(Notice.decode(frame));
            case MOVE -> conversation.onMove();
            default -> throw new WireException(Reason.NOT_EXPECTED, view + " from a relay");
        }
    }

    /**
     * Only where the end of the connection is the end of the job. Else what has come of a frame that was not whole might not come again: the
     * receive may be taken back, or get another message after a loss of the log's end (ADR 13).
     */
    @Override
    public ByteBuffer place(FrameView view) {
        if (progress.isOver() || !line.isOnly()) {
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
        inbox.proceed();
        outbox.proceed();
    }

    private void onClose(Notice why) throws WireException {
        if (why.reason() == Reason.MOVED) {
            line.left();
        } else if (!line.isRefusedForNow(why)) {
            ending.refused(line.remote(), why);
        }
    }

    // ---- taking back

    @Override
    public boolean cancel(Operation operation) {
        callers.enter();
        try {
            return withdrawals.cancel(operation);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            callers.leave();
        }
    }

    // ---- ranks that are blocked

    @Override
    public Presence presence(int context, int[] worldRanks, int first) {
        return presences.presence(context, worldRanks, first);
    }

    Presences presences() {
        return presences;
    }

    Accepted accepted() {
        return outbox.accepted();
    }

    // ---- the end

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        presences.stop();
        progress.lock();
        try {
            progress.requireOpen();
            if (observed.replays()) {
                throw observed.diverged("Finalize");
            }
            while (!outbox.isEmpty()) {
                progress.await();
            }
            awaitLine();
            inbox.stop();
            presences.quiet();
            conversation.sayFinalize();
            while (!progress.isOver()) {
                progress.await();
            }
            line.close();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            progress.unlock();
        }
    }

    @Override
    public IllegalStateException giveUp(String why) {
        ending.gaveUp(why);
        return new IllegalStateException("the process was to end: " + why);
    }

    @Override
    public void abort(int status, String why) {
        ending.exitLater(status, ABORT_MS_MAX);
        progress.lock();
        try {
            sayAbort(status, why);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            progress.unlock();
        }
        ending.exit(status);
    }

    private void sayAbort(int status, String why) throws IOException {
        while (!line.isOpen() && !progress.isOver()) {
            progress.await();
        }
        if (!progress.isOver()) {
            line.write(new Notice(job, status, rank, why).encode(FrameType.ABORT));
        }
    }

    private IllegalStateException lost(IOException cause) {
        if (cause instanceof DivergedException) {
            diverged(cause.getMessage());
        } else {
            ending.lost(line.remote(), cause);
        }
        return new IllegalStateException("the process was to end", cause);
    }

    private void diverged(String how) {
        ending.exitLater(Exit.DIVERGED, ABORT_MS_MAX);
        try {
            sayAbort(Exit.DIVERGED, how);
        } catch (IOException e) {
            ending.lost(line.remote(), e);
        }
        ending.exit(Exit.DIVERGED);
    }
}
