package org.posthouse.mpj;

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
import java.util.stream.Stream;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank's receives and probes that are under way, and the relay's answers to them. Guarded by the endpoint's lock. */
final class Inbox implements LocalMatchContexts.Posting {
    /** Receives and probes of one rank that wait at its relay, of any contexts. What is called beyond waits in the rank, and is posted in its order when there is room. */
    static final int POSTED_SHARED = 192 * 1024;

    /** The same, with {@link #POSTED_OF_CONTEXT} of each context; the relay takes 256 Ki (docs/wire.md, credit). */
    private static final int POSTED_MAX = 240 * 1024;

    /** Receives of a context that may wait at the relay whatever those of others do. */
    private static final int POSTED_OF_CONTEXT = 64;

    /** Room for so many is worth a pass over those that wait. */
    private static final int POSTED_AT_ONCE = 8 * 1024;

    private static final int POST_BYTES = 48;

    private record Transfer(int context, int source, long sequence) {}

    private final DeterminantWriter line;
    private final long job;
    private final int rank;
    private final DeterminantLog determinantLog;
    private final PendingOperations pendingOperations = new PendingOperations();
    private final Map<Transfer, PostedReceive> arriving = new HashMap<>();
    private final ArrayDeque<PostedReceive> cancelling = new ArrayDeque<>();
    private final ReplayMatcher replayMatcher = new ReplayMatcher();
    private final LocalMatchContexts localMatchContexts;

    /** For each context, how many receives were called in it. */
    private final Map<Integer, long[]> posts = new HashMap<>();

    private long deliveries;

    /** Whether the relay may send what it has sent on an earlier connection. */
    private boolean cameAgain;

    /** @param ahead whether contexts may run ahead */
    Inbox(DeterminantWriter line, long job, int rank, DeterminantLog determinantLog, boolean ahead) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.determinantLog = determinantLog;
        this.localMatchContexts = new LocalMatchContexts(line, job, rank, ahead);
    }

    // ---- what the rank asks for; the caller flushes the line

    /** A receive is called. */
    void receive(PostedReceive postedReceive) throws IOException {
        postedReceive.called(++posts.computeIfAbsent(postedReceive.context, none -> new long[1])[0]);
        determinantLog.received();
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

    /** Its message comes unasked while the rank catches up: one that names it, or one that it matches. */
    private void awaitAgain(PostedReceive postedReceive) {
        replayMatcher.await(postedReceive);
        localMatchContexts.of(postedReceive.context).await(postedReceive);
    }

    private void goOn(UnexpectedQueue.Message came, PostedReceive postedReceive) {
        if (!came.passTo(postedReceive)) {
            arriving.replaceAll((transfer, each) -> each == came.keeper() ? postedReceive : each);
        }
    }

    @Override
    public void post(PostedReceive postedReceive) throws IOException {
        postedReceive.posted(pendingOperations.add(postedReceive));
        localMatchContexts.of(postedReceive.context).countPosted(1);
        request(FrameType.POST, postedReceive);
    }

    @Override
    public boolean mayPost(LocalMatchContext ahead) {
        return pendingOperations.size() < POSTED_SHARED || pendingOperations.size() < POSTED_MAX && ahead.postedCount() < POSTED_OF_CONTEXT;
    }

    @Override
    public boolean isWorth(LocalMatchContext ahead) {
        return pendingOperations.size() < POSTED_SHARED - POSTED_AT_ONCE || pendingOperations.size() < POSTED_MAX && ahead.postedCount() == 0;
    }

    /** The rank is live: it asks for what it waits for. What was to be taken back is gone, since nothing has matched it. */
    void live() throws IOException {
        localMatchContexts.forgetRounds();
        for (PostedReceive postedReceive : replayMatcher.takeWaiting()) {
            if (postedReceive.isBeingCancelled()) {
                postedReceive.beingCancelled(false);
                postedReceive.takenBack();
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

    /** Whether messages of the history have come whose receives were not called yet. */
    boolean hasEarly() {
        return replayMatcher.keepsMessages() || determinantLog.isCatchingUp() && localMatchContexts.keepsMessages();
    }

    /** Whether messages have come that an image cannot have: for receives of a history that were not called yet. */
    boolean keepsNamed() {
        return replayMatcher.keepsMessages();
    }

    /** Whether anything may come unasked. */
    boolean isAhead() {
        return localMatchContexts.isAnyOpen();
    }

    /** Has the relay asked again from now on, in all contexts; {@link #isAhead()} says when that is so. */
    void endAhead() throws IOException {
        localMatchContexts.endAll();
    }

    void probe(PendingProbe pendingProbe) throws IOException {
        pendingProbe.asked(pendingOperations.add(pendingProbe));
        ask(pendingProbe);
    }

    private void ask(PendingProbe pendingProbe) throws IOException {
        request(FrameType.PROBE, pendingProbe.flags, pendingProbe.context, pendingProbe.source, pendingProbe.tag, 0, pendingProbe.request());
    }

    /** The envelope of a message that has come and that such a probe finds; null if none has. */
    Envelope find(int context, int source, int tag) {
        return localMatchContexts.of(context).find(source, tag);
    }

    /** Whether what comes in this context comes unasked, so that the relay must not be asked. */
    boolean isAhead(int context) {
        return localMatchContexts.of(context).isOpen();
    }

    /** Whether receives of this context wait in the rank that are before whatever is asked now. */
    boolean postsLater(int context) {
        return localMatchContexts.of(context).postsLater();
    }

    /** Has the relay asked again from now on; {@link #isAhead} says when that is so. */
    void endAhead(int context) throws IOException {
        localMatchContexts.end(localMatchContexts.of(context));
    }

    /** Something may be said again: what was to be posted meanwhile is. */
    void proceed() throws IOException {
        if (isPostDue()) {
            localMatchContexts.postWaiting(this);
        }
    }

    boolean isPostDue() {
        return localMatchContexts.isPostDue();
    }

    /** The rank says goodbye. */
    void stop() {
        localMatchContexts.stop();
    }

    /** Asks the relay to take the receive back; false if it need not be asked, since it is too late, or nothing was posted. */
    boolean cancel(PostedReceive postedReceive) throws IOException {
        if (postedReceive.isMatched() || postedReceive.isDone()) {
            return false;
        }
        if (postedReceive.isPassedOver()) {
            postedReceive.takenBack();
            return false;
        }
        LocalMatchContext ahead = localMatchContexts.of(postedReceive.context);
        if (ahead.postsLater() && ahead.removeWaiting(postedReceive)) {
            postedReceive.takenBack();
            return false;
        }
        if (replayMatcher.remove(postedReceive)) {
            postedReceive.takenBack();
            ahead.remove(postedReceive);
            return false;
        }
        request(FrameType.CANCEL, postedReceive);
        cancelling.add(postedReceive);
        postedReceive.beingCancelled(true);
        return true;
    }

    private void request(FrameType type, PostedReceive postedReceive) throws IOException {
        request(type, 0, postedReceive.context, postedReceive.source, postedReceive.tag, postedReceive.ordinal(), postedReceive.request());
    }

    private void request(FrameType type, int flags, int context, int source, int tag, long ordinal, int number)
            throws IOException {
        line.begin(POST_BYTES)
                .begin(type, POST_BYTES, job)
                .flags(flags)
                .address(context, source, rank, tag)
                .ordinal(ordinal)
                .post(number, determinantLog.tellPolls());
        line.end(POST_BYTES);
    }

    // ---- what the relay answers

    void onDelivered(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if ((view.flags() & FrameView.PUSHED) != 0) {
            onPushed(frame, view);
            return;
        }
        PostedReceive postedReceive = begin(view);
        if (isWhole(view)) {
            postedReceive.read(payload(frame, Wire.MESSAGE_HEADER_BYTES));
        } else {
            arriving.put(new Transfer(view.context(), view.source(), view.sequence()), postedReceive);
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

    /** Where the payload of a DELIVERED goes as it is; null if it is to be handed over. */
    ByteBuffer placeOfMessage(FrameView view) {
        PostedReceive postedReceive = isWhole(view) ? receiver(view) : null;
        return postedReceive == null ? null : postedReceive.place(envelope(view));
    }

    /**
     * The receive that a DELIVERED is for which is still arriving; null if that is not known. Of one that is pushed it is the first that waits and
     * matches: it stays the first, since those that are called meanwhile are behind it, and it goes on waiting, since whoever would take it
     * back waits for an ENDED first, which comes behind this frame, as does all else that the relay says.
     */
    private PostedReceive receiver(FrameView view) {
        if (view.flags() == FrameView.PUSHED) {
            return localMatchContexts.of(view.context()).receiver(view.source(), view.tag());
        }
        return view.flags() == 0 && pendingOperations.get(view.request()) instanceof PostedReceive postedReceive ? postedReceive : null;
    }

    /** As {@link #onDelivered}, when its payload has come there. */
    void onMessagePlaced(FrameView view) throws WireException, IOException {
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
     * The receive that got a message of the history; null if it is not called yet. One that is to be taken back before did not get it, and
     * neither did any that was called before that: it was posted then, and what it got names it.
     */
    private PostedReceive again(LocalMatchContext ahead, Envelope envelope) {
        boolean behind = !localMatchContexts.isPresent() || determinantLog.lastTakingBack(ahead.context()) > determinantLog.lastObserved();
        PostedReceive postedReceive = behind ? null : ahead.cameAgain(envelope);
        if (postedReceive != null) {
            replayMatcher.remove(postedReceive);
        }
        return postedReceive;
    }

    /** A context does not run ahead any more: the relay gets the receives that wait. */
    void onEnded(FrameView view) throws WireException, IOException {
        localMatchContexts.ended(view);
        proceed();
    }

    private PostedReceive posted(FrameView view) throws WireException {
        if (pendingOperations.remove(view.request()) instanceof PostedReceive postedReceive) {
            localMatchContexts.of(postedReceive.context).countPosted(-1);
            return postedReceive;
        }
        throw new WireException(CloseReason.NOT_EXPECTED, "DELIVERED for request " + view.request() + ", which is no receive");
    }

    /** What a message goes to that was not asked for: its receive, or, in a replay, what keeps it until that is called. */
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
     * A receive that was called before the one that a message names, and that takes it too, would have got it if it had still been posted. The
     * process before had taken it back, and died before it told anybody; since nothing that it observed is lost, this one is about to do the
     * same. It is not posted again, or it would get a later message than the receive behind it.
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

    /** Messages that the relay has delivered, some of which may still be arriving. */
    long deliveries() {
        return deliveries;
    }

    /** As {@link #placeOfMessage}, of a CHUNK and all that follow it. */
    ByteBuffer placeOfChunk(FrameView view) {
        PostedReceive postedReceive = arriving.get(new Transfer(view.context(), view.source(), view.sequence()));
        boolean isNext = postedReceive != null && view.offset() == postedReceive.arrived();
        return isNext ? postedReceive.placeOfRest(view.length() - Wire.CHUNK_HEADER_BYTES) : null;
    }

    /** As {@link #onChunk}, when its payload has come there. */
    void onChunkPlaced(FrameView view) {
        Transfer transfer = new Transfer(view.context(), view.source(), view.sequence());
        if (arriving.get(transfer).placed(view.length() - Wire.CHUNK_HEADER_BYTES)) {
            arriving.remove(transfer);
        }
    }

    void onChunk(ByteBuffer frame, FrameView view) throws WireException {
        Transfer transfer = new Transfer(view.context(), view.source(), view.sequence());
        PostedReceive postedReceive = arriving.get(transfer);
        if (cameAgain && (postedReceive == null || view.offset() < postedReceive.arrived())) {
            return; // The relay's host has lost that the rank has it.
        }
        if (postedReceive == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "chunk of a message that is not arriving: " + transfer);
        }
        if (view.offset() != postedReceive.arrived()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "chunk at " + view.offset() + " of " + transfer + ", expected at " + postedReceive.arrived());
        }
        if (postedReceive.read(payload(frame, Wire.CHUNK_HEADER_BYTES))) {
            arriving.remove(transfer);
        }
    }

    void onCancelled(FrameView view) throws WireException {
        PostedReceive postedReceive = cancelling.poll();
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (postedReceive == null || postedReceive.request() != view.cancelledRequest() || gone == postedReceive.isMatched()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "CANCELLED" + (gone ? "(FOUND)" : "") + " of request " + view.cancelledRequest());
        }
        postedReceive.beingCancelled(false);
        if (gone) {
            pendingOperations.remove(postedReceive.request());
            localMatchContexts.of(postedReceive.context).countPosted(-1);
            postedReceive.takenBack();
        }
    }

    void onProbeAnswer(FrameView view) throws WireException {
        if (!(pendingOperations.remove(view.request()) instanceof PendingProbe pendingProbe)) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "PROBE_ANSWER for request " + view.request() + ", which is no probe");
        }
        pendingProbe.answer((view.flags() & FrameView.FOUND) != 0 ? envelope(view) : null);
    }

    private static Envelope envelope(FrameView view) {
        return new Envelope(view.source(), view.tag(), view.messageBytes(), view.elements(), view.datatype());
    }

    private static ByteBuffer payload(ByteBuffer frame, int headerBytes) {
        return frame.position(frame.position() + headerBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    // ---- images

    /** What is under way, in words; null if nothing is. */
    String busy() {
        if (!pendingOperations.all().isEmpty() || !cancelling.isEmpty() || replayMatcher.isAwaited() || !localMatchContexts.waiting().isEmpty()) {
            return "a receive is under way";
        }
        return arriving.isEmpty() ? null : "a message is arriving";
    }

    /** Writes what an image needs: how many receives were called where, and what has come and was not received. */
    void write(DataOutputStream image) throws IOException {
        image.writeInt(posts.size());
        for (Map.Entry<Integer, long[]> context : posts.entrySet()) {
            image.writeInt(context.getKey());
            image.writeLong(context.getValue()[0]);
        }
        localMatchContexts.write(image);
    }

    /** An image has come, behind which the next delivery comes; so many were made before it. */
    void goOnBehind(long deliveriesThen) {
        deliveries = deliveriesThen;
        localMatchContexts.goOnBehind();
    }

    /** Goes on from an image. */
    void read(DataInputStream image) throws IOException {
        posts.clear();
        for (int left = image.readInt(); left > 0; left--) {
            posts.put(image.readInt(), new long[] {image.readLong()});
        }
        localMatchContexts.read(image);
    }

    // ---- after a break

    /** For each message that was delivered and has not arrived: how far it has, and how many deliveries ago it began. */
    void arriving(List<StatePage.Entry> state) {
        arriving.forEach((transfer, postedReceive) -> {
            int since = (int) Math.min(deliveries - postedReceive.delivery() + 1, Integer.MAX_VALUE);
            state.add(new StatePage.Entry(
                    StatePage.ARRIVING, transfer.context, transfer.source, since, transfer.sequence, postedReceive.arrived()));
        });
    }

    /** The connection has broken: what was posted comes unasked, if it comes before the rank is live. */
    void broken() {
        cameAgain = true;
        cancelling.stream().filter(PostedReceive::isMatched).forEach(postedReceive -> postedReceive.beingCancelled(false));
        cancelling.clear();
        Set<PostedReceive> all = new LinkedHashSet<>(replayMatcher.takeWaiting());
        all.addAll(localMatchContexts.waiting());
        localMatchContexts.forgetRounds();
        receives().forEach(postedReceive -> {
            pendingOperations.remove(postedReceive.request());
            all.add(postedReceive);
        });
        all.stream().sorted(Comparator.comparingLong(PostedReceive::ordinal)).forEach(this::awaitAgain);
    }

    /** Asks again for what is under way but receives. */
    void askAgain() throws IOException {
        for (Operation operation : pendingOperations.all()) {
            if (operation instanceof PendingProbe pendingProbe) {
                ask(pendingProbe);
            }
        }
    }

    // ---- ranks that are blocked

    /** Grows with each message and each byte that comes. */
    long trace() {
        return deliveries * Wire.MESSAGE_BYTES_MAX + arriving.values().stream().mapToLong(PostedReceive::arrived).sum();
    }

    /** A rank whose message is waited for in this context, or -1. */
    int awaited(int context) {
        return waiting(context).mapToInt(postedReceive -> postedReceive.source).findFirst().orElse(-1);
    }

    /** Whether receives wait in the rank that may be posted though the program does nothing. */
    boolean keepsReceives() {
        return localMatchContexts.keepsReceives();
    }

    /** Whether a receive waits that names this source. */
    boolean waitsFor(int context, int source) {
        return waiting(context).anyMatch(postedReceive -> postedReceive.source == source);
    }

    /** Gives up all receives of a context. */
    void abandon(int context, ReceiveException why) {
        waiting(context).forEach(postedReceive -> postedReceive.abandon(why));
        arriving.values().stream()
                .filter(postedReceive -> postedReceive.context == context)
                .forEach(postedReceive -> postedReceive.abandon(why));
    }

    private Stream<PostedReceive> waiting(int context) {
        return determinantLog.isCatchingUp()
                ? Stream.empty()
                : Stream.concat(receives().filter(postedReceive -> postedReceive.context == context), localMatchContexts.waiting(context));
    }

    private Stream<PostedReceive> receives() {
        return pendingOperations.all().stream()
                .filter(operation -> operation instanceof PostedReceive)
                .map(operation -> (PostedReceive) operation);
    }
}
