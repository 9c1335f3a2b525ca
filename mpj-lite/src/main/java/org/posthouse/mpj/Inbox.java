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
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank's receives and probes that are under way, and the relay's answers to them. Guarded by the endpoint's lock. */
final class Inbox implements Aheads.Posting {
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

    private final Told line;
    private final long job;
    private final int rank;
    private final History history;
    private final Pending pending = new Pending();
    private final Map<Transfer, Receiving> arriving = new HashMap<>();
    private final ArrayDeque<Receiving> cancelling = new ArrayDeque<>();
    private final Unasked unasked = new Unasked();
    private final Aheads aheads;

    /** For each context, how many receives were called in it. */
    private final Map<Integer, long[]> posts = new HashMap<>();

    private long deliveries;

    /** Whether the relay may send what it has sent on an earlier connection. */
    private boolean cameAgain;

    /** @param ahead whether contexts may run ahead */
    Inbox(Told line, long job, int rank, History history, boolean ahead) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.history = history;
        this.aheads = new Aheads(line, job, rank, ahead);
    }

    // ---- what the rank asks for; the caller flushes the line

    /** A receive is called. */
    void receive(Receiving receiving) throws IOException {
        receiving.called(++posts.computeIfAbsent(receiving.context, none -> new long[1])[0]);
        history.received();
        Early.Message named = unasked.take(receiving);
        Ahead ahead = aheads.of(receiving.context);
        Ahead.Message came = named == null ? ahead.take(receiving.source, receiving.tag, history.lastObserved()) : null;
        if (named != null) {
            goOn(named, receiving);
        } else if (came != null) {
            came.passTo(receiving);
            aheads.received(ahead);
        } else if (unasked.isPassedOver(receiving)) {
            receiving.passedOver();
        } else if (history.isCatchingUp()) {
            awaitAgain(receiving);
        } else if (ahead.isOpen()) {
            ahead.await(receiving);
        } else {
            postOrWait(receiving);
            aheads.posted(ahead);
        }
    }

    /** Its message comes unasked while the rank catches up: one that names it, or one that it matches. */
    private void awaitAgain(Receiving receiving) {
        unasked.await(receiving);
        aheads.of(receiving.context).await(receiving);
    }

    private void goOn(Early.Message came, Receiving receiving) {
        if (!came.passTo(receiving)) {
            arriving.replaceAll((transfer, each) -> each == came.keeper() ? receiving : each);
        }
    }

    @Override
    public void post(Receiving receiving) throws IOException {
        receiving.posted(pending.add(receiving));
        aheads.of(receiving.context).countPosted(1);
        request(FrameType.POST, receiving);
    }

    @Override
    public boolean mayPost(Ahead ahead) {
        return pending.size() < POSTED_SHARED || pending.size() < POSTED_MAX && ahead.postedCount() < POSTED_OF_CONTEXT;
    }

    @Override
    public boolean isWorth(Ahead ahead) {
        return pending.size() < POSTED_SHARED - POSTED_AT_ONCE || pending.size() < POSTED_MAX && ahead.postedCount() == 0;
    }

    /** The rank is live: it asks for what it waits for. What was to be taken back is gone, since nothing has matched it. */
    void live() throws IOException {
        aheads.forgetRounds();
        for (Receiving receiving : unasked.takeWaiting()) {
            if (receiving.isBeingCancelled()) {
                receiving.beingCancelled(false);
                receiving.takenBack();
            } else {
                postOrWait(receiving);
            }
        }
    }

    private void postOrWait(Receiving receiving) throws IOException {
        Ahead ahead = aheads.of(receiving.context);
        if (!ahead.postsLater() && mayPost(ahead)) {
            post(receiving);
        } else {
            ahead.await(receiving);
            aheads.postLater(ahead);
        }
    }

    /** Whether messages of the history have come whose receives were not called yet. */
    boolean hasEarly() {
        return unasked.keepsMessages() || history.isCatchingUp() && aheads.keepsMessages();
    }

    /** Whether messages have come that an image cannot have: for receives of a history that were not called yet. */
    boolean keepsNamed() {
        return unasked.keepsMessages();
    }

    /** Whether anything may come unasked. */
    boolean isAhead() {
        return aheads.isAnyOpen();
    }

    /** Has the relay asked again from now on, in all contexts; {@link #isAhead()} says when that is so. */
    void endAhead() throws IOException {
        aheads.endAll();
    }

    void probe(Probing probing) throws IOException {
        probing.asked(pending.add(probing));
        ask(probing);
    }

    private void ask(Probing probing) throws IOException {
        request(FrameType.PROBE, probing.flags, probing.context, probing.source, probing.tag, 0, probing.request());
    }

    /** The envelope of a message that has come and that such a probe finds; null if none has. */
    Envelope find(int context, int source, int tag) {
        return aheads.of(context).find(source, tag);
    }

    /** Whether what comes in this context comes unasked, so that the relay must not be asked. */
    boolean isAhead(int context) {
        return aheads.of(context).isOpen();
    }

    /** Whether receives of this context wait in the rank that are before whatever is asked now. */
    boolean postsLater(int context) {
        return aheads.of(context).postsLater();
    }

    /** Has the relay asked again from now on; {@link #isAhead} says when that is so. */
    void endAhead(int context) throws IOException {
        aheads.end(aheads.of(context));
    }

    /** Something may be said again: what was to be posted meanwhile is. */
    void proceed() throws IOException {
        if (isPostDue()) {
            aheads.postWaiting(this);
        }
    }

    boolean isPostDue() {
        return aheads.isPostDue();
    }

    /** The rank says goodbye. */
    void stop() {
        aheads.stop();
    }

    /** Asks the relay to take the receive back; false if it need not be asked, since it is too late, or nothing was posted. */
    boolean cancel(Receiving receiving) throws IOException {
        if (receiving.isMatched() || receiving.isDone()) {
            return false;
        }
        if (receiving.isPassedOver()) {
            receiving.takenBack();
            return false;
        }
        Ahead ahead = aheads.of(receiving.context);
        if (ahead.postsLater() && ahead.removeWaiting(receiving)) {
            receiving.takenBack();
            return false;
        }
        if (unasked.remove(receiving)) {
            receiving.takenBack();
            ahead.remove(receiving);
            return false;
        }
        request(FrameType.CANCEL, receiving);
        cancelling.add(receiving);
        receiving.beingCancelled(true);
        return true;
    }

    private void request(FrameType type, Receiving receiving) throws IOException {
        request(type, 0, receiving.context, receiving.source, receiving.tag, receiving.ordinal(), receiving.request());
    }

    private void request(FrameType type, int flags, int context, int source, int tag, long ordinal, int number)
            throws IOException {
        line.begin(POST_BYTES)
                .begin(type, POST_BYTES, job)
                .flags(flags)
                .address(context, source, rank, tag)
                .ordinal(ordinal)
                .post(number, history.tellPolls());
        line.end(POST_BYTES);
    }

    // ---- what the relay answers

    void onDelivered(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if ((view.flags() & FrameView.PUSHED) != 0) {
            onPushed(frame, view);
            return;
        }
        Receiving receiving = begin(view);
        if (isWhole(view)) {
            receiving.read(payload(frame, Wire.MESSAGE_HEADER_BYTES));
        } else {
            arriving.put(new Transfer(view.context(), view.source(), view.sequence()), receiving);
        }
    }

    private static boolean isWhole(FrameView view) {
        return view.length() == Wire.MESSAGE_HEADER_BYTES + view.messageBytes();
    }

    private Receiving begin(FrameView view) throws WireException {
        boolean named = (view.flags() & FrameView.NAMED) != 0;
        Receiving receiving = named ? unasked(view) : posted(view);
        if (!named) {
            aheads.of(view.context()).delivered(isWhole(view), view.messageBytes());
        }
        receiving.begin(envelope(view), ++deliveries);
        return receiving;
    }

    /** Where the payload of a DELIVERED goes as it is; null if it is to be handed over. */
    ByteBuffer placeOfMessage(FrameView view) {
        Receiving receiving = isWhole(view) ? receiver(view) : null;
        return receiving == null ? null : receiving.place(envelope(view));
    }

    /**
     * The receive that a DELIVERED is for which is still arriving; null if that is not known. Of one that is pushed it is the first that waits and
     * matches: it stays the first, since those that are called meanwhile are behind it, and it goes on waiting, since whoever would take it
     * back waits for an ENDED first, which comes behind this frame, as does all else that the relay says.
     */
    private Receiving receiver(FrameView view) {
        if (view.flags() == FrameView.PUSHED) {
            return aheads.of(view.context()).receiver(view.source(), view.tag());
        }
        return view.flags() == 0 && pending.get(view.request()) instanceof Receiving receiving ? receiving : null;
    }

    /** As {@link #onDelivered}, when its payload has come there. */
    void onMessagePlaced(FrameView view) throws WireException, IOException {
        if (view.flags() == FrameView.PUSHED) {
            Ahead ahead = aheads.of(view.context());
            Receiving receiving = ahead.came(envelope(view));
            receiving.begin(envelope(view), ++deliveries);
            receiving.placed(view.messageBytes());
            aheads.received(ahead);
        } else {
            begin(view).placed(view.messageBytes());
        }
    }

    private void onPushed(ByteBuffer frame, FrameView view) throws WireException, IOException {
        if (!isWhole(view)) {
            throw new WireException(Reason.NOT_EXPECTED, "a part of a message of " + view.messageBytes() + " bytes, pushed");
        }
        Ahead ahead = aheads.of(view.context());
        Envelope envelope = envelope(view);
        deliveries++;
        Receiving receiving = history.isCatchingUp() ? again(ahead, envelope) : ahead.came(envelope);
        if (receiving == null) {
            aheads.keeper(view.context())
                    .keep(envelope, payload(frame, Wire.MESSAGE_HEADER_BYTES), deliveries, history.lastTakingBack(view.context()));
            aheads.kept(ahead);
        } else {
            receiving.begin(envelope, deliveries);
            receiving.read(payload(frame, Wire.MESSAGE_HEADER_BYTES));
            aheads.received(ahead);
        }
    }

    /**
     * The receive that got a message of the history; null if it is not called yet. One that is to be taken back before did not get it, and
     * neither did any that was called before that: it was posted then, and what it got names it.
     */
    private Receiving again(Ahead ahead, Envelope envelope) {
        boolean behind = !aheads.isPresent() || history.lastTakingBack(ahead.context()) > history.lastObserved();
        Receiving receiving = behind ? null : ahead.cameAgain(envelope);
        if (receiving != null) {
            unasked.remove(receiving);
        }
        return receiving;
    }

    /** A context does not run ahead any more: the relay gets the receives that wait. */
    void onEnded(FrameView view) throws WireException, IOException {
        aheads.ended(view);
        proceed();
    }

    private Receiving posted(FrameView view) throws WireException {
        if (pending.remove(view.request()) instanceof Receiving receiving) {
            aheads.of(receiving.context).countPosted(-1);
            return receiving;
        }
        throw new WireException(Reason.NOT_EXPECTED, "DELIVERED for request " + view.request() + ", which is no receive");
    }

    /** What a message goes to that was not asked for: its receive, or, in a replay, what keeps it until that is called. */
    private Receiving unasked(FrameView view) throws WireException {
        passOver(view);
        Receiving receiving = unasked.receiver(view.context(), view.request());
        if (receiving != null) {
            aheads.of(view.context()).remove(receiving);
            receiving.beingCancelled(false);
            return receiving;
        }
        if (!history.isObservedBefore()) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "DELIVERED for receive " + Integer.toUnsignedString(view.request()) + " of context " + view.context()
                            + ", which does not wait");
        }
        return unasked.keeper(view.context(), view.request());
    }

    /**
     * A receive that was called before the one that a message names, and that takes it too, would have got it if it had still been posted. The
     * process before had taken it back, and died before it told anybody; since nothing that it observed is lost, this one is about to do the
     * same. It is not posted again, or it would get a later message than the receive behind it.
     */
    private void passOver(FrameView view) {
        Ahead ahead = aheads.of(view.context());
        Receiving first = ahead.receiver(view.source(), view.tag());
        while (first != null && first.isCalledBefore(view.request()) && !first.isBeingCancelled()) {
            ahead.remove(first);
            unasked.remove(first);
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
        Receiving receiving = arriving.get(new Transfer(view.context(), view.source(), view.sequence()));
        boolean isNext = receiving != null && view.offset() == receiving.arrived();
        return isNext ? receiving.placeOfRest(view.length() - Wire.CHUNK_HEADER_BYTES) : null;
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
        Receiving receiving = arriving.get(transfer);
        if (cameAgain && (receiving == null || view.offset() < receiving.arrived())) {
            return; // The relay's host has lost that the rank has it.
        }
        if (receiving == null) {
            throw new WireException(Reason.NOT_EXPECTED, "chunk of a message that is not arriving: " + transfer);
        }
        if (view.offset() != receiving.arrived()) {
            throw new WireException(
                    Reason.NOT_EXPECTED, "chunk at " + view.offset() + " of " + transfer + ", expected at " + receiving.arrived());
        }
        if (receiving.read(payload(frame, Wire.CHUNK_HEADER_BYTES))) {
            arriving.remove(transfer);
        }
    }

    void onCancelled(FrameView view) throws WireException {
        Receiving receiving = cancelling.poll();
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (receiving == null || receiving.request() != view.cancelledRequest() || gone == receiving.isMatched()) {
            throw new WireException(
                    Reason.NOT_EXPECTED, "CANCELLED" + (gone ? "(FOUND)" : "") + " of request " + view.cancelledRequest());
        }
        receiving.beingCancelled(false);
        if (gone) {
            pending.remove(receiving.request());
            aheads.of(receiving.context).countPosted(-1);
            receiving.takenBack();
        }
    }

    void onProbeAnswer(FrameView view) throws WireException {
        if (!(pending.remove(view.request()) instanceof Probing probing)) {
            throw new WireException(
                    Reason.NOT_EXPECTED, "PROBE_ANSWER for request " + view.request() + ", which is no probe");
        }
        probing.answer((view.flags() & FrameView.FOUND) != 0 ? envelope(view) : null);
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
        if (!pending.all().isEmpty() || !cancelling.isEmpty() || unasked.isAwaited() || !aheads.waiting().isEmpty()) {
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
        aheads.write(image);
    }

    /** An image has come, behind which the next delivery comes; so many were made before it. */
    void goOnBehind(long deliveriesThen) {
        deliveries = deliveriesThen;
        aheads.goOnBehind();
    }

    /** Goes on from an image. */
    void read(DataInputStream image) throws IOException {
        posts.clear();
        for (int left = image.readInt(); left > 0; left--) {
            posts.put(image.readInt(), new long[] {image.readLong()});
        }
        aheads.read(image);
    }

    // ---- after a break

    /** For each message that was delivered and has not arrived: how far it has, and how many deliveries ago it began. */
    void arriving(List<StatePage.Entry> state) {
        arriving.forEach((transfer, receiving) -> {
            int since = (int) Math.min(deliveries - receiving.delivery() + 1, Integer.MAX_VALUE);
            state.add(new StatePage.Entry(
                    StatePage.ARRIVING, transfer.context, transfer.source, since, transfer.sequence, receiving.arrived()));
        });
    }

    /** The connection has broken: what was posted comes unasked, if it comes before the rank is live. */
    void broken() {
        cameAgain = true;
        cancelling.stream().filter(Receiving::isMatched).forEach(receiving -> receiving.beingCancelled(false));
        cancelling.clear();
        Set<Receiving> all = new LinkedHashSet<>(unasked.takeWaiting());
        all.addAll(aheads.waiting());
        aheads.forgetRounds();
        receives().forEach(receiving -> {
            pending.remove(receiving.request());
            all.add(receiving);
        });
        all.stream().sorted(Comparator.comparingLong(Receiving::ordinal)).forEach(this::awaitAgain);
    }

    /** Asks again for what is under way but receives. */
    void askAgain() throws IOException {
        for (Operation operation : pending.all()) {
            if (operation instanceof Probing probing) {
                ask(probing);
            }
        }
    }

    // ---- ranks that are blocked

    /** Grows with each message and each byte that comes. */
    long trace() {
        return deliveries * Wire.MESSAGE_BYTES_MAX + arriving.values().stream().mapToLong(Receiving::arrived).sum();
    }

    /** A rank whose message is waited for in this context, or -1. */
    int awaited(int context) {
        return waiting(context).mapToInt(receiving -> receiving.source).findFirst().orElse(-1);
    }

    /** Whether receives wait in the rank that may be posted though the program does nothing. */
    boolean keepsReceives() {
        return aheads.keepsReceives();
    }

    /** Whether a receive waits that names this source. */
    boolean waitsFor(int context, int source) {
        return waiting(context).anyMatch(receiving -> receiving.source == source);
    }

    /** Gives up all receives of a context. */
    void abandon(int context, ReceiveException why) {
        waiting(context).forEach(receiving -> receiving.abandon(why));
        arriving.values().stream()
                .filter(receiving -> receiving.context == context)
                .forEach(receiving -> receiving.abandon(why));
    }

    private Stream<Receiving> waiting(int context) {
        return history.isCatchingUp()
                ? Stream.empty()
                : Stream.concat(receives().filter(receiving -> receiving.context == context), aheads.waiting(context));
    }

    private Stream<Receiving> receives() {
        return pending.all().stream()
                .filter(operation -> operation instanceof Receiving)
                .map(operation -> (Receiving) operation);
    }
}
