package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A rank's connection to its home relay. All state is guarded by one lock; of the threads that wait, one reads the
 * socket for all of them, without the lock while it blocks.
 *
 * <p>A message of up to 64 KiB rides in its frame, one of up to {@link Settings#eagerBytesMax} follows in chunks at
 * once, both if there is credit for it; any other is offered, and its bytes leave when it was matched. So a rank that is out
 * of credit never deadlocks on a message that another rank waits for.
 *
 * <p>When the relay asks the rank to connect again, the thread that reads does so, in whatever call it is; calls that
 * write wait meanwhile, those included that else would not.
 */
public final class RelayEndpoint implements Endpoint, Presence.Watch {
    /** How long {@link #abort} waits for a line that is moving. */
    private static final long ABORT_MS_MAX = 10_000;

    private final HomeLine line;
    private final Ending ending;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final FrameLine.Handler handler = this::onFrame;
    private final FailedPolls failedPolls = new FailedPolls();
    private final Outbox outbox;
    private final Inbox inbox;
    private final StallWatch watch = new StallWatch();
    private final Places places = new Places();
    private final Hello hello;
    private final int rank;
    private final long job;
    private Admission admission;
    private boolean reading;

    /** Whether the thread that reads waits for an errand too, whose end is no frame. */
    private boolean readsAtErrand;

    private int waiting;

    /** FINALIZE was said; it is this rank's last frame, and a move comes too late. */
    private boolean finalizing;

    private boolean finalized;
    private volatile boolean closed;

    private RelayEndpoint(HomeLine line, Hello hello, Settings settings, Ending ending) {
        this.line = line;
        this.ending = ending;
        this.hello = hello;
        rank = hello.rank();
        job = hello.job();
        outbox = new Outbox(line, job, rank, failedPolls, settings.eagerBytesMax());
        inbox = new Inbox(line, job, rank, failedPolls);
    }

    /**
     * Connects to the relay and says HELLO.
     *
     * @param ending how the process ends when the job or the connection does
     * @throws IOException if the relay cannot be reached, in one line that names it
     */
    static RelayEndpoint connect(String relay, Hello hello, Settings settings, Ending ending) throws IOException {
        HomeLine line = HomeLine.connect(relay, settings.busyPollUs(), hello);
        RelayEndpoint endpoint = new RelayEndpoint(line, hello, settings, ending);
        endpoint.lock.lock();
        try {
            while (endpoint.admission == null) {
                endpoint.readFrames(false);
            }
        } finally {
            endpoint.lock.unlock();
        }
        return endpoint;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return admission.size();
    }

    @Override
    public int siteOf(int rank) {
        return admission.siteOf(rank);
    }

    // ---- sending

    @Override
    public Operation send(int context, int destination, int tag, Content content, Mode mode) {
        lock.lock();
        try {
            awaitLine();
            Operation operation = startSend(context, destination, tag, content, mode);
            line.flush();
            return operation;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Operation receive(int context, int source, int tag, Sink sink) {
        lock.lock();
        try {
            awaitLine();
            Operation operation = post(context, source, tag, sink);
            line.flush();
            return operation;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content, Mode mode) {
        lock.lock();
        try {
            awaitLine();
            Operation receive = post(context, source, receiveTag, sink);
            Operation send = startSend(context, destination, sendTag, content, mode);
            line.flush();
            return new Operation[] {receive, send};
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (finalized) {
            throw new FinalizedException(rank);
        }
    }

    /** Waits until frames may be written: what is begun then, with the lock, is written before the next move. */
    private void awaitLine() throws IOException {
        requireOpen();
        while (!line.isOpen()) {
            progress();
            requireOpen();
        }
    }

    private Operation startSend(int context, int destination, int tag, Content content, Mode mode) throws IOException {
        ReceiveException mismatch = places.mismatch(context);
        return mismatch == null
                ? outbox.send(context, destination, tag, content, mode)
                : Outbox.abandoned(context, destination, content, mismatch);
    }

    // ---- receiving

    private Operation post(int context, int source, int tag, Sink sink) throws IOException {
        Receiving receiving = new Receiving(context, source, tag, sink);
        ReceiveException mismatch = places.mismatch(context);
        if (mismatch == null) {
            inbox.post(receiving);
        } else {
            receiving.abandon(mismatch);
        }
        return receiving;
    }

    @Override
    public Envelope probe(int context, int source, int tag) {
        return askProbe(FrameView.BLOCKING, context, source, tag);
    }

    @Override
    public Envelope tryProbe(int context, int source, int tag) {
        Envelope found = askProbe(0, context, source, tag);
        if (found == null) {
            countFailedPolls(1);
        }
        return found;
    }

    private Envelope askProbe(int flags, int context, int source, int tag) {
        Probing probing = new Probing();
        lock.lock();
        try {
            awaitLine();
            inbox.probe(flags, context, source, tag, probing);
            line.flush();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
        await(probing);
        return probing.envelope();
    }

    /** Counts, and tells the relay before there are too many to tell. */
    void countFailedPolls(int polls) {
        lock.lock();
        try {
            count(polls);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    private void count(int polls) throws IOException {
        if (failedPolls.count(polls)) {
            awaitLine();
            int bytes = FrameType.POLLS.bytesMin();
            line.begin(bytes).begin(FrameType.POLLS, bytes, job).finalizeFailedPolls(failedPolls.tell());
            line.end(bytes);
            line.flush();
        }
    }

    // ---- progress

    @Override
    public void await(Operation operation) {
        lock.lock();
        try {
            boolean errand = operation instanceof Errand;
            while (!operation.isDone()) {
                progress(!errand, errand);
            }
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int awaitAny(Operation[] operations) {
        lock.lock();
        try {
            while (true) {
                boolean frame = false;
                boolean errand = false;
                for (int i = 0; i < operations.length; i++) {
                    if (operations[i] != null && operations[i].isDone()) {
                        return i;
                    }
                    frame |= operations[i] != null && !(operations[i] instanceof Errand);
                    errand |= operations[i] instanceof Errand;
                }
                progress(frame, errand);
            }
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Operation begin() {
        return new Errand();
    }

    @Override
    public void end(Operation errand) {
        lock.lock();
        try {
            ((Errand) errand).done();
            changed.signalAll();
            if (reading && readsAtErrand) {
                line.wake();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean test(Operation operation) {
        lock.lock();
        try {
            if (!operation.isDone()) {
                requireOpen();
            }
            if (!operation.isDone() && !reading && line.readable()) {
                readFrames(false);
            }
            if (!operation.isDone()) {
                count(1);
            }
            return operation.isDone();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    private void progress() throws IOException {
        progress(true, false);
    }

    /**
     * Waits for the next frames: reads them, or lets the thread that is reading do it.
     *
     * @param frame whether a frame ends what is waited for. If not, the reading is left to the errand's own thread, which
     *     is sooner at what has come when it need not be told
     * @param errand whether the end of an errand does
     */
    private void progress(boolean frame, boolean errand) throws IOException {
        requireOpen();
        if (!reading && frame) {
            readFrames(errand);
            return;
        }
        waiting++;
        try {
            changed.awaitUninterruptibly();
        } finally {
            waiting--;
        }
    }

    private void readFrames(boolean errand) throws IOException {
        beginReading(errand);
        try {
            line.read(errand);
        } finally {
            endReading();
        }
        try {
            line.dispatch(handler);
            line.flush();
        } catch (WireException e) {
            throw new IOException("the relay at " + line.remote() + " sent a bad frame: " + e.getMessage(), e);
        }
        if (line.hasLeft()) {
            move();
        }
    }

    /** From here to {@link #endReading} this thread is without the lock, and the one that reads. */
    private void beginReading(boolean errand) {
        reading = true;
        readsAtErrand = errand;
        lock.unlock();
    }

    private void endReading() {
        lock.lock();
        reading = false;
        if (waiting > 0) {
            changed.signalAll();
        }
    }

    /** Connects to the relay again. The other threads wait, as while this one reads. */
    private void move() throws IOException {
        FrameLine next;
        beginReading(false);
        try {
            next = line.dial(HomeLine.REFUSED_MS_MAX);
        } finally {
            endReading();
        }
        List<StatePage.Entry> sent = outbox.sent();
        int pages = StatePage.pages(sent.size());
        line.moveTo(next, hello.again(Hello.MOVED, inbox.deliveries(), failedPolls.count(), 0, 1, pages), sent);
    }

    private void onFrame(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (finalized) {
            return;
        }
        line.expect(view.type());
        switch (view.type()) {
            case DELIVERED -> inbox.onDelivered(frame, view);
            case CHUNK -> inbox.onChunk(frame, view);
            case CLEAR -> outbox.onClear(view);
            case CREDIT -> outbox.credit(view.creditBytes(), view.creditMessages());
            case PROBE_ANSWER -> inbox.onProbeAnswer(view);
            case CANCELLED -> inbox.onCancelled(view);
            case WITHDRAWN -> outbox.onWithdrawn(view);
            case MISMATCH -> onMismatch(Stall.decode(frame));
            case WELCOME -> onWelcome(Welcome.decode(frame));
            case FINALIZE -> finalized = true;
            case ABORT -> ending.aborted(Notice.decode(frame));
            case CLOSE -> onClose(Notice.decode(frame));
            case MOVE -> onMove();
            default -> throw new WireException(Reason.NOT_EXPECTED, view + " from a relay");
        }
    }

    private void onWelcome(Welcome answer) throws WireException, IOException {
        line.welcomed();
        if (admission == null) {
            admission = new Admission(hello, answer);
            outbox.open(answer.size(), answer.creditBytes(), answer.creditMessages());
        } else {
            admission.requireSame(answer, inbox.deliveries());
            outbox.proceed();
        }
    }

    private void onMove() throws WireException, IOException {
        if (!finalizing) {
            line.leave(job);
        }
    }

    private void onClose(Notice why) throws WireException {
        if (why.reason() == Reason.MOVED) {
            line.left();
        } else {
            ending.refused(line.remote(), why);
        }
    }

    // ---- taking back

    @Override
    public boolean cancel(Operation operation) {
        lock.lock();
        try {
            awaitLine();
            if (!operation.isBeingCancelled() && ask(operation)) {
                line.flush();
            }
            while (operation.isBeingCancelled()) {
                progress();
            }
            return operation.isCancelled();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    /** Asks the relay to take the operation back; false if it is known to be too late. */
    private boolean ask(Operation operation) throws IOException {
        if (operation instanceof Sending sending) {
            return outbox.withdraw(sending);
        }
        return operation instanceof Receiving receiving && inbox.cancel(receiving);
    }

    // ---- collectives that do not match

    @Override
    public Presence presence(int context, int[] worldRanks, int first) {
        Presence presence = new Presence(this, context, worldRanks, first);
        watch.add(presence);
        return presence;
    }

    @Override
    public void stays(Presence presence, boolean again) {
        tell(() -> places.stays(presence, again, job, rank, inbox.awaited(presence.context())));
    }

    @Override
    public void goesOn(Presence presence) {
        tell(() -> places.goesOn(presence));
    }

    @Override
    public void fails(Presence presence) {
        tell(() -> Places.stall(presence, job, rank, -1));
    }

    /** Says BLOCKED, unless there is nothing to say. */
    private void tell(Supplier<Stall> word) {
        lock.lock();
        try {
            while (!line.isOpen() && !finalized) {
                progress();
            }
            Stall stall = word.get();
            if (stall != null && !finalized) {
                line.write(stall.encode(FrameType.BLOCKED));
            }
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    private void onMismatch(Stall stall) {
        if (!places.isAt(stall)) {
            return;
        }
        ReceiveException why = new ReceiveException(ReceiveException.Kind.MISMATCH, stall.text());
        places.mismatch(stall.context(), why);
        inbox.abandon(stall.context(), why);
        outbox.abandon(stall.context(), why);
    }

    // ---- the end

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        watch.stop();
        lock.lock();
        try {
            requireOpen();
            while (!outbox.isEmpty()) {
                progress();
            }
            awaitLine();
            line.begin(24).begin(FrameType.FINALIZE, 24, job).finalizeFailedPolls(failedPolls.tell());
            line.end(24);
            line.flush();
            finalizing = true;
            while (!finalized) {
                progress();
            }
            line.close();
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void abort(int status, String why) {
        lock.lock();
        try {
            if (!finalized && !line.isOpen()) {
                ending.exitLater(status, ABORT_MS_MAX);
            }
            while (!line.isOpen() && !finalized) {
                progress();
            }
            if (!finalized) {
                line.write(new Notice(job, status, rank, why).encode(FrameType.ABORT));
            }
        } catch (IOException e) {
            throw lost(e);
        } finally {
            lock.unlock();
        }
        ending.exit(status);
    }

    private IllegalStateException lost(IOException cause) {
        ending.lost(line.remote(), cause);
        return new IllegalStateException("the process was to end", cause);
    }
}
