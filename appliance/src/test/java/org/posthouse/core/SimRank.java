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
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/** A rank that speaks the library's side of the protocol in a simple way: everything nonblocking, then Finalize. */
final class SimRank {
    private record Transfer(int context, int peer, long sequence) {}

    /** A receive or probe by its request number. */
    private static final class Asked {
        final SimProgram.Pattern pattern;
        final SimProgram.Kind kind;
        SimLetter letter;
        boolean cancelled;
        long promisedSequence;
        long arrived;
        SimLetter promised;

        Asked(SimProgram.Pattern pattern, SimProgram.Kind kind) {
            this.pattern = pattern;
            this.kind = kind;
        }
    }

    private final CoreWorld world;
    private final int rank;
    private final Random random;
    private final Frames frames;
    private final Deque<SimProgram.Step> steps;
    private final List<Asked> asked = new ArrayList<>();
    private final Map<Transfer, SimLetter> offered = new HashMap<>();
    private final Set<Transfer> withdrawing = new HashSet<>();
    private final Map<Transfer, Asked> arriving = new HashMap<>();
    private final Map<List<Integer>, Long> sequences = new HashMap<>();
    private final Map<SimProgram.Pattern, Integer> heldPosts = new HashMap<>();
    private long creditBytes;
    private int creditMessages;
    private int failedPolls;
    private int open;
    private boolean finalizing;
    private boolean finalized;

    SimRank(CoreWorld world, int rank, List<SimProgram.Step> steps, Random random, Frames frames) {
        this.world = world;
        this.rank = rank;
        this.steps = new ArrayDeque<>(steps);
        this.random = random;
        this.frames = frames;
    }

    void onWelcome(Welcome welcome) {
        creditBytes = welcome.creditBytes();
        creditMessages = welcome.creditMessages();
        step();
    }

    private void step() {
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
        world.toRelay(rank, frame);
        if (form == FrameType.OFFER) {
            Transfer transfer = new Transfer(letter.context, letter.destination, letter.sequence);
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
    private void withdraw(Transfer transfer) {
        SimLetter letter = offered.get(transfer);
        if (letter != null && letter.bytesCleared == 0) {
            withdrawing.add(transfer);
            open++;
            world.toRelay(
                    rank,
                    frames.withdraw(transfer.context, rank, transfer.peer, transfer.sequence, failedPolls()));
        }
    }

    private void onWithdrawn(FrameView view) {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        check(withdrawing.remove(transfer), "WITHDRAWN of nothing: " + transfer);
        SimLetter letter = world.letter(view.context(), rank, view.destination(), view.sequence());
        open--;
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        check(
                (letter.matched || letter.pulled) != gone,
                "withdrawn is " + gone + " but matched " + letter.matched + ", pulled " + letter.pulled + ": " + letter);
        if (gone) {
            check(offered.remove(transfer) == letter && letter.bytesCleared == 0, "withdrawn and cleared: " + letter);
            open--;
            send(letter);
        }
    }

    private long sendChunks(SimLetter letter, long from, long upTo) {
        long at = from;
        while (at < upTo) {
            int bytes = (int) Math.min(upTo - at, Wire.PAYLOAD_BYTES_MAX);
            ByteBuffer frame = frames.chunk(letter.context, rank, letter.destination, letter.sequence, at, bytes);
            letter.write(at, frame.slice(Wire.CHUNK_HEADER_BYTES, bytes));
            world.toRelay(rank, frame);
            at += bytes;
        }
        return at;
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
        world.toRelay(
                rank,
                kind == SimProgram.Kind.POST
                        ? frames.post(pattern.context(), pattern.source(), rank, pattern.tag(), number, failedPolls())
                        : frames.probe(
                                kind == SimProgram.Kind.PROBE,
                                pattern.context(),
                                pattern.source(),
                                rank,
                                pattern.tag(),
                                number,
                                failedPolls()));
        return request;
    }

    /** Takes a receive back that nothing has matched. It is posted again when that succeeds. */
    private void cancel(Asked request, int number) {
        if (request.letter == null && request.promised == null) {
            open++;
            SimProgram.Pattern pattern = request.pattern;
            world.toRelay(
                    rank,
                    frames.cancel(pattern.context(), pattern.source(), rank, pattern.tag(), number, failedPolls()));
        }
    }

    private void onCancelled(FrameView view) {
        Asked request = asked.get(view.cancelledRequest());
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        check(gone == (request.letter == null), "cancelled is " + gone + " for the receive that got " + request.letter);
        open--;
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
            case FINALIZE -> finalized = true;
            default -> throw new AssertionError(view + " to a rank");
        }
        maybeFinalize();
    }

    private void onDelivered(ByteBuffer frame, FrameView view) {
        Asked request = asked.get(view.request());
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
        int rides = view.length() - Wire.MESSAGE_HEADER_BYTES;
        letter.check(0, frame.slice(Wire.MESSAGE_HEADER_BYTES, rides));
        request.arrived = rides;
        if (rides == letter.bytes) {
            received(letter);
        } else {
            arriving.put(new Transfer(view.context(), view.source(), view.sequence()), request);
        }
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
        Asked request = arriving.get(new Transfer(view.context(), view.source(), view.sequence()));
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
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        SimLetter letter = offered.get(transfer);
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
        request.arrived = 1;
        open--;
        SimLetter found = null;
        if ((view.flags() & FrameView.FOUND) == 0) {
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
        if (steps.isEmpty() && open == 0 && !finalizing) {
            finalizing = true;
            world.toRelay(rank, frames.finalizing(failedPolls()));
        }
    }

    int receivesCancelled() {
        return (int) asked.stream().filter(request -> request.cancelled).count();
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
        return "rank " + rank + (finalized ? " finalized" : " with " + open + " operations open, " + steps.size() + " steps left");
    }
}
