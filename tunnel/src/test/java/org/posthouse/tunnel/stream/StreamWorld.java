package org.posthouse.tunnel.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkQueue;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * Two relays, the link between them and streams over it, without a socket or a clock: what happens next is drawn from a seed. Bytes are the
 * numbers 0, 1, 2, … of their stream and direction, so that any loss, repetition or disorder shows.
 */
final class StreamWorld {
    private static final int FRAME_BYTES_MAX = 40;

    private final Random random;
    private final End a;
    private final End b;
    private final List<Half> halves = new ArrayList<>();

    /** One relay's end of the link. */
    final class End implements LinkStreams.Port, StreamAcceptor {
        private final String own;
        private final StreamConfig config;
        private StreamBuffers buffers;
        private LinkStreams streams;
        private final LinkQueue queue = new LinkQueue();
        private final ArrayDeque<ByteBuf> wire = new ArrayDeque<>();
        private final FrameView view = new FrameView();
        private long place;
        private boolean windowFull;
        private End other;

        private End(String own, String peer, StreamConfig config) {
            this.own = own;
            this.config = config;
            start(peer);
        }

        private void start(String peer) {
            buffers = new StreamBuffers(config);
            streams = new LinkStreams(own, peer, this, this, buffers, new StreamCounters());
        }

        @Override
        public void send(ByteBuf frame) {
            queue.add(new LinkFrame(frame, place++));
        }

        @Override
        public boolean writable() {
            return !windowFull;
        }

        @Override
        public void onAsked(LinkStream stream, String door) {
            if (door.equals("none")) {
                stream.end(CloseReason.SITE_UNREACHABLE, "no such door");
            } else {
                Half half = new Half(this, stream);
                halves.stream()
                        .filter(each -> each.end == other && each.stream.id() == stream.id() && !each.ended)
                        .findFirst()
                        .ifPresent(opener -> {
                            half.peer = opener;
                            opener.peer = half;
                        });
                halves.add(half);
            }
        }

        private void open(String door) {
            Half half = new Half(this, null);
            half.stream = streams.open(door, half);
            if (half.stream != null) {
                halves.add(half);
            }
        }

        /** Puts what waits on the wire, as a socket takes it: some. */
        private void flush() {
            for (int i = random.nextInt(6); i > 0; i--) {
                LinkFrame frame = queue.next(true, true);
                if (frame == null) {
                    return;
                }
                wire.add(frame.bytes());
            }
        }

        private boolean arrive() {
            ByteBuf frame = other.wire.poll();
            if (frame == null) {
                return false;
            }
            try {
                view.wrap(frame.nioBuffer(), 0);
                assertThat(view.checkHeader(frame.readableBytes())).isEqualTo(frame.readableBytes());
                streams.onFrame(frame, frame.readerIndex(), frame.readableBytes(), view);
            } catch (WireException e) {
                throw new AssertionError("a breach: " + e.getMessage(), e);
            } finally {
                frame.release();
            }
            return true;
        }

        private void lose() {
            wire.forEach(ByteBuf::release);
            wire.clear();
            for (LinkFrame frame = queue.next(true, true); frame != null; frame = queue.next(true, true)) {
                frame.bytes().release();
            }
        }
    }

    /** One end of one stream, and what its user does with it. */
    final class Half implements LinkStream.Listener {
        private final End end;
        private LinkStream stream;

        /** The other end; null if that is not known, or was gone before it was. */
        private Half peer;

        private int sent;
        private int heard;
        private boolean finished;
        private boolean heardLast;
        private boolean done;
        private boolean ended;
        private int held;

        private Half(End end, LinkStream stream) {
            this.end = end;
            this.stream = stream;
        }

        @Override
        public void onBytes(ByteBuf bytes, boolean last) {
            assertThat(heardLast).as("bytes behind the last").isFalse();
            while (bytes.isReadable()) {
                assertThat(bytes.readByte()).as("byte %s of %s", heard, stream).isEqualTo((byte) heard++);
            }
            bytes.release();
            heardLast = last;
            held++;
        }

        @Override
        public void onWritable() {
            assertThat(stream.writable()).isTrue();
        }

        @Override
        public void onDone() {
            assertThat(finished && heardLast && held == 0).isTrue();
            done = true;
            ended = true;
        }

        @Override
        public void onEnded(CloseReason closeReason, String text) {
            assertThat(ended).isFalse();
            ended = true;
        }

        private void act() {
            if (stream.state() == LinkStream.State.ASKED) {
                if (random.nextInt(3) == 0) {
                    stream.accept(this);
                }
                return;
            }
            switch (random.nextInt(20)) {
                case 0 -> finish();
                case 1 -> {
                    if (random.nextInt(6) == 0) {
                        stream.end(CloseReason.NORMAL, "broken");
                        ended = true;
                    }
                }
                case 2, 3, 4, 5 -> leave(1);
                case 6 -> leave(held);
                default -> write(1 + random.nextInt(4));
            }
        }

        private void finish() {
            if (!finished) {
                finished = true;
                stream.finish();
            }
        }

        private void leave(int frames) {
            for (int i = Math.min(held, frames); i > 0; i--) {
                held--;
                stream.left();
            }
        }

        private void write(int frames) {
            for (int i = 0; i < frames && !ended && stream.writable(); i++) {
                byte[] bytes = new byte[1 + random.nextInt(FRAME_BYTES_MAX)];
                for (int at = 0; at < bytes.length; at++) {
                    bytes[at] = (byte) sent++;
                }
                stream.write(Unpooled.wrappedBuffer(bytes));
            }
        }
    }

    StreamWorld(long seed) {
        random = new Random(seed);
        a = new End("a", "b", config());
        b = new End("b", "a", config());
        a.other = b;
        b.other = a;
    }

    private StreamConfig config() {
        int streams = 1 + random.nextInt(6);
        int tokens = 4 + random.nextInt(6);
        return new StreamConfig(streams * tokens + random.nextInt(40), streams, tokens);
    }

    /** @return how many bytes were heard, so that a test can see that something happens */
    long run(int steps) {
        for (int step = 0; step < steps; step++) {
            step();
            check();
        }
        settle();
        return halves.stream().mapToLong(half -> half.heard).sum();
    }

    private void step() {
        End end = random.nextBoolean() ? a : b;
        switch (random.nextInt(24)) {
            case 0 -> end.open(random.nextInt(5) == 0 ? "none" : "door");
            case 1 -> end.streams.handOverIdle();
            case 2 -> {
                end.windowFull = !end.windowFull;
                if (!end.windowFull) {
                    end.streams.onWritable();
                }
            }
            case 3 -> {
                if (random.nextInt(200) == 0) {
                    restart();
                }
            }
            case 4, 5, 6, 7 -> end.flush();
            case 8, 9, 10, 11 -> end.arrive();
            default -> act();
        }
    }

    private void act() {
        List<Half> living = halves.stream().filter(half -> !half.ended && half.stream.state() != LinkStream.State.ENDED).toList();
        if (!living.isEmpty()) {
            living.get(random.nextInt(living.size())).act();
        }
    }

    /** One relay forgets everything; the other one hears of it when it sees the new epoch, and what was under way is gone. */
    private void restart() {
        End dead = random.nextBoolean() ? a : b;
        a.lose();
        b.lose();
        halves.stream().filter(half -> half.end == dead).forEach(half -> half.ended = true);
        dead.start(dead.other.own);
        dead.other.streams.endAll(CloseReason.SITE_UNREACHABLE, "restarted");
    }

    private void check() {
        for (End end : List.of(a, b)) {
            int may = 0;
            for (Half half : halves) {
                may += half.end == end && !half.ended ? half.held : 0;
            }
            for (Half half : halves) {
                boolean sendsHere = half.end != end && !half.ended && half.stream.state() == LinkStream.State.OPEN;
                may += sendsHere && half.peer != null && !half.peer.ended ? half.stream.tokens() : 0;
            }
            assertThat(may).as("frames that wait or may come").isLessThanOrEqualTo(end.buffers.used());
            assertThat(end.buffers.used()).as("N >= P x L").isLessThanOrEqualTo(end.buffers.config().buffers());
        }
    }

    /** Everybody finishes and reads: nothing may be left over, or missing. */
    private void settle() {
        a.windowFull = false;
        b.windowFull = false;
        for (int round = 0; round < 20_000 && (a.streams.open() > 0 || b.streams.open() > 0 || a.arrive() || b.arrive()); round++) {
            for (Half half : List.copyOf(halves)) {
                if (!half.ended && half.stream.state() == LinkStream.State.ASKED) {
                    half.stream.accept(half);
                }
                if (!half.ended) {
                    half.finish();
                    half.leave(half.held);
                }
            }
            a.flush();
            b.flush();
            a.arrive();
            b.arrive();
        }
        assertThat(a.streams.open() + b.streams.open()).as("streams that never end").isZero();
        assertThat(a.buffers.used() + b.buffers.used()).as("buffers that never come back").isZero();
        for (Half half : halves) {
            if (half.done && half.peer.done) {
                assertThat(half.heard).as("bytes of %s", half.stream).isEqualTo(half.peer.sent);
            }
        }
        a.lose();
        b.lose();
    }

    long done() {
        return halves.stream().filter(half -> half.done).count();
    }
}
