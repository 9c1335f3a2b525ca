package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/**
 * The relay of rank 0 in a job that is logged, as small as it can be: it keeps the rank's history, sends it to the rank's next
 * process or connection, and checks that this one does again what the one before did. The other ranks exist only as messages that come, and
 * as receives that take what is offered, both when the seed says so. For one thread.
 */
final class RecordingRelay {
    private static final int CREDIT_MESSAGES = 5;

    /** A step of the rank's history. */
    private interface Past {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Delivered(long number, int context, long ordinal, int source, int tag, long sequence, byte[] bytes) implements Past {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Told(long first, byte[] items, int polls) implements Past {}

    private record Channel(int context, int peer) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Waiting(int context, int source, int tag, long sequence, byte[] bytes) {
        boolean fits(FrameView receive) {
            return receive.context() == context
                    && (receive.source() == Wire.ANY || receive.source() == source)
                    && (receive.tag() == Wire.ANY || receive.tag() == tag);
        }
    }

    /** The connection is cut. */
    private static final class Cut extends RuntimeException {
        Cut(Exception cause) {
            super(cause);
        }
    }

    private final Random random;
    private final boolean logged;
    private final List<Past> log = new ArrayList<>();
    private final List<Waiting> mailbox = new ArrayList<>();
    private final List<ByteBuffer> posted = new ArrayList<>();
    private final List<ByteBuffer> probing = new ArrayList<>();
    private final Map<Channel, Long> received = new HashMap<>();
    private final RecordedSends sends = new RecordedSends();
    private final Map<Channel, Long> ordinals = new HashMap<>();
    private ByteBuffer asked;
    private Connection line;
    private long deliveries;
    private long events;
    private int polls;

    /** Bytes that this connection lasts for. */
    private int sayBytes = Integer.MAX_VALUE;

    private int cutBytes = Integer.MAX_VALUE;

    /** Kept frames that were handled, as the rank counts them. */
    private long handled;

    /** Whether the rank has come again, and whether this process has not said LIVE yet. */
    private boolean again;

    /** Whether this is the rank's first process, which has not begun anything that is not its own. */
    private boolean first;

    private boolean replayed;
    private boolean loses;

    /** How much of the log this connection of the rank was sent; -1 when it is live. */
    private int cursor;

    /** What the rank knew when it came. */
    private long knownDeliveries;

    private long knownEvents;

    private boolean ended;
    private int creditUsed;
    private boolean finalized;

    /** What the present process of the rank has said, by type. */
    final Map<FrameType, Integer> heard = new TreeMap<>();

    RecordingRelay(long seed, boolean logged) {
        random = new Random(seed);
        this.logged = logged;
    }

    // ---- one connection of the rank

    /** How a connection went. */
    enum Outcome {
        GOODBYE,
        CUT
    }

    /**
     * From here on a connection is cut, at any byte, after about so many bytes to the rank; 0 for never. The greeting of the rank's first
     * process does not count: that does not know yet that it may connect again.
     */
    void cutAfter(int bytes) {
        cutBytes = bytes > 0 ? bytes : Integer.MAX_VALUE;
    }

    /** Loses, with what it knew of them, the messages to the far rank that were not safe. */
    void forget() {
        loses = true;
    }

    /** Serves a connection of the rank until it has said so many frames, or goodbye, or is cut. */
    Outcome serve(Connection connection, int incarnation, int framesMax, CompletableFuture<?> rank) throws Exception {
        line = connection;
        try {
            greet(incarnation);
            replay();
            hear(framesMax, rank);
            line.close();
            return finalized && sayBytes > 0 ? Outcome.GOODBYE : Outcome.CUT;
        } catch (Cut e) {
            line.close();
            return Outcome.CUT;
        }
    }

    private void hear(int framesMax, CompletableFuture<?> rank) throws Exception {
        int frames = 0;
        while (frames < framesMax && !finalized) {
            if (rank.isCompletedExceptionally()) {
                rank.get();
            }
            if (line.hasSaid()) {
                frames++;
                if (random.nextInt(4) == 0) {
                    step();
                }
                take(line.hearAny());
            } else {
                Thread.sleep(random.nextInt(2));
                step();
            }
        }
    }

    private void greet(int incarnation) throws Exception {
        Hello hello = Hello.decode(line.hear(FrameType.HELLO));
        assertThat(hello.incarnation()).isEqualTo(incarnation);
        again = hello.start() == Hello.AGAIN;
        first = incarnation == 1;
        sayBytes = again || incarnation > 1 ? cutBytes : Integer.MAX_VALUE;
        posted.clear();
        ordinals.clear();
        probing.clear();
        asked = null;
        finalized = false;
        ended = false;
        sends.connected();
        if (again) {
            assertThat(logged).isTrue();
            assertThat(hello.kept()).as("numbers go on").isGreaterThanOrEqualTo(handled + 1);
            assertThat(hello.deliveries()).isLessThanOrEqualTo(deliveries);
        } else {
            assertThat(hello.start()).isEqualTo(Hello.FRESH);
            heard.clear();
            creditUsed = 0;
            replayed = incarnation > 1 && logged;
        }
        handled = hello.kept() - 1;
        cursor = again || replayed ? 0 : -1;
        knownDeliveries = hello.deliveries();
        knownEvents = hello.events();
        if (loses && again) {
            creditUsed = Math.max(0, creditUsed - sends.lose());
        }
        loses = false;
        List<StatePage.Entry> pages = pages(hello.pages());
        welcome(incarnation, again || replayed ? sends.state() : List.of());
        sayBytes = again || incarnation > 1 ? sayBytes : cutBytes;
        goOn(pages);
    }

    private List<StatePage.Entry> pages(int count) throws Exception {
        List<StatePage.Entry> entries = new ArrayList<>();
        for (int left = count - 1; left >= 0; left--) {
            StatePage page = StatePage.decode(line.hear(FrameType.STATE));
            assertThat(page.left()).isEqualTo(left);
            entries.addAll(page.entries());
        }
        return entries;
    }

    private void welcome(int incarnation, List<StatePage.Entry> state) {
        List<HomeRelay> homes = List.of(new HomeRelay("lyon", "r1", "127.0.0.1:1"));
        say(new Welcome(
                ScriptedRelay.JOB, 0, incarnation, 1 << 20, CREDIT_MESSAGES - creditUsed, logged ? Durability.PROCESS : Durability.NONE, deliveries, events,
                StatePage.pages(state.size()), 0, 0, 0, homes, new int[3], new int[0])
                .encode());
        for (ByteBuffer page : StatePage.encode(ScriptedRelay.JOB, state)) {
            say(page);
        }
    }

    /** Goes on with what was under way. */
    private void goOn(List<StatePage.Entry> pages) {
        for (StatePage.Entry entry : pages) {
            switch (entry.kind()) {
                case StatePage.OFFERED -> sayIfAny(sends.goesOn(entry));
                case StatePage.ARRIVING -> goOnArriving(entry);
                case StatePage.GONE -> sends.requireGone(entry);
                default -> assertThat(entry.kind()).isEqualTo(StatePage.SENT);
            }
        }
    }

    private void goOnArriving(StatePage.Entry entry) {
        for (Past past : log) {
            if (past instanceof Delivered each && each.context == entry.context() && each.source == entry.peer()
                    && each.sequence == entry.a()) {
                assertThat(each.number).isEqualTo(knownDeliveries - entry.aux() + 1);
                chunks(each, (int) entry.b());
                return;
            }
        }
        throw new AssertionError("a message that was never delivered: " + entry);
    }

    /** Says a frame, as far as the connection lasts. */
    private void say(ByteBuffer frame) {
        try {
            int bytes = Math.min(frame.limit(), sayBytes);
            line.say(frame.duplicate().limit(bytes));
            sayBytes -= sayBytes == Integer.MAX_VALUE ? 0 : bytes;
            if (sayBytes <= 0) {
                throw new Cut(null);
            }
        } catch (IOException e) {
            throw new Cut(e);
        }
    }

    // ---- history

    /** Sends what comes next of it, some of it or all. */
    private void replay() {
        for (int left = random.nextInt(20); left >= 0 && cursor >= 0 && !ended && cursor < log.size(); left--) {
            Past next = log.get(cursor);
            if (next instanceof Told told) {
                tellAgain(told);
            } else if (next instanceof Delivered delivered && delivered.number > knownDeliveries) {
                deliver(delivered, FrameView.NAMED, (int) delivered.ordinal);
            }
            cursor++;
        }
        if (cursor == log.size() && !ended) {
            ended = true;
            say(ScriptedRelay.events(events + 1, new byte[0], polls, FrameView.END));
        }
    }

    private void tellAgain(Told told) {
        int known = (int) Math.max(0, Math.min(knownEvents + 1 - told.first, told.items.length / Wire.EVENT_BYTES));
        byte[] items = Arrays.copyOfRange(told.items, known * Wire.EVENT_BYTES, told.items.length);
        say(ScriptedRelay.events(told.first + known, items, told.polls, 0));
    }

    private boolean isLive() {
        return cursor < 0;
    }

    private void live() {
        assertThat(ended && !isLive()).as("all history was sent, and LIVE was not said").isTrue();
        cursor = -1;
        replayed = false;
        if (again && first) {
            sends.checkKnown();
        }
    }

    // ---- what happens by itself

    private void step() {
        replay();
        switch (random.nextInt(4)) {
            case 0 -> arrive();
            case 1 -> take();
            case 2 -> credit();
            default -> {
                if (logged && random.nextInt(3) == 0) {
                    acknowledge(random.nextLong(handled + 1));
                }
            }
        }
    }

    /** A message comes that something waits for, or was asked for; if nothing does, hardly ever one that nothing wants. */
    private void arrive() {
        List<ByteBuffer> wants = new ArrayList<>(posted);
        wants.addAll(probing);
        if (asked != null) {
            wants.add(asked);
        }
        if (wants.isEmpty()) {
            return;
        }
        FrameView want = view(wants.get(random.nextInt(wants.size())));
        int source = want.source() == Wire.ANY ? 1 + random.nextInt(2) : want.source();
        int tag = want.tag() == Wire.ANY ? 1 + random.nextInt(2) : want.tag();
        long sequence = received.merge(new Channel(want.context(), source), 1L, Long::sum);
        byte[] bytes = new byte[random.nextInt(10) == 0 ? 70_000 : random.nextInt(20)];
        random.nextBytes(bytes);
        mailbox.add(new Waiting(want.context(), source, tag, sequence, bytes));
        for (ByteBuffer probe : List.copyOf(probing)) {
            if (answer(probe)) {
                probing.remove(probe);
            }
        }
        List<ByteBuffer> waiting = List.copyOf(posted);
        posted.clear();
        for (ByteBuffer post : waiting) {
            post(post);
        }
    }

    /** One of the rank's offers is matched. */
    private void take() {
        for (Runnable match : sends.unmatched(this::say)) {
            if (random.nextBoolean()) {
                match.run();
                return;
            }
        }
    }

    /** Says that some of what was handled is safe. */
    private void acknowledge(long safe) {
        sends.safe(safe);
        say(ScriptedRelay.ack(safe, handled));
    }

    private void credit() {
        if (creditUsed > 0) {
            creditUsed--;
            say(ScriptedRelay.credit(1 << 17, 1));
        }
    }

    // ---- what the rank says

    private void take(ByteBuffer frame) {
        FrameView view = view(frame);
        heard.merge(view.type(), 1, Integer::sum);
        switch (view.type()) {
            case SEND, EAGER, OFFER, CHUNK, EVENTS -> handled++;
            default -> {
                // The rank does not keep it.
            }
        }
        switch (view.type()) {
            case EVENTS -> events(frame, view);
            case POST -> {
                tell(view.postFailedPolls());
                count(view);
                post(frame);
            }
            case PROBE -> {
                tell(view.postFailedPolls());
                probe(frame, view);
            }
            case CANCEL -> {
                tell(view.postFailedPolls());
                cancel(frame, view);
            }
            case SEND, EAGER, OFFER -> {
                tell(view.failedPolls());
                message(frame, view);
            }
            case CHUNK -> sends.chunk(frame, view, handled);
            case RESENT -> sends.resent(view);
            case POLLS -> tell(view.finalizeFailedPolls());
            case WITHDRAW -> {
                tell(view.postFailedPolls());
                say(ScriptedRelay.withdrawn(frame, sends.withdraw(view)));
            }
            case LIVE -> live();
            case FINALIZE -> {
                assertThat(isLive()).isTrue();
                tell(view.finalizeFailedPolls());
                finalized = true;
                say(ScriptedRelay.finalized());
            }
            default -> throw new AssertionError(view);
        }
    }

    /** Receives are posted in their order, each once on a connection, and none that the past has a message for. */
    private void count(FrameView post) {
        Long last = ordinals.put(new Channel(post.context(), 0), post.ordinal());
        assertThat(post.ordinal()).isGreaterThan(last == null ? 0L : last);
        assertThat(log).as("receive %s has a message", post.ordinal()).noneMatch(past -> past instanceof Delivered delivered
                && delivered.context == post.context() && delivered.ordinal == post.ordinal());
    }

    private void tell(int count) {
        if (count - polls > 0) {
            assertThat(isLive() || again).as("it has failed more often than before").isTrue();
            polls = count;
            log.add(new Told(0, new byte[0], polls));
        }
    }

    private void events(ByteBuffer frame, FrameView view) {
        assertThat(logged && (isLive() || again)).isTrue();
        if ((view.flags() & FrameView.ACK_NOW) != 0) {
            acknowledge(handled);
        }
        long before = view.events() == 0 ? 0 : events + 1 - view.firstEvent();
        assertThat(isLive() || view.firstEvent() + view.events() - 1 <= knownEvents).as("nothing new before LIVE").isTrue();
        assertThat(before).as("events that are known already").isBetween(0L, again ? Long.MAX_VALUE : 0L);
        int known = (int) Math.min(before, view.events());
        byte[] items = new byte[(view.events() - known) * Wire.EVENT_BYTES];
        frame.get(Wire.EVENTS_HEADER_BYTES + known * Wire.EVENT_BYTES, items);
        polls = Math.max(polls, view.eventsFailedPolls());
        if (items.length > 0) {
            log.add(new Told(events + 1, items, polls));
        }
        events += view.events() - known;
    }

    private void post(ByteBuffer post) {
        assertThat(isLive()).as("a rank that is replayed asks for nothing").isTrue();
        for (Waiting message : mailbox) {
            if (message.fits(view(post))) {
                mailbox.remove(message);
                Delivered delivered = new Delivered(
                        ++deliveries, message.context, view(post).ordinal(), message.source, message.tag, message.sequence, message.bytes);
                log.add(delivered);
                deliver(delivered, 0, view(post).postRequest());
                return;
            }
        }
        posted.add(post);
    }

    private void deliver(Delivered message, int flags, int request) {
        boolean whole = message.bytes.length <= Wire.PAYLOAD_BYTES_MAX;
        int rides = whole ? message.bytes.length : 0;
        ByteBuffer frame = ScriptedRelay.pushed(message.context, message.tag, request, message.sequence, message.bytes, rides);
        view(frame).flags(flags).address(message.context, message.source, 0, message.tag);
        say(frame);
        chunks(message, whole ? message.bytes.length : 0);
    }

    private void chunks(Delivered message, int from) {
        for (int at = from; at < message.bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
            ByteBuffer chunk = ScriptedRelay.chunk(message.context, message.sequence, message.bytes, at);
            view(chunk).address(message.context, message.source, 0, 0);
            say(chunk);
        }
    }

    private void probe(ByteBuffer probe, FrameView view) {
        assertThat(isLive()).as("a replayed probe asks nobody").isTrue();
        boolean blocking = (view.flags() & FrameView.BLOCKING) != 0;
        asked = probe;
        if (answer(probe)) {
            asked = null;
        } else if (blocking) {
            asked = null;
            probing.add(probe);
        } else {
            say(ScriptedRelay.nothingFound(probe));
        }
    }

    private boolean answer(ByteBuffer probe) {
        for (Waiting message : mailbox) {
            if (message.fits(view(probe))) {
                ByteBuffer answer = ScriptedRelay.nothingFound(probe);
                view(answer)
                        .flags(FrameView.FOUND)
                        .address(message.context, message.source, 0, message.tag)
                        .sequence(message.sequence)
                        .content(message.bytes.length, message.bytes.length, 1);
                say(answer);
                return true;
            }
        }
        return false;
    }

    private void cancel(ByteBuffer cancel, FrameView view) {
        assertThat(isLive()).as("a rank that is replayed asks for nothing").isTrue();
        boolean waits = posted.removeIf(post -> view(post).postRequest() == view.postRequest());
        say(ScriptedRelay.cancelled(cancel, waits));
    }

    // ---- what the rank sends

    private void message(ByteBuffer frame, FrameView view) {
        boolean again = (view.flags() & FrameView.AGAIN) != 0;
        creditUsed += sends.begin(frame, handled) ? 1 : 0;
        assertThat(again || creditUsed <= CREDIT_MESSAGES).as("the rank has credit").isTrue();
        if (again) {
            sayIfAny(sends.answer(view));
        }
    }

    private void sayIfAny(ByteBuffer frame) {
        if (frame != null) {
            say(frame);
        }
    }
}
