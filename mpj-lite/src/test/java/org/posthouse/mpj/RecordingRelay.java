package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Home;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/**
 * The relay of rank 0 in a job that is logged, as small as it can be: it keeps the rank's history, sends it to the rank's next
 * process, and checks that this one does again what the one before did. The other ranks exist only as messages that come, and
 * as receives that take what is offered, both when the seed says so. For one thread.
 */
final class RecordingRelay {
    private static final int CREDIT_MESSAGES = 5;

    /** A step of the rank's history. */
    private interface Past {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Delivered(int context, long ordinal, int source, int tag, long sequence, byte[] bytes) implements Past {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Told(long first, byte[] items, int polls) implements Past {}

    private record Channel(int context, int peer) {}

    private record Transfer(int context, int peer, long sequence) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Waiting(int context, int source, int tag, long sequence, byte[] bytes) {
        boolean fits(FrameView receive) {
            return receive.context() == context
                    && (receive.source() == Wire.ANY || receive.source() == source)
                    && (receive.tag() == Wire.ANY || receive.tag() == tag);
        }
    }

    /** A message of the rank that is not all there yet. */
    private static final class Coming {
        private final ByteBuffer offer;
        private final boolean offered;
        private final byte[] bytes;
        private int arrived;
        private boolean matched;

        /** Whether the rank's present process has said it too, and so may hear of it. */
        private boolean known = true;

        Coming(ByteBuffer frame) {
            offer = frame;
            offered = view(frame).type() == FrameType.OFFER;
            bytes = new byte[(int) view(frame).messageBytes()];
        }

        private FrameType form() {
            return view(offer).type();
        }
    }

    private final Random random;
    private final boolean logged;
    private final List<Past> log = new ArrayList<>();
    private final List<Waiting> mailbox = new ArrayList<>();
    private final List<ByteBuffer> posted = new ArrayList<>();
    private final List<ByteBuffer> probing = new ArrayList<>();
    private final Map<Channel, Long> received = new HashMap<>();
    private final Map<Channel, Long> accepted = new LinkedHashMap<>();
    private final Map<Transfer, Integer> checksums = new HashMap<>();
    private final Map<Transfer, Coming> coming = new LinkedHashMap<>();
    private final Map<Transfer, Boolean> gone = new LinkedHashMap<>();
    private final Map<Channel, Long> ordinals = new HashMap<>();
    private ByteBuffer asked;
    private Connection line;
    private long deliveries;
    private long events;
    private int polls;

    /** How much of the log this process of the rank was sent; -1 when it is live. */
    private int cursor;

    private boolean ended;
    private int creditUsed;
    private boolean finalized;

    /** What the present process of the rank has said, by type. */
    final Map<FrameType, Integer> heard = new TreeMap<>();

    RecordingRelay(long seed, boolean logged) {
        random = new Random(seed);
        this.logged = logged;
    }

    // ---- one process of the rank

    /** Serves a process of the rank until it has said so many frames, or goodbye. True if that. */
    boolean serve(Connection connection, int incarnation, int framesMax, CompletableFuture<?> rank) throws Exception {
        line = connection;
        posted.clear();
        probing.clear();
        ordinals.clear();
        heard.clear();
        asked = null;
        finalized = false;
        ended = false;
        creditUsed = 0;
        coming.values().forEach(message -> message.known = false);
        cursor = incarnation > 1 && logged ? 0 : -1;
        assertThat(Hello.decode(line.hear(FrameType.HELLO)).incarnation()).isEqualTo(incarnation);
        welcome(incarnation);
        replay();
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
        line.close();
        return finalized;
    }

    private void welcome(int incarnation) throws IOException {
        List<StatePage.Entry> state = new ArrayList<>();
        if (incarnation > 1) {
            accepted.forEach((channel, last) ->
                    state.add(new StatePage.Entry(StatePage.ACCEPTED, channel.context, channel.peer, last)));
            coming.forEach((open, message) -> state.add(new StatePage.Entry(
                    StatePage.OPEN, open.context, open.peer, message.form().id(), open.sequence, message.arrived)));
            gone.keySet().forEach(taken -> state.add(entry(StatePage.GONE, taken)));
        }
        List<Home> homes = List.of(new Home("lyon", "r1", "127.0.0.1:1"));
        line.say(new Welcome(
                        ScriptedRelay.JOB, 0, incarnation, 1 << 20, CREDIT_MESSAGES, logged, deliveries, events,
                        StatePage.pages(state.size()), 0, 0, 0, homes, new int[3], new int[0])
                .encode());
        line.say(StatePage.encode(ScriptedRelay.JOB, state).toArray(ByteBuffer[]::new));
    }

    private static StatePage.Entry entry(int kind, Transfer of) {
        return new StatePage.Entry(kind, of.context, of.peer, of.sequence);
    }

    // ---- history

    /** Sends what comes next of it, as long as the rank has posted what it is for. */
    private void replay() throws IOException {
        while (cursor >= 0 && cursor < log.size()) {
            Past next = log.get(cursor);
            if (next instanceof Told told) {
                line.say(ScriptedRelay.events(told.first, told.items, told.polls, 0));
            } else if (next instanceof Delivered delivered && !deliverAgain(delivered)) {
                return;
            }
            cursor++;
        }
        if (cursor == log.size() && !ended) {
            ended = true;
            line.say(ScriptedRelay.events(events + 1, new byte[0], polls, FrameView.END));
        }
    }

    private boolean deliverAgain(Delivered past) throws IOException {
        for (ByteBuffer post : posted) {
            if (view(post).context() == past.context && view(post).ordinal() == past.ordinal) {
                posted.remove(post);
                deliver(post, past);
                return true;
            }
        }
        return false;
    }

    private boolean isLive() {
        return cursor < 0;
    }

    private void live() throws IOException {
        assertThat(ended && !isLive()).as("all history was sent, and LIVE was not said").isTrue();
        cursor = -1;
        List<ByteBuffer> parked = List.copyOf(posted);
        posted.clear();
        for (ByteBuffer post : parked) {
            post(post);
        }
    }

    // ---- what happens by itself

    private void step() throws IOException {
        switch (random.nextInt(3)) {
            case 0 -> arrive();
            case 1 -> take();
            default -> credit();
        }
    }

    /** A message comes that something waits for, or was asked for; if nothing does, hardly ever one that nothing wants. */
    private void arrive() throws IOException {
        List<ByteBuffer> wants = new ArrayList<>(isLive() ? posted : List.of());
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
        if (isLive()) {
            List<ByteBuffer> again = List.copyOf(posted);
            posted.clear();
            for (ByteBuffer post : again) {
                post(post);
            }
        }
    }

    /** One of the rank's offers is matched, or more of it is asked for. */
    private void take() throws IOException {
        for (Map.Entry<Transfer, Coming> entry : List.copyOf(coming.entrySet())) {
            Coming message = entry.getValue();
            if (message.offered && !message.matched && random.nextBoolean()) {
                message.matched = true;
                if (message.known) {
                    clear(entry.getKey(), message);
                }
                return;
            }
        }
    }

    private void clear(Transfer transfer, Coming message) throws IOException {
        line.say(ScriptedRelay.clear(message.offer, message.bytes.length));
        if (message.bytes.length == 0) {
            complete(transfer, message);
        }
    }

    private void credit() throws IOException {
        if (creditUsed > 0) {
            creditUsed--;
            line.say(ScriptedRelay.credit(1 << 17, 1));
        }
    }

    // ---- what the rank says

    private void take(ByteBuffer frame) throws IOException {
        FrameView view = view(frame);
        heard.merge(view.type(), 1, Integer::sum);
        switch (view.type()) {
            case EVENTS -> events(frame, view);
            case POST -> {
                tell(view.postFailedPolls());
                assertThat(view.ordinal()).isEqualTo(ordinals.merge(new Channel(view.context(), 0), 1L, Long::sum));
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
            case CHUNK -> chunk(frame, view);
            case RESENT -> resent(view);
            case WITHDRAW -> {
                tell(view.postFailedPolls());
                withdraw(frame, view);
            }
            case LIVE -> live();
            case FINALIZE -> {
                assertThat(isLive()).isTrue();
                tell(view.finalizeFailedPolls());
                finalized = true;
                line.say(ScriptedRelay.finalized());
            }
            default -> throw new AssertionError(view);
        }
    }

    private void tell(int count) {
        if (count - polls > 0) {
            assertThat(isLive()).as("it has failed more often than before").isTrue();
            polls = count;
            log.add(new Told(0, new byte[0], polls));
        }
    }

    private void events(ByteBuffer frame, FrameView view) {
        assertThat(logged && isLive()).isTrue();
        assertThat(view.firstEvent()).isEqualTo(events + 1);
        byte[] items = new byte[view.length() - Wire.EVENTS_HEADER_BYTES];
        frame.get(Wire.EVENTS_HEADER_BYTES, items);
        polls = view.eventsFailedPolls();
        log.add(new Told(events + 1, items, polls));
        events += view.events();
    }

    private void post(ByteBuffer post) throws IOException {
        if (!isLive()) {
            posted.add(post);
            replay();
            return;
        }
        for (Waiting message : mailbox) {
            if (message.fits(view(post))) {
                mailbox.remove(message);
                Delivered delivered = new Delivered(
                        message.context, view(post).ordinal(), message.source, message.tag, message.sequence, message.bytes);
                log.add(delivered);
                deliveries++;
                deliver(post, delivered);
                return;
            }
        }
        posted.add(post);
    }

    private void deliver(ByteBuffer post, Delivered message) throws IOException {
        boolean whole = message.bytes.length <= Wire.PAYLOAD_BYTES_MAX;
        ByteBuffer frame = ScriptedRelay.delivered(post, message.sequence, message.bytes, whole ? message.bytes.length : 0);
        view(frame).address(message.context, message.source, 0, message.tag);
        line.say(frame);
        for (int at = 0; !whole && at < message.bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
            ByteBuffer chunk = ScriptedRelay.chunk(message.context, message.sequence, message.bytes, at);
            view(chunk).address(message.context, message.source, 0, 0);
            line.say(chunk);
        }
    }

    private void probe(ByteBuffer probe, FrameView view) throws IOException {
        assertThat(isLive()).as("a replayed probe asks nobody").isTrue();
        boolean blocking = (view.flags() & FrameView.BLOCKING) != 0;
        asked = probe;
        if (answer(probe)) {
            asked = null;
        } else if (blocking) {
            asked = null;
            probing.add(probe);
        } else {
            line.say(ScriptedRelay.nothingFound(probe));
        }
    }

    private boolean answer(ByteBuffer probe) throws IOException {
        for (Waiting message : mailbox) {
            if (message.fits(view(probe))) {
                ByteBuffer answer = ScriptedRelay.nothingFound(probe);
                view(answer)
                        .flags(FrameView.FOUND)
                        .address(message.context, message.source, 0, message.tag)
                        .sequence(message.sequence)
                        .content(message.bytes.length, message.bytes.length, 1);
                line.say(answer);
                return true;
            }
        }
        return false;
    }

    private void cancel(ByteBuffer cancel, FrameView view) throws IOException {
        boolean waits = posted.removeIf(post -> view(post).postRequest() == view.postRequest());
        assertThat(waits || isLive()).as("what history took back is there").isTrue();
        line.say(ScriptedRelay.cancelled(cancel, waits));
    }

    // ---- what the rank sends

    private static Transfer transfer(FrameView view) {
        return new Transfer(view.context(), view.destination(), view.sequence());
    }

    private void message(ByteBuffer frame, FrameView view) throws IOException {
        Transfer transfer = transfer(view);
        long last = accepted.getOrDefault(new Channel(view.context(), view.destination()), 0L);
        boolean again = (view.flags() & FrameView.AGAIN) != 0;
        Coming before = coming.get(transfer);
        assertThat(before == null ? view.sequence() == last + 1 : again).as("a message is new, or open").isTrue();
        accepted.put(new Channel(view.context(), view.destination()), Math.max(last, view.sequence()));
        assertThat(before == null || before.form() == view.type()).as("it is begun again in its form").isTrue();
        creditUsed += view.type() == FrameType.OFFER || before != null ? 0 : 1;
        Coming message = new Coming(frame);
        coming.put(transfer, message);
        if (view.type() == FrameType.SEND) {
            frame.get(Wire.MESSAGE_HEADER_BYTES, message.bytes);
            complete(transfer, message);
        } else if (message.offered && before != null && before.matched) {
            message.matched = true;
            clear(transfer, message);
        }
    }

    private void chunk(ByteBuffer frame, FrameView view) {
        Transfer transfer = transfer(view);
        Coming message = coming.get(transfer);
        assertThat(view.offset()).isEqualTo(message.arrived);
        int count = view.length() - Wire.CHUNK_HEADER_BYTES;
        frame.get(Wire.CHUNK_HEADER_BYTES, message.bytes, message.arrived, count);
        message.arrived += count;
        if (message.arrived == message.bytes.length) {
            complete(transfer, message);
        }
    }

    private void complete(Transfer transfer, Coming message) {
        MessageChecksum checksum = new MessageChecksum();
        for (int at = 0; at < message.bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
            int count = Math.min(Wire.PAYLOAD_BYTES_MAX, message.bytes.length - at);
            checksum.add(MessageChecksum.piece(ByteBuffer.wrap(message.bytes, at, count)));
        }
        checksums.put(transfer, checksum.value());
        coming.remove(transfer);
    }

    private void resent(FrameView view) {
        Transfer transfer = transfer(view);
        assertThat(coming).doesNotContainKey(transfer);
        assertThat(gone).doesNotContainKey(transfer);
        assertThat(view.checksum()).as("checksum of %s", transfer).isEqualTo(checksums.get(transfer));
    }

    private void withdraw(ByteBuffer withdraw, FrameView view) throws IOException {
        Transfer transfer = transfer(view);
        Coming message = coming.get(transfer);
        boolean waits = message != null && !message.matched;
        if (waits) {
            coming.remove(transfer);
            gone.put(transfer, true);
        }
        line.say(ScriptedRelay.withdrawn(withdraw, waits));
    }
}
