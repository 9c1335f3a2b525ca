package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/**
 * The way from one core to another: keeps each frame until it is known that it was handled, through any restart of the
 * other end. Its own end's restart is the end of it. Chunks may be overtaken by all other frames, and overtake none. So may some messages, drawn
 * from all: long ones; what follows in such a one's channel stays behind it.
 */
final class SimLink {
    private record Channel(long job, int context, int source, int destination) {}

    private static final class Sent {
        private final ByteBuffer frame;
        private final boolean kept;
        private boolean handled;

        private Sent(ByteBuffer frame, boolean kept) {
            this.frame = frame;
            this.kept = kept;
        }
    }

    private final SimClock clock;
    private final Random random;
    private final int delayMax;
    private final Consumer<ByteBuffer> to;
    private final LongConsumer handled;
    private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>();
    private SimPipe pipe;
    private SimPipe bulk;

    /** Channels with long messages that have not come: how many frames of each went the long ones' way. */
    private final Map<Channel, Integer> behindLong = new HashMap<>();
    private long keptHandled;
    private boolean cut;

    /**
     * @param to takes frames in at the other end
     * @param handled is told how many kept frames were handled there
     */
    SimLink(SimClock clock, Random random, int delayMax, Consumer<ByteBuffer> to, LongConsumer handled) {
        this.clock = clock;
        this.random = random;
        this.delayMax = delayMax;
        this.to = to;
        this.handled = handled;
        connect();
    }

    private void connect() {
        pipe = new SimPipe(clock, random, delayMax);
        bulk = new SimPipe(clock, random, 8 * delayMax);
        behindLong.clear();
    }

    void send(ByteBuffer frame, boolean kept) {
        Sent sent = new Sent(copy(frame), kept);
        unacknowledged.add(sent);
        SimPipe over = pipe;
        FrameView view = new FrameView().wrap(frame, 0);
        boolean chunk = view.type() == FrameType.CHUNK;
        Channel channel = new Channel(view.job(), view.context(), view.source(), view.destination());
        boolean isLong = !chunk && (behindLong.containsKey(channel) || view.type() == FrameType.SEND && random.nextInt(4) == 0);
        if (isLong) {
            behindLong.merge(channel, 1, Integer::sum);
        }
        way(chunk || isLong).send(1, () -> {
            if (isLong && over == pipe) {
                behindLong.computeIfPresent(channel, (same, count) -> count == 1 ? null : count - 1);
            }
            to.accept(frame);
            clock.after(random.nextInt(2 * delayMax + 1), () -> handled(sent, over));
        });
    }

    private SimPipe way(boolean isBulk) {
        if (!isBulk) {
            return pipe;
        }
        bulk.behind(pipe);
        return bulk;
    }

    private static ByteBuffer copy(ByteBuffer frame) {
        ByteBuffer copy = ByteBuffer.allocate(frame.capacity());
        copy.put(0, frame, 0, frame.capacity());
        return copy;
    }

    /** The frame was handled; told of are those before which all were. */
    private void handled(Sent frame, SimPipe over) {
        if (over != pipe || cut) {
            return;
        }
        frame.handled = true;
        while (!unacknowledged.isEmpty() && unacknowledged.getFirst().handled) {
            if (unacknowledged.remove().kept) {
                handled.accept(++keptHandled);
            }
        }
    }

    /** This end is gone. */
    void end() {
        lose();
        cut = true;
    }

    /** The other end is gone: what is sent from now on waits. */
    void lose() {
        pipe.cut();
        bulk.cut();
    }

    /** The other end is there again. @return what is not known to have been handled there; the link has forgotten it */
    List<ByteBuffer> takeUnacknowledged() {
        List<ByteBuffer> frames = new ArrayList<>();
        unacknowledged.forEach(sent -> frames.add(sent.frame));
        unacknowledged.clear();
        connect();
        return frames;
    }
}
