package org.posthouse.mpj.match;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.determinant.FailureEvent;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.PendingProbe;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Receives of a rank: matches each with its message and passes the payload on. A message comes for a posted receive
 * ({@link RelayRequests}), by push ({@link LocalMatchContexts}), or from the history of a replay ({@link
 * ReplayMatcher}). Guarded by the endpoint's lock.
 */
public final class Inbox implements LocalMatchContexts.Posting {
    /**
     * Most receives and probes of one rank that are posted at its relay, over all contexts. Later ones wait in the rank
     * and are posted in call order when there is room.
     */
    public static final int POSTED_SHARED = 192 * 1024;

    /**
     * The same limit including {@link #POSTED_OF_CONTEXT} of each context. The relay accepts 256 Ki (docs/wire.md,
     * credit).
     */
    private static final int POSTED_MAX = 240 * 1024;

    /** Receives of one context that may be posted regardless of the number in other contexts. */
    private static final int POSTED_OF_CONTEXT = 64;

    /** Free room that justifies a pass over the waiting receives. */
    private static final int POSTED_AT_ONCE = 8 * 1024;

    private final DeterminantLog determinantLog;
    private final RelayRequests requests;
    private final ArrivingMessages arriving = new ArrivingMessages();
    private final ReplayMatcher replayMatcher = new ReplayMatcher();
    private final LocalMatchContexts localMatchContexts;

    /** For each context, the number of receives called in it. */
    private final Map<Integer, long[]> posts = new HashMap<>();

    /** Receives to be taken back as soon as the connection has room. */
    private final ArrayDeque<PostedReceive> failing = new ArrayDeque<>();

    /** By context and ordinal, the receives that are known to fail and that are not called yet. */
    private final Map<Long, ReceiveException> failedBefore = new HashMap<>();

    private long deliveries;

    /** @param ahead whether contexts may run ahead */
    public Inbox(DeterminantWriter line, long job, int rank, DeterminantLog determinantLog, boolean ahead) {
        this.determinantLog = determinantLog;
        this.requests = new RelayRequests(line, job, rank, determinantLog);
        this.localMatchContexts = new LocalMatchContexts(line, job, rank, ahead);
    }

    // ---- requests of the rank; the caller flushes the connection

    /** Starts a receive. */
    public void receive(PostedReceive postedReceive) throws IOException {
        call(postedReceive);
        if (!failedBefore.isEmpty() && failsAgain(postedReceive)) {
            return;
        }
        UnexpectedQueue.Message named = replayMatcher.take(postedReceive);
        LocalMatchContext ahead = localMatchContexts.of(postedReceive.context);
        LocalMatchContext.Message came = named == null ? ahead.take(postedReceive.source, postedReceive.tag, determinantLog.lastObserved()) : null;
        if (named != null) {
            goOn(named, postedReceive);
        } else if (came != null) {
            came.passTo(postedReceive);
            localMatchContexts.received(ahead);
        } else if (replayMatcher.isPassedOver(postedReceive)) {
            postedReceive.passedOver();
        } else if (determinantLog.isCatchingUp()) {
            awaitAgain(postedReceive);
        } else if (ahead.isOpen()) {
            ahead.await(postedReceive);
        } else {
            postOrWait(postedReceive);
            localMatchContexts.posted(ahead);
        }
    }

    private void call(PostedReceive postedReceive) {
        postedReceive.called(++posts.computeIfAbsent(postedReceive.context, none -> new long[1])[0]);
        determinantLog.received();
    }

    /**
     * Waits for the message without posting the receive: during catch-up the message comes unrequested. It names this
     * receive, or matches it.
     */
    private void awaitAgain(PostedReceive postedReceive) {
        replayMatcher.await(postedReceive);
        localMatchContexts.of(postedReceive.context).await(postedReceive);
    }

    private void goOn(UnexpectedQueue.Message came, PostedReceive postedReceive) {
        if (!came.passTo(postedReceive)) {
            arriving.replace(came.keeper(), postedReceive);
        }
    }

    @Override
    public void post(PostedReceive postedReceive) throws IOException {
        localMatchContexts.of(postedReceive.context).countPosted(1);
        requests.post(postedReceive);
        if (postedReceive.failing() != null) {
            requests.cancel(postedReceive);
        }
    }

    @Override
    public boolean mayPost(LocalMatchContext ahead) {
        return requests.size() < POSTED_SHARED || requests.size() < POSTED_MAX && ahead.postedCount() < POSTED_OF_CONTEXT;
    }

    @Override
    public boolean isWorth(LocalMatchContext ahead) {
        return requests.size() < POSTED_SHARED - POSTED_AT_ONCE || requests.size() < POSTED_MAX && ahead.postedCount() == 0;
    }

    /**
     * Posts all waiting receives, because the rank is live now. Receives that were to be cancelled are gone: nothing
     * matched them.
     */
    public void live() throws IOException {
        localMatchContexts.forgetRounds();
        for (PostedReceive postedReceive : replayMatcher.takeWaiting()) {
            if (postedReceive.isBeingCancelled()) {
                postedReceive.beingCancelled(false);
                takenBack(postedReceive);
            } else {
                postOrWait(postedReceive);
            }
        }
    }

    private void postOrWait(PostedReceive postedReceive) throws IOException {
        LocalMatchContext ahead = localMatchContexts.of(postedReceive.context);
        if (!ahead.postsLater() && mayPost(ahead)) {
            post(postedReceive);
        } else {
            ahead.await(postedReceive);
            localMatchContexts.postLater(ahead);
        }
    }

    /** Whether messages of the history have come before the calls of their receives. */
    public boolean hasEarly() {
        return replayMatcher.keepsMessages() || determinantLog.isCatchingUp() && localMatchContexts.keepsMessages();
    }

    /** Whether messages have come that name a later receive of the history. An image cannot contain such messages. */
    public boolean keepsNamed() {
        return replayMatcher.keepsMessages();
    }

    /** Whether any message may come unrequested. */
    public boolean isAhead() {
        return localMatchContexts.isAnyOpen();
    }

    /**
     * Ends pushing in all contexts, so that the relay waits for posts again. {@link #isAhead()} tells when it has
     * ended.
     */
    public void endAhead() throws IOException {
        localMatchContexts.endAll();
    }

    /** Asks the relay for the answer to a probe. */
    public void probe(PendingProbe pendingProbe) throws IOException {
        requests.probe(pendingProbe);
    }

    /** The envelope of an arrived message that matches this probe; null if there is none. */
    public Envelope find(int context, int source, int tag) {
        return localMatchContexts.of(context).find(source, tag);
    }

    /** Whether messages of this context come unrequested, so that the relay must not be asked. */
    public boolean isAhead(int context) {
        return localMatchContexts.of(context).isOpen();
    }

    /** Whether receives of this context wait in the rank. They precede any request that is made now. */
    public boolean postsLater(int context) {
        return localMatchContexts.of(context).postsLater();
    }

    /** Ends pushing in this context. {@link #isAhead} tells when it has ended. */
    public void endAhead(int context) throws IOException {
        localMatchContexts.end(localMatchContexts.of(context));
    }

    /** Posts the receives that have waited, because frames may be sent again. */
    public void proceed() throws IOException {
        for (int left = failing.size(); left > 0 && requests.hasRoom(); left--) {
            takeBackFailing(failing.remove());
        }
        if (isPostDue()) {
            localMatchContexts.postWaiting(this);
        }
    }

    /** Whether receives wait here that are to be posted at the relay. */
    public boolean isPostDue() {
        return localMatchContexts.isPostDue();
    }

    /** Stops requests: the rank is closing its connection. */
    public void stop() {
        localMatchContexts.stop();
    }

    /**
     * Asks the relay to cancel the receive. False if no question is needed: it is too late, or the receive was not
     * posted.
     */
    public boolean cancel(PostedReceive postedReceive) throws IOException {
        if (postedReceive.isMatched() || postedReceive.isDone()) {
            return false;
        }
        if (postedReceive.isPassedOver()) {
            takenBack(postedReceive);
            return false;
        }
        LocalMatchContext ahead = localMatchContexts.of(postedReceive.context);
        if (ahead.postsLater() && ahead.removeWaiting(postedReceive)) {
            takenBack(postedReceive);
            return false;
        }
        if (replayMatcher.remove(postedReceive)) {
            takenBack(postedReceive);
            ahead.remove(postedReceive);
            return false;
        }
        requests.cancel(postedReceive);
        return true;
    }

    // ---- receives that can no longer take place

    /** Nothing more comes of this source's messages that have come in part. */
    public void sourceDied(int source, ReceiveException why) {
        arriving.sourceDied(source, receive -> {
            record(receive, why);
            if (replayMatcher.keeps(receive.context, (int) receive.ordinal())) {
                failedBefore.put(ReplayMatcher.call(receive.context, (int) receive.ordinal()), why); // It is not called yet.
            } else {
                receive.abandon(why);
            }
        });
    }

    private void takenBack(PostedReceive receive) {
        receive.takenBack();
        if (receive.failing() != null) {
            record(receive, receive.failing());
        }
    }

    private void record(PostedReceive receive, ReceiveException why) {
        determinantLog.record(
                DeterminantLog.FAILED,
                new FailureEvent(false, why.kind() == ReceiveException.Kind.REVOKED, Math.max(0, why.rank()), receive.context, (int) receive.ordinal())
                        .value());
    }

    /** Starts a receive that fails unless its message has come to this rank. */
    public void receiveWhatIsHere(PostedReceive receive, ReceiveException why) throws IOException {
        long[] called = posts.get(receive.context);
        boolean isNamed = replayMatcher.keeps(receive.context, (called == null ? 0 : (int) called[0]) + 1);
        if (isNamed || find(receive.context, receive.source, receive.tag) != null) {
            receive(receive);
            return;
        }
        call(receive);
        receive.abandon(why);
        record(receive, why);
    }

    /** Handles an event of the history: this receive had failed. */
    public void failedBefore(FailureEvent event, ReceiveException why) {
        boolean isKept = replayMatcher.keeps(event.context(), event.number());
        PostedReceive waiting = replayMatcher.receiver(event.context(), event.number());
        PostedReceive receive = waiting == null && !isKept ? arriving.remove(event.context(), event.number()) : waiting;
        if (receive == null) {
            failedBefore.put(ReplayMatcher.call(event.context(), event.number()), why);
            return;
        }
        if (waiting != null) {
            localMatchContexts.of(event.context()).remove(waiting);
        }
        receive.beingCancelled(false);
        receive.abandon(why);
    }

    /** A receive that was just called: a part of its message may have come to the earlier process. */
    private boolean failsAgain(PostedReceive receive) throws IOException {
        ReceiveException why = failedBefore.remove(ReplayMatcher.call(receive.context, (int) receive.ordinal()));
        if (why != null) {
            UnexpectedQueue.Message part = replayMatcher.take(receive);
            if (part != null) {
                goOn(part, receive);
                arriving.remove(receive.context, (int) receive.ordinal());
            }
            receive.abandon(why);
        }
        return why != null;
    }

    /**
     * Ends those of the waiting receives, unless the relay has a message for them. Plain loops: a death is often the first time that this runs, and the
     * JVM would take a tenth of a second to link streams.
     */
    public void failReceives(Predicate<PostedReceive> which, ReceiveException why) throws IOException {
        List<PostedReceive> all = requests.posted();
        all.addAll(localMatchContexts.waiting());
        for (PostedReceive receive : all) {
            if (which.test(receive)) {
                fail(receive, why);
            }
        }
        proceed();
    }

    /** Ends the waiting receives and probes of contexts that are revoked. */
    public void revoked(IntPredicate contexts, ReceiveException why) throws IOException {
        requests.probes().filter(probe -> contexts.test(probe.context)).forEach(probe -> probe.abandon(why));
        failReceives(receive -> contexts.test(receive.context), why);
    }

    private void fail(PostedReceive receive, ReceiveException why) {
        if (!receive.isMatched() && !receive.isDone()) {
            receive.fails(why);
            failing.add(receive);
        }
    }

    /** Starts a receive that only a message can complete that has come already. */
    public void receiveWhatCame(PostedReceive receive, ReceiveException why) throws IOException {
        receive.fails(why);
        receive(receive);
        if (!receive.isMatched() && !receive.isDone()) {
            failing.add(receive);
            proceed();
        }
    }

    /**
     * Only the relay decides whether a message was there before, and while a context is open it takes no request. So the window ends first; what waits
     * here is posted then, and taken back.
     */
    private void takeBackFailing(PostedReceive receive) throws IOException {
        if (receive.isMatched() || receive.isDone() || receive.isBeingCancelled()) {
            return;
        }
        if (isAhead(receive.context)) {
            endAhead(receive.context);
            failing.add(receive);
        } else if (requests.posted(receive.request()) == receive) {
            requests.cancel(receive);
        }
    }

    // ---- answers of the relay

    /** Handles a message, or the beginning of one. */
    public void onDelivered(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if ((view.flags() & FrameView.PUSHED) != 0) {
            onPushed(frame, view);
            return;
        }
        PostedReceive postedReceive = begin(view);
        if (isWhole(view)) {
            postedReceive.read(payload(frame, Wire.MESSAGE_HEADER_BYTES));
        } else {
            arriving.begin(view, postedReceive);
        }
    }

    private static boolean isWhole(FrameView view) {
        return view.length() == Wire.MESSAGE_HEADER_BYTES + view.messageBytes();
    }

    private PostedReceive begin(FrameView view) throws WireException {
        boolean named = (view.flags() & FrameView.NAMED) != 0;
        PostedReceive postedReceive = named ? unasked(view) : posted(view);
        if (!named) {
            localMatchContexts.of(view.context()).delivered(isWhole(view), view.messageBytes());
        }
        postedReceive.begin(envelope(view), ++deliveries);
        return postedReceive;
    }

    /** The memory that the payload of a DELIVERED fills directly; null if the frame is to be handed over instead. */
    public ByteBuffer placeOfMessage(FrameView view) {
        PostedReceive postedReceive = isWhole(view) ? receiver(view) : null;
        return postedReceive == null ? null : postedReceive.place(envelope(view));
    }

    /**
     * The receive that an arriving DELIVERED belongs to; null if that is not known. For a pushed message it is the
     * first waiting receive that matches. It remains the first: receives called meanwhile are behind it. It also
     * remains waiting: a cancel first waits for an ENDED, which comes behind this frame, like every other frame of the
     * relay.
     */
    private PostedReceive receiver(FrameView view) {
        if (view.flags() == FrameView.PUSHED) {
            return localMatchContexts.of(view.context()).receiver(view.source(), view.tag());
        }
        return view.flags() == 0 ? requests.posted(view.request()) : null;
    }

    /** As {@link #onDelivered}, after the payload has been placed. */
    public void onMessagePlaced(FrameView view) throws WireException, IOException {
        if (view.flags() == FrameView.PUSHED) {
            LocalMatchContext ahead = localMatchContexts.of(view.context());
            PostedReceive postedReceive = ahead.came(envelope(view));
            postedReceive.begin(envelope(view), ++deliveries);
            postedReceive.placed(view.messageBytes());
            localMatchContexts.received(ahead);
        } else {
            begin(view).placed(view.messageBytes());
        }
    }

    private void onPushed(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (!isWhole(view)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "a part of a message of " + view.messageBytes() + " bytes, pushed");
        }
        LocalMatchContext ahead = localMatchContexts.of(view.context());
        Envelope envelope = envelope(view);
        deliveries++;
        PostedReceive postedReceive = determinantLog.isCatchingUp() ? again(ahead, envelope) : ahead.came(envelope);
        if (postedReceive == null) {
            localMatchContexts.keeper(view.context())
                    .keep(envelope, payload(frame, Wire.MESSAGE_HEADER_BYTES), deliveries, determinantLog.lastTakingBack(view.context()));
            localMatchContexts.kept(ahead);
        } else {
            postedReceive.begin(envelope, deliveries);
            postedReceive.read(payload(frame, Wire.MESSAGE_HEADER_BYTES));
            localMatchContexts.received(ahead);
        }
    }

    /**
     * The receive that got a pushed message of the history; null if it is not called yet. A receive whose cancel is
     * still to come in the history did not get it. Neither did any receive called before that cancel: it was posted
     * then, so its message names it.
     */
    private PostedReceive again(LocalMatchContext ahead, Envelope envelope) {
        boolean behind = !localMatchContexts.isPresent() || determinantLog.lastTakingBack(ahead.context()) > determinantLog.lastObserved();
        PostedReceive postedReceive = behind ? null : ahead.cameAgain(envelope);
        if (postedReceive != null) {
            replayMatcher.remove(postedReceive);
        }
        return postedReceive;
    }

    /** Ends a push window: the waiting receives are posted at the relay. */
    public void onEnded(FrameView view) throws WireException, IOException {
        localMatchContexts.ended(view);
        proceed();
    }

    private PostedReceive posted(FrameView view) throws WireException {
        PostedReceive postedReceive = requests.takePosted(view);
        localMatchContexts.of(postedReceive.context).countPosted(-1);
        return postedReceive;
    }

    /** The receiver of an unrequested message: its receive, or during replay a keeper until that receive is called. */
    private PostedReceive unasked(FrameView view) throws WireException {
        passOver(view);
        PostedReceive postedReceive = replayMatcher.receiver(view.context(), view.request());
        if (postedReceive != null) {
            localMatchContexts.of(view.context()).remove(postedReceive);
            postedReceive.beingCancelled(false);
            return postedReceive;
        }
        if (!determinantLog.isObservedBefore()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "DELIVERED for receive " + Integer.toUnsignedString(view.request()) + " of context " + view.context()
                            + ", which does not wait");
        }
        return replayMatcher.keeper(view.context(), view.request());
    }

    /**
     * Removes receives that match the named message but were called before its receive. Had they been posted, they
     * would have got it. The process before had cancelled them, and died before it reported the outcome. Nothing that
     * it observed is lost, so this process is about to cancel them too. They are not posted again: they would get a
     * later message than the receive behind them.
     */
    private void passOver(FrameView view) {
        LocalMatchContext ahead = localMatchContexts.of(view.context());
        PostedReceive first = ahead.receiver(view.source(), view.tag());
        while (first != null && first.isCalledBefore(view.request()) && !first.isBeingCancelled()) {
            ahead.remove(first);
            replayMatcher.remove(first);
            first.passedOver();
            first = ahead.receiver(view.source(), view.tag());
        }
    }

    /** Messages that the relay has delivered, including those that are still arriving. */
    public long deliveries() {
        return deliveries;
    }

    /** As {@link #placeOfMessage}, for a CHUNK and all later chunks of its message. */
    public ByteBuffer placeOfChunk(FrameView view) {
        return arriving.place(view);
    }

    /** As {@link #onChunk}, after the payload has been placed. */
    public void onChunkPlaced(FrameView view) {
        arriving.onPlaced(view);
    }

    /** Handles a further piece of a message. */
    public void onChunk(ByteBuffer frame, FrameView view) throws WireException {
        arriving.onChunk(frame, view);
    }

    /** Handles the relay's answer to the cancel of a receive. */
    public void onCancelled(FrameView view) throws WireException {
        PostedReceive postedReceive = requests.onCancelled(view);
        if (postedReceive != null) {
            localMatchContexts.of(postedReceive.context).countPosted(-1);
            takenBack(postedReceive);
        }
    }

    /** Handles the relay's answer to a probe. */
    public void onProbeAnswer(FrameView view) throws WireException {
        requests.onProbeAnswer(view, (view.flags() & FrameView.FOUND) != 0 ? envelope(view) : null);
    }

    private static Envelope envelope(FrameView view) {
        return new Envelope(view.source(), view.tag(), view.messageBytes(), view.elements(), view.datatype());
    }

    /** The payload of a frame, behind its header. */
    static ByteBuffer payload(ByteBuffer frame, int headerBytes) {
        return frame.position(frame.position() + headerBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    // ---- images

    /** The operation that is under way, as text; null if none is. */
    public String busy() {
        if (!requests.isEmpty() || replayMatcher.isAwaited() || !localMatchContexts.waiting().isEmpty()) {
            return "a receive is under way";
        }
        return arriving.isEmpty() ? null : "a message is arriving";
    }

    /**
     * Writes the inbox's part of an image: the number of receives called in each context, and the messages not yet
     * received.
     */
    public void write(DataOutputStream image) throws IOException {
        image.writeInt(posts.size());
        for (Map.Entry<Integer, long[]> context : posts.entrySet()) {
            image.writeInt(context.getKey());
            image.writeLong(context.getValue()[0]);
        }
        localMatchContexts.write(image);
    }

    /** Sets the count of deliveries before an image. The next delivery follows the image. */
    public void goOnBehind(long deliveriesThen) {
        deliveries = deliveriesThen;
        localMatchContexts.goOnBehind();
    }

    /** Restores the state from an image. */
    public void read(DataInputStream image) throws IOException {
        posts.clear();
        for (int left = image.readInt(); left > 0; left--) {
            posts.put(image.readInt(), new long[] {image.readLong()});
        }
        localMatchContexts.read(image);
    }

    // ---- after a break

    /**
     * For each delivered message that has not arrived completely: the bytes that have come, and how many deliveries ago
     * it began.
     */
    public void arriving(List<StatePage.Entry> state) {
        arriving.state(deliveries, state);
    }

    /**
     * Handles a broken connection: a message for a posted receive comes unrequested if it comes before the rank is
     * live.
     */
    public void broken() {
        arriving.broken();
        requests.dropCancels();
        Set<PostedReceive> all = new LinkedHashSet<>(replayMatcher.takeWaiting());
        all.addAll(localMatchContexts.waiting());
        localMatchContexts.forgetRounds();
        requests.receives().forEach(postedReceive -> {
            requests.remove(postedReceive);
            all.add(postedReceive);
        });
        all.stream().sorted(Comparator.comparingLong(PostedReceive::ordinal)).forEach(this::awaitAgain);
    }

    /** Repeats the pending requests, except receives. */
    public void askAgain() throws IOException {
        requests.probeAgain();
    }

    // ---- blocked ranks

    /** A counter that grows with each message and each byte that arrives. */
    public long trace() {
        return deliveries * Wire.MESSAGE_BYTES_MAX + arriving.bytes();
    }

    /** A rank whose message is awaited in this context, or -1. */
    public int awaited(int context) {
        return waiting(context).mapToInt(postedReceive -> postedReceive.source).findFirst().orElse(-1);
    }

    /** Whether receives wait in the rank that may be posted while the program makes no call. */
    public boolean keepsReceives() {
        return localMatchContexts.keepsReceives();
    }

    /** Whether a waiting receive names this source. */
    public boolean waitsFor(int context, int source) {
        return waiting(context).anyMatch(postedReceive -> postedReceive.source == source);
    }

    /** Ends all receives of a context with an error. */
    public void abandon(int context, ReceiveException why) {
        waiting(context).forEach(postedReceive -> postedReceive.abandon(why));
        arriving.abandon(context, why);
    }

    private Stream<PostedReceive> waiting(int context) {
        return determinantLog.isCatchingUp()
                ? Stream.empty()
                : Stream.concat(requests.receives().filter(postedReceive -> postedReceive.context == context), localMatchContexts.waiting(context));
    }
}
