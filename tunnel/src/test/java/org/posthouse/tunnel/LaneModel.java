package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LaneCredit;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkQueue;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.tunnel.window.LinkWindow;
import org.posthouse.tunnel.window.PackedRun;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** One direction of a link: a window, arrivals, and lanes that are queues. What happens, a seed decides. One thread. */
final class LaneModel implements LinkReceiver.Sink {
    private static final int STEPS = 300;
    private static final int FLOWS = 4;
    private static final int LONG_BYTES = LinkQueue.HEAD_BYTES_MAX - Wire.MESSAGE_HEADER_BYTES + 1;

    /** How often what the tests are about has happened, over all seeds. */
    static final class Totals {
        long lanesLost;
        long sessions;
        long restarts;
        long repeated;
        long held;
        long packed;
    }

    /** A frame as it was handed in. */
    private record Sent(ByteBuf frame, int flow, boolean chunk) {}

    /** A frame on a lane. */
    private record Flying(ByteBuf bytes, boolean bulk, long number, long after, int wireBytes) {}

    /** Jobs of the flows: what goes packed in one is of one of them. */
    private static final int JOBS = 2;

    private final Random random;
    private final Totals totals;
    private final LinkWindow window = new LinkWindow(1_000_000, this::nanos);
    private final LinkReceiver arrivals = new LinkReceiver(this, new FairShare(LinkReceiver.HELD_BYTES_MAX), "a");
    private final List<Deque<Flying>> lanes = new ArrayList<>();
    private final boolean[] up;

    /** What came, of lanes that say so themselves; null of others. */
    private final LaneCredit[] laneCredit;

    /** What they have said. */
    private final List<Deque<Long>> laneWords = new ArrayList<>();

    /** Runs that are being packed. */
    private final Deque<PackedRun> packing = new ArrayDeque<>();

    private final List<ByteBuf> packedFrames = new ArrayList<>();

    private final Deque<LinkReceiver.Counts> words = new ArrayDeque<>();

    /** By their places, since the peer's last restart. */
    private final List<Sent> sent = new ArrayList<>();

    private final Set<Long> came = new HashSet<>();
    private final Map<Integer, Long> lastOrdered = new HashMap<>();
    private final Map<Integer, Long> lastChunk = new HashMap<>();
    private final List<Long> unhandled = new ArrayList<>();
    private long nanos;

    LaneModel(long seed, Totals totals) {
        this.random = new Random(seed);
        this.totals = totals;
        this.up = new boolean[1 + random.nextInt(4)];
        this.laneCredit = new LaneCredit[up.length];
        for (int lane = 0; lane < up.length; lane++) {
            lanes.add(new ArrayDeque<>());
            laneWords.add(new ArrayDeque<>());
            if (lane == 0 || random.nextBoolean()) {
                begin(lane);
            }
        }
    }

    private void begin(int lane) {
        up[lane] = true;
        boolean saysItself = lane > 0 && random.nextBoolean();
        laneCredit[lane] = saysItself ? new LaneCredit() : null;
        if (saysItself) {
            window.pace(lane);
        }
    }

    private long nanos() {
        nanos += random.nextInt(1_000_000);
        return nanos;
    }

    void run() throws WireException {
        for (int step = 0; step < STEPS; step++) {
            step();
        }
        settle();
        assertThat(came).hasSize(sent.size());
        assertThat(window.own().settled()).isEqualTo(sent.size());
        assertThat(window.bytes()).isZero();
        assertThat(sent).allMatch(frame -> frame.frame.refCnt() == 0);
        assertThat(packedFrames).allMatch(frame -> frame.refCnt() == 0);
        for (int lane = 0; lane < up.length; lane++) {
            assertThat(window.underWay(lane)).as("under way on lane %d", lane).isZero();
        }
        totals.repeated += arrivals.repeated();
    }

    private void step() throws WireException {
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> append();
            case 3, 4, 5 -> write(random.nextInt(4) > 0);
            case 6, 7, 8, 9 -> arrive(random.nextInt(up.length));
            case 10 -> handleOne();
            case 11 -> words.add(arrivals.tell(0, 0));
            case 12 -> {
                hear();
                hear(random.nextInt(up.length));
            }
            case 13, 14, 15 -> pack();
            case 16 -> window.packs(random.nextInt(3) > 0);
            default -> trouble(random.nextInt(100));
        }
    }

    private void trouble(int what) throws WireException {
        int lane = random.nextInt(up.length);
        if (what < 6) {
            loseAll();
        } else if (what < 8) {
            restart();
        } else if (what < 30 && lane > 0) {
            totals.lanesLost += up[lane] ? 1 : 0;
            lose(lane);
        } else if (lane > 0 && !up[lane]) {
            begin(lane);
        }
    }

    /** Some is given to be packed, or some comes back from there, whichever a seed wants. */
    private boolean pack() {
        PackedRun next = random.nextBoolean() ? window.takeRun() : null;
        if (next != null) {
            assertThat(next.frames().stream().map(frame -> view(frame.bytes()).job()).distinct()).as("jobs of a run").hasSize(1);
            assertThat(next.bytes()).isLessThanOrEqualTo(Wire.PACKED_BYTES_MAX);
            packing.add(next);
            return true;
        }
        PackedRun back = packing.poll();
        if (back != null) {
            boolean shorter = random.nextInt(3) > 0;
            totals.packed += shorter ? 1 : 0;
            window.packed(back, shorter ? packedFrame() : null);
        }
        return back != null;
    }

    private ByteBuf packedFrame() {
        ByteBuf frame = Unpooled.buffer(Wire.PACKED_HEADER_BYTES).writeZero(Wire.PACKED_HEADER_BYTES);
        packedFrames.add(frame);
        return frame;
    }

    private static FrameView view(ByteBuf frame) {
        return new FrameView().wrap(frame.nioBuffer(), 0);
    }

    /** Everything that is left goes its way, over lanes that hold. */
    private void settle() throws WireException {
        window.packs(false);
        for (int idle = 0; idle < 2; idle++) {
            boolean on = pack() | write(true);
            for (int lane = 0; lane < up.length; lane++) {
                on |= arrive(lane) | hear(lane);
            }
            while (handleOne()) {
                on = true;
            }
            words.add(arrivals.tell(0, 0));
            while (!words.isEmpty()) {
                hear();
            }
            idle = on ? -1 : idle;
        }
    }

    private void append() {
        int flow = random.nextInt(FLOWS);
        int kind = random.nextInt(4);
        FrameType type = kind == 0 ? FrameType.CHUNK : kind == 1 ? FrameType.EAGER : FrameType.SEND;
        int payload =
                type == FrameType.CHUNK ? random.nextBoolean() ? 4 : Wire.PAYLOAD_BYTES_MAX : type == FrameType.SEND && random.nextBoolean() ? LONG_BYTES : 0;
        int header = type == FrameType.CHUNK ? Wire.CHUNK_HEADER_BYTES : Wire.MESSAGE_HEADER_BYTES;
        ByteBuffer frame = ByteBuffer.allocate(header + payload);
        new FrameView()
                .wrap(frame, 0)
                .begin(type, header, flow % JOBS)
                .length(header + payload)
                .address(1, flow, 3, 0)
                .sequence(sent.size());
        ByteBuf bytes = Unpooled.wrappedBuffer(frame);
        sent.add(new Sent(bytes, flow, type == FrameType.CHUNK));
        window.append(bytes);
    }

    /** As a link does it, but on any lane that carries bulk. @param firstTakes whether the first lane takes more @return whether there was something */
    private boolean write(boolean firstTakes) {
        List<Integer> forBulk = new ArrayList<>();
        for (int lane = 1; lane < up.length; lane++) {
            if (up[lane]) {
                forBulk.add(lane);
            }
        }
        int bulkLane = forBulk.isEmpty() ? 0 : forBulk.get(random.nextInt(forBulk.size()));
        boolean bulk = window.allowsBulk(bulkLane);
        LinkFrame frame = firstTakes ? window.next(0, true, bulk && bulkLane == 0) : null;
        if (frame == null && bulk && bulkLane > 0) {
            frame = window.next(bulkLane, false, true);
        }
        if (frame == null) {
            return false;
        }
        if (frame.run() == null) {
            lanes.get(frame.lane()).add(new Flying(frame.bytes().retainedSlice(), frame.isBulk(), frame.number(), frame.after(), frame.length()));
        } else {
            writePacked(frame.lane(), frame.run());
        }
        return true;
    }

    /** With the numbers of its header, on one lane: so they are lost together, but for those that the other end took. */
    private void writePacked(int lane, PackedRun run) {
        List<LinkFrame> frames = run.frames();
        ByteBuf packed = run.take();
        for (int i = 0; i < frames.size(); i++) {
            ByteBuf bytes = frames.get(i).bytes().retainedSlice();
            lanes.get(lane)
                    .add(new Flying(bytes, true, view(packed).linkWord(0) + i, view(packed).linkWord(1), i + 1 < frames.size() ? 0 : packed.readableBytes()));
        }
        packed.release();
    }

    private boolean arrive(int lane) throws WireException {
        Flying frame = lanes.get(lane).poll();
        if (frame == null) {
            return false;
        }
        FrameView view = new FrameView().wrap(frame.bytes.nioBuffer(), 0);
        long before = came.size();
        if (laneCredit[lane] != null) {
            laneCredit[lane].frame(frame.wireBytes);
            laneWords.get(lane).add(laneCredit[lane].tell(0, 0));
        }
        if (frame.bulk) {
            arrivals.bulk(frame.number, frame.after, frame.bytes, frame.bytes.readerIndex(), frame.bytes.readableBytes(), view);
        } else {
            arrivals.head(frame.bytes, frame.bytes.readerIndex(), frame.bytes.readableBytes(), view);
        }
        totals.held += came.size() == before ? 1 : 0;
        frame.bytes.release();
        return true;
    }

    @Override
    public void onFrame(long name, ByteBuf buffer, int index, int length, FrameView view) {
        long place = view.sequence();
        Sent frame = sent.get((int) place);
        assertThat(came.add(place)).as("frame %d comes once", place).isTrue();
        Long before = (frame.chunk ? lastChunk : lastOrdered).put(frame.flow, place);
        assertThat(before == null || before < place).as("frame %d of flow %d after %d", place, frame.flow, before).isTrue();
        if (frame.chunk) {
            for (int earlier = 0; earlier < place; earlier++) {
                boolean head = sent.get(earlier).flow == frame.flow && !sent.get(earlier).chunk;
                assertThat(!head || came.contains((long) earlier)).as("chunk %d before head %d", place, earlier).isTrue();
            }
        }
        unhandled.add(name);
    }

    /** In any order. */
    private boolean handleOne() {
        if (unhandled.isEmpty()) {
            return false;
        }
        arrivals.handle(unhandled.remove(random.nextInt(unhandled.size())));
        return true;
    }

    private void hear() throws WireException {
        LinkReceiver.Counts word = words.poll();
        if (word != null) {
            window.acknowledge(word.heads(), word.bulk(), word.bulkReceived(), word.incomplete());
            for (long place = 0; place < window.own().settled(); place++) {
                assertThat(came.contains(place)).as("frame %d is settled, and came", place).isTrue();
            }
        }
    }

    /** One word of a lane, if it says anything itself. */
    private boolean hear(int lane) throws WireException {
        Long word = laneWords.get(lane).poll();
        if (word != null) {
            window.come(lane, word);
        }
        return word != null;
    }

    private void lose(int lane) {
        up[lane] = false;
        laneWords.get(lane).clear();
        lanes.get(lane).forEach(frame -> frame.bytes.release());
        lanes.get(lane).clear();
        window.lost(lane);
    }

    private void cut() {
        lanes.forEach(lane -> {
            lane.forEach(frame -> frame.bytes.release());
            lane.clear();
        });
        laneWords.forEach(Deque::clear);
        words.clear();
        arrivals.drop();
    }

    private void loseAll() throws WireException {
        totals.sessions++;
        cut();
        window.resume(arrivals.headsReceived(), arrivals.bulkReceived());
        beginAnew();
    }

    private void beginAnew() {
        for (int lane = 0; lane < up.length; lane++) {
            if (up[lane]) {
                begin(lane);
            }
        }
    }

    private void restart() {
        totals.restarts++;
        cut();
        arrivals.forget();
        List<ByteBuf> back = window.takeAll();
        assertThat(back).as("all that was not settled, in order").isEqualTo(
                sent.subList(sent.size() - back.size(), sent.size()).stream().map(Sent::frame).toList());
        back.forEach(ByteBuf::release);
        sent.clear();
        came.clear();
        lastOrdered.clear();
        lastChunk.clear();
        beginAnew();
    }
}
