package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/** A rank that speaks the library's side of the protocol in a simple way: everything nonblocking, then Finalize. */
final class SimRank implements SimAhead.Owner {
    /** A receive or probe by its request number. */
    private static final class Asked {
        final SimProgram.Pattern pattern;
        final SimProgram.Kind kind;
        SimLetter letter;
        boolean cancelled;
        boolean cancelling;
        long ordinal;
        long delivery;
        long promisedSequence;
        long arrived;
        SimLetter promised;

        Asked(SimProgram.Pattern pattern, SimProgram.Kind kind) {
            this.pattern = pattern;
            this.kind = kind;
        }

        private boolean waits() {
            return kind == SimProgram.Kind.POST
                    ? !cancelled && (letter == null || !letter.received || cancelling)
                    : arrived == 0;
        }

        /** Whether it has to be said again by a rank that has come again. */
        private boolean isDue() {
            return kind == SimProgram.Kind.POST ? letter == null && !cancelled && !cancelling : arrived == 0;
        }

        @Override
        public String toString() {
            return kind + " " + pattern + (cancelling ? " cancelling" : "") + (letter == null ? "" : " has " + arrived + " of " + letter);
        }
    }

    private final CoreWorld world;
    private final int rank;
    private final Random random;
    private final Frames frames;
    private final Deque<SimProgram.Step> steps;
    private final List<Asked> asked = new ArrayList<>();
    private final Map<SimLine.Place, SimLetter> offered = new HashMap<>();
    private final Set<SimLine.Place> withdrawing = new HashSet<>();
    private final Map<SimLine.Place, Asked> arriving = new HashMap<>();
    private final Map<List<Integer>, Long> sequences = new HashMap<>();
    private final Map<SimProgram.Pattern, Integer> heldPosts = new HashMap<>();
    private final Map<Integer, Long> ordinals = new HashMap<>();
    private final SimLine line;
    private final SimAhead ahead;
    private long deliveries;
    private long events;
    private int comebacks;
    private long creditBytes;
    private int creditMessages;
    private int failedPolls;
    private int open;
    private boolean hasKnocked;
    private boolean greetedAgain;
    private boolean hasBegun;
    private boolean finalizing;
    private boolean finalized;

    SimRank(CoreWorld world, int rank, List<SimProgram.Step> steps, Random random, Frames frames) {
        this.world = world;
        this.rank = rank;
        this.steps = new ArrayDeque<>(steps);
        this.random = random;
        this.frames = frames;
        this.line = new SimLine(world, rank);
        this.ahead = new SimAhead(rank, random, frames, line, world.logged() ? 0 : random.nextInt(10), this);
    }

    SimLine line() {
        return line;
    }

    /** What it says first on a connection. */
    Hello hello(Token token) {
        Hello first = Hello.firstStart(CoreWorld.JOB, rank);
        greetedAgain = hasKnocked;
        hasKnocked = true;
        return greetedAgain ? first.again(Hello.AGAIN, deliveries, failedPolls, events, line.next(), 1) : first;
    }

    List<StatePage.Entry> state() {
        List<StatePage.Entry> state = new ArrayList<>(line.goingOn(offered));
        sequences.forEach((channel, last) -> state.add(new StatePage.Entry(StatePage.SENT, channel.get(0), channel.get(1), last)));
        arriving.forEach((place, request) -> {
            if (request.arrived < request.letter.bytes) {
                int which = random.nextInt(10) == 0 ? 0 : (int) (deliveries - request.delivery + 1);
                state.add(new StatePage.Entry(
                        StatePage.ARRIVING, place.context(), place.peer(), which, place.sequence(), request.arrived));
            }
        });
        return state;
    }

    void onWelcome(Welcome welcome, List<StatePage.Entry> state) {
        creditBytes = welcome.creditBytes();
        creditMessages = welcome.creditMessages();
        if (greetedAgain) {
            line.stage(SimLine.Stage.BACK);
            comeBack(state);
        } else {
            line.stage(SimLine.Stage.LIVE);
            begin();
        }
    }

    private void begin() {
        if (!hasBegun) {
            hasBegun = true;
            step();
        }
    }

    /** Says again what may be lost. */
    private void comeBack(List<StatePage.Entry> state) {
        comebacks++;
        line.learn(state);
        Set<SimLine.Place> gone = new HashSet<>();
        for (StatePage.Entry entry : state) {
            if (entry.kind() == StatePage.GONE) {
                gone.add(new SimLine.Place(entry.context(), entry.peer(), entry.a()));
            }
        }
        long[] credit = line.writeAgain(gone);
        creditBytes -= credit[0];
        creditMessages -= (int) credit[1];
        Map.copyOf(offered).forEach((place, letter) -> {
            if (!gone.contains(place) && line.isThere(place.context(), place.peer(), place.sequence())) {
                offered.remove(place);
                open--;
            }
        });
        gone.stream().filter(offered::containsKey).toList().forEach(this::isGone);
    }

    /** All that it has not read has come: it goes on, and asks again what was not answered. */
    private void goLive() {
        check(line.stage() == SimLine.Stage.BACK, "the end of its history as it is " + line.stage());
        line.send(frames.live());
        line.stage(SimLine.Stage.LIVE);
        for (int number = 0; number < asked.size(); number++) {
            if (asked.get(number).isDue()) {
                say(number);
            }
        }
        asked.stream()
                .filter(request -> request.cancelling) // What nothing has matched was taken back, or is not posted any more.
                .toList()
                .forEach(request -> isCancelled(request, request.letter == null));
        withdrawing.forEach(this::sayWithdraw);
        if (finalizing) {
            line.send(frames.finalizing(failedPolls()));
        }
        begin();
    }

    private void step() {
        if (!line.isLive()) {
            world.clock().after(5, this::step);
            return;
        }
        if (world.troubled() && !steps.isEmpty() && random.nextInt(10) == 0) {
            line.send(frames.events(++events, 1));
        }
        SimProgram.Step step = steps.poll();
        if (step == null) {
            maybeFinalize();
            return;
        }
        switch (step.kind()) {
            case SEND -> send(step.letter());
            case POST -> post(step.pattern());
            case PROBE -> {
                if (!heldPosts.containsKey(step.pattern()) && remainsToPost(step.pattern())) {
                    heldPosts.put(step.pattern(), 0);
                    ask(step.pattern(), SimProgram.Kind.PROBE);
                }
            }
            case TRY_PROBE -> ask(step.pattern(), SimProgram.Kind.TRY_PROBE);
            case PAUSE -> {}
        }
        world.clock().after(step.kind() == SimProgram.Kind.PAUSE ? 500 : random.nextInt(4), this::step);
    }

    /** A blocking probe is answered for sure only while a receive of its kind is still to come. */
    private boolean remainsToPost(SimProgram.Pattern pattern) {
        return steps.stream().anyMatch(step -> step.kind() == SimProgram.Kind.POST && step.pattern().equals(pattern));
    }

    private void send(SimLetter letter) {
        letter.sequence = sequences.merge(List.of(letter.context, letter.destination), 1L, Long::sum);
        world.sent(letter);
        long cost = Wire.cost(letter.bytes);
        boolean credit = cost <= creditBytes && creditMessages > 0;
        FrameType form = !credit || letter.synchronous || letter.bytes > world.eagerBytesMax()
                ? FrameType.OFFER
                : letter.bytes > Wire.PAYLOAD_BYTES_MAX ? FrameType.EAGER : FrameType.SEND;
        ByteBuffer frame = frames.message(
                form, letter.context, rank, letter.destination, letter.tag, letter.sequence, letter.bytes);
        letter.storable = form == FrameType.OFFER && !letter.synchronous && letter.bytes <= world.eagerBytesMax();
        view(frame).failedPolls(failedPolls()).flags(letter.storable ? FrameView.STORABLE : 0);
        if (form == FrameType.SEND) {
            letter.write(0, frame.slice(Wire.MESSAGE_HEADER_BYTES, letter.bytes));
        }
        line.send(frame);
        if (form == FrameType.OFFER) {
            SimLine.Place transfer = new SimLine.Place(letter.context, letter.destination, letter.sequence);
            offered.put(transfer, letter);
            open++;
            if (random.nextInt(4) == 0) {
                world.clock().after(random.nextInt(200), () -> withdraw(transfer));
            }
            return;
        }
        creditBytes -= cost;
        creditMessages--;
        if (form == FrameType.EAGER) {
            sendChunks(letter, 0, letter.bytes);
        }
    }

    /** Takes an offer back of which nothing was sent. It is sent again when that succeeds. */
    private void withdraw(SimLine.Place transfer) {
        if (!line.isLive()) {
            world.clock().after(20, () -> withdraw(transfer));
            return;
        }
        SimLetter letter = offered.get(transfer);
        if (letter != null && letter.bytesCleared == 0) {
            withdrawing.add(transfer);
            open++;
            sayWithdraw(transfer);
        }
    }

    private void sayWithdraw(SimLine.Place offer) {
        line.send(frames.withdraw(offer.context(), rank, offer.peer(), offer.sequence(), failedPolls()));
    }

    private void onWithdrawn(FrameView view) {
        SimLine.Place transfer = new SimLine.Place(view.context(), view.destination(), view.sequence());
        if (comebacks > 0 && !withdrawing.contains(transfer)) {
            return; // Of an earlier connection.
        }
        check(withdrawing.contains(transfer), "WITHDRAWN of nothing: " + transfer);
        SimLetter letter = world.letter(view.context(), rank, view.destination(), view.sequence());
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        check(
                (letter.matched || letter.pulled || !gone && letter.storable) != gone, // It may have been asked for, as there was room.
                "withdrawn is " + gone + " but matched " + letter.matched + ", pulled " + letter.pulled + ": " + letter);
        if (gone) {
            isGone(transfer);
        } else {
            withdrawing.remove(transfer);
            open--;
        }
    }

    /** An offer was taken back: the letter is sent anew. */
    private void isGone(SimLine.Place transfer) {
        SimLetter letter = offered.remove(transfer);
        check(letter != null && letter.bytesCleared == 0, "withdrawn and cleared: " + letter);
        check(withdrawing.remove(transfer), "withdrawn unasked: " + letter);
        open -= 2;
        send(letter);
    }

    private long sendChunks(SimLetter letter, long from, long upTo) {
        long at = from;
        while (at < upTo) {
            int bytes = (int) Math.min(upTo - at, chunkBytesMax(letter));
            ByteBuffer frame = frames.chunk(letter.context, rank, letter.destination, letter.sequence, at, bytes);
            letter.write(at, frame.slice(Wire.CHUNK_HEADER_BYTES, bytes));
            line.send(frame);
            at += bytes;
        }
        return at;
    }

    /** One piece if the job is logged, else now these and now those. */
    private int chunkBytesMax(SimLetter letter) {
        return world.logged() ? Wire.PAYLOAD_BYTES_MAX : (1 + (int) (letter.sequence % 4)) * Wire.PAYLOAD_BYTES_MAX;
    }

    private void post(SimProgram.Pattern pattern) {
        if (heldPosts.computeIfPresent(pattern, (p, held) -> held + 1) == null) {
            ask(pattern, SimProgram.Kind.POST);
        }
    }

    private Asked ask(SimProgram.Pattern pattern, SimProgram.Kind kind) {
        Asked request = new Asked(pattern, kind);
        asked.add(request);
        open++;
        int number = asked.size() - 1;
        if (kind == SimProgram.Kind.POST && random.nextInt(8) == 0) {
            world.clock().after(random.nextInt(200), () -> cancel(request, number));
        }
        if (kind == SimProgram.Kind.POST) {
            request.ordinal = ordinals.merge(pattern.context(), 1L, Long::sum);
            ahead.receive(number, pattern);
        } else {
            ahead.probe(number, pattern, kind == SimProgram.Kind.PROBE);
        }
        return request;
    }

    /** Says what it asks for, for the first time or again. */
    @Override
    public void say(int number) {
        Asked request = asked.get(number);
        SimProgram.Pattern pattern = request.pattern;
        boolean blocking = request.kind == SimProgram.Kind.PROBE;
        if (request.kind == SimProgram.Kind.POST) {
            ByteBuffer post = frames.post(pattern.context(), pattern.source(), rank, pattern.tag(), number, failedPolls());
            view(post).ordinal(world.logged() ? request.ordinal : 0);
            line.send(post);
        } else {
            line.send(frames.probe(
                    blocking, pattern.context(), pattern.source(), rank, pattern.tag(), number, failedPolls()));
        }
    }

    /** Takes a receive back that nothing has matched. It is posted again when that succeeds. */
    private void cancel(Asked request, int number) {
        if (!line.isLive()) {
            world.clock().after(20, () -> cancel(request, number));
        } else if (request.letter == null && request.promised == null) {
            open++;
            request.cancelling = true;
            ahead.cancel(number, request.pattern.context());
        }
    }

    @Override
    public void sayCancel(int number) {
        if (asked.get(number).letter != null && !world.logged()) {
            isCancelled(asked.get(number), false); // It was pushed before the round's end.
            return;
        }
        SimProgram.Pattern pattern = asked.get(number).pattern;
        ByteBuffer cancel =
                frames.cancel(pattern.context(), pattern.source(), rank, pattern.tag(), number, failedPolls());
        view(cancel).ordinal(world.logged() ? asked.get(number).ordinal : 0);
        line.send(cancel);
    }

    private void onCancelled(FrameView view) {
        Asked request = asked.get(view.cancelledRequest());
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        check(gone == (request.letter == null), "cancelled is " + gone + " for the receive that got " + request.letter);
        isCancelled(request, gone);
    }

    private void isCancelled(Asked request, boolean gone) {
        open--;
        request.cancelling = false;
        if (gone) {
            request.cancelled = true;
            open--;
            post(request.pattern);
        }
    }

    private int failedPolls() {
        return failedPolls;
    }

    void onFrame(ByteBuffer frame) {
        FrameView view = new TestFrame(frame, world.ledgerOfRanks()).view();
        switch (view.type()) {
            case DELIVERED -> onDelivered(frame, view);
            case CHUNK -> onChunk(frame, view);
            case CLEAR -> onClear(view);
            case CREDIT -> onCredit(view);
            case PROBE_ANSWER -> onProbeAnswer(view);
            case CANCELLED -> onCancelled(view);
            case WITHDRAWN -> onWithdrawn(view);
            case ENDED -> ahead.onEnded(view);
            case ACK -> line.ack(view);
            case EVENTS -> {
                check((view.flags() & FrameView.END) != 0, "it is given events that it has made itself: " + view);
                goLive();
            }
            case FINALIZE -> {
                line.checkAllSafe();
                finalized = true;
            }
            default -> throw new AssertionError(view + " to a rank");
        }
        maybeFinalize();
    }

    private void onDelivered(ByteBuffer frame, FrameView view) {
        if ((view.flags() & FrameView.PUSHED) != 0) {
            ahead.onPushed(frame);
        } else {
            gets((view.flags() & FrameView.NAMED) != 0 ? numbered(view) : asked.get(view.request()), frame, view);
        }
    }

    @Override
    public void gets(int number, ByteBuffer delivered) {
        gets(asked.get(number), delivered, view(delivered));
    }

    private void gets(Asked request, ByteBuffer frame, FrameView view) {
        SimLetter letter = world.letter(view.context(), view.source(), rank, view.sequence());
        check(request.kind == SimProgram.Kind.POST && request.letter == null, "request " + view.request() + " got " + letter);
        check(request.pattern.takes(letter), request.pattern + " got " + letter);
        check(letter.sequence == view.sequence(), "a withdrawn message was delivered: " + view.sequence() + " of " + letter);
        check(!request.cancelled, "a cancelled receive got " + letter);
        check(
                request.promised == null
                        || request.promised == letter
                        || request.promised.withdrawnUpTo >= request.promisedSequence,
                "probe promised " + request.promised + ", got " + letter);
        checkEnvelope(view, letter);
        request.letter = letter;
        request.delivery = ++deliveries;
        int rides = view.length() - Wire.MESSAGE_HEADER_BYTES;
        letter.check(0, frame.slice(Wire.MESSAGE_HEADER_BYTES, rides));
        request.arrived = rides;
        if (rides == letter.bytes) {
            received(letter);
        } else {
            arriving.put(new SimLine.Place(view.context(), view.source(), view.sequence()), request);
        }
    }

    /** The receive that a message of the past is for. */
    private Asked numbered(FrameView pushed) {
        check(line.stage() == SimLine.Stage.BACK, "unasked as it is " + line.stage() + ": " + pushed);
        return asked.stream()
                .filter(request -> request.ordinal == pushed.request() && request.pattern.context() == pushed.context())
                .findFirst()
                .orElseThrow(() -> new AssertionError("rank " + rank + " has called no receive " + pushed.request()));
    }

    private void checkEnvelope(FrameView view, SimLetter letter) {
        check(
                view.tag() == letter.tag
                        && view.destination() == rank
                        && view.messageBytes() == letter.bytes
                        && view.elements() == letter.bytes
                        && view.datatype() == 1,
                "envelope of " + letter);
    }

    private void onChunk(ByteBuffer frame, FrameView view) {
        Asked request = arriving.get(new SimLine.Place(view.context(), view.source(), view.sequence()));
        check(request != null, "chunk of nothing");
        check(request.arrived == view.offset(), "chunk at " + view.offset() + " after " + request.arrived);
        int bytes = view.length() - Wire.CHUNK_HEADER_BYTES;
        request.letter.check(view.offset(), frame.slice(Wire.CHUNK_HEADER_BYTES, bytes));
        request.arrived += bytes;
        if (request.arrived == request.letter.bytes) {
            received(request.letter);
        }
    }

    private void received(SimLetter letter) {
        check(!letter.received, letter + " was received twice");
        letter.received = true;
        open--;
    }

    private void onClear(FrameView view) {
        SimLine.Place transfer = new SimLine.Place(view.context(), view.destination(), view.sequence());
        SimLetter letter = offered.get(transfer);
        if (comebacks > 0 && (letter == null || view.offset() <= letter.bytesCleared && letter.bytes > 0)) {
            return;
        }
        check(letter != null && view.source() == rank, "CLEAR of nothing: " + transfer);
        long sent = letter.bytesCleared;
        check(view.offset() <= letter.bytes && (view.offset() > sent || letter.bytes == 0), "CLEAR up to " + view.offset());
        letter.bytesCleared = sendChunks(letter, sent, view.offset());
        if (letter.bytesCleared == letter.bytes) {
            offered.remove(transfer);
            open--;
        }
    }

    private void onCredit(FrameView view) {
        check(view.creditRank() == rank, "credit of rank " + view.creditRank());
        creditBytes += view.creditBytes();
        creditMessages += view.creditMessages();
        check(
                creditBytes <= world.config().creditBytes() && creditMessages <= world.config().creditMessages(),
                "more credit than there is: " + creditBytes + " bytes, " + creditMessages + " messages");
    }

    private void onProbeAnswer(FrameView view) {
        Asked request = asked.get(view.request());
        check(request.kind != SimProgram.Kind.POST && request.arrived == 0, "answer to request " + view.request());
        answered(request, (view.flags() & FrameView.FOUND) == 0 ? null : view);
    }

    @Override
    public void finds(int number, ByteBuffer delivered) {
        answered(asked.get(number), delivered == null ? null : view(delivered));
    }

    /** @param view the envelope that was found, or null */
    private void answered(Asked request, FrameView view) {
        request.arrived = 1;
        open--;
        SimLetter found = null;
        if (view == null) {
            check(request.kind == SimProgram.Kind.TRY_PROBE, "nothing found for a blocking probe");
            failedPolls++;
        } else {
            found = world.letter(view.context(), view.source(), rank, view.sequence());
            check(request.pattern.takes(found), "probe of " + request.pattern + " found " + found);
            checkEnvelope(view, found);
        }
        if (request.kind == SimProgram.Kind.PROBE) {
            int held = heldPosts.remove(request.pattern);
            for (int i = 0; i < held; i++) {
                Asked receive = ask(request.pattern, SimProgram.Kind.POST);
                receive.promised = i == 0 ? found : null;
                receive.promisedSequence = view.sequence();
            }
        }
    }

    private void maybeFinalize() {
        if (steps.isEmpty() && open == 0 && !finalizing && line.isLive()) {
            finalizing = true;
            line.send(frames.finalizing(failedPolls()));
        }
    }

    int receivesCancelled() {
        return (int) asked.stream().filter(request -> request.cancelled).count();
    }

    @Override
    public boolean isFinalizing() {
        return finalizing;
    }

    boolean isFinalized() {
        return finalized;
    }

    /** P1: of receives with one pattern, the earlier posted got the earlier sent of each channel. */
    void checkOrder() {
        Map<List<Object>, Long> last = new HashMap<>();
        for (Asked request : asked) {
            if (request.kind == SimProgram.Kind.POST && !request.cancelled) {
                List<Object> key = List.of(request.pattern, request.letter.source);
                Long before = last.put(key, request.letter.sequence);
                check(before == null || before < request.letter.sequence, request.letter + " was overtaken by " + before);
            }
        }
    }

    /** The matching depends on nothing but the orders in which messages came to the mailbox, and receives were called. */
    void checkMatches(List<SimLetter> arrived) {
        List<SimLetter> free = new ArrayList<>(arrived);
        for (Asked request : asked) {
            if (request.kind == SimProgram.Kind.POST && !request.cancelled) {
                SimLetter first = free.stream().filter(request.pattern::takes).findFirst().orElse(null);
                check(request.letter == first, request + " instead of " + first);
                free.remove(first);
            }
        }
    }

    /** Messages that came to it unasked. */
    int pushes() {
        return ahead.pushes();
    }

    int longPushes() {
        return ahead.longPushes();
    }

    private void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("rank " + rank + ": " + what);
        }
    }

    private static FrameView view(ByteBuffer frame) {
        return new FrameView().wrap(frame, 0);
    }

    @Override
    public String toString() {
        return "rank " + rank + (finalized
                ? " finalized"
                : " " + line.stage() + " " + ahead + " with " + open + " operations open, " + steps.size() + " steps left, offers "
                        + offered.keySet() + " of which taken back " + withdrawing + ", waits for "
                        + asked.stream().filter(Asked::waits).map(Asked::toString).toList());
    }
}
