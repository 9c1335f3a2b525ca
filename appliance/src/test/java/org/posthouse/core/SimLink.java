package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The way from one core to another: keeps each frame until it is known that it was handled, through any restart of the
 * other end. Its own end's restart is the end of it.
 */
final class SimLink {
    private record Sent(ByteBuffer frame, boolean kept) {}

    private final SimClock clock;
    private final Random random;
    private final int delayMax;
    private final Consumer<ByteBuffer> to;
    private final LongConsumer handled;
    private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>();
    private SimPipe pipe;
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
        pipe = new SimPipe(clock, random, delayMax);
    }

    void send(ByteBuffer frame, boolean kept) {
        unacknowledged.add(new Sent(copy(frame), kept));
        SimPipe over = pipe;
        over.send(1, () -> {
            to.accept(frame);
            clock.after(random.nextInt(2 * delayMax + 1), () -> acknowledged(over));
        });
    }

    private static ByteBuffer copy(ByteBuffer frame) {
        ByteBuffer copy = ByteBuffer.allocate(frame.capacity());
        copy.put(0, frame, 0, frame.capacity());
        return copy;
    }

    /** The frame that was sent first of those that are not known to be handled, was. */
    private void acknowledged(SimPipe over) {
        if (over == pipe && !cut && unacknowledged.remove().kept) {
            handled.accept(++keptHandled);
        }
    }

    /** This end is gone. */
    void end() {
        pipe.cut();
        cut = true;
    }

    /** The other end is gone: what is sent from now on waits. */
    void lose() {
        pipe.cut();
    }

    /** The other end is there again. @return what is not known to have been handled there; the link has forgotten it */
    List<ByteBuffer> takeUnacknowledged() {
        List<ByteBuffer> frames = new ArrayList<>();
        unacknowledged.forEach(sent -> frames.add(sent.frame));
        unacknowledged.clear();
        pipe = new SimPipe(clock, random, delayMax);
        return frames;
    }
}
