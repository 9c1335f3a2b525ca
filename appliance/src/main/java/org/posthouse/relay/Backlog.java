package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.posthouse.core.Peer;
import org.posthouse.wire.FrameType;

/**
 * What waits at one shard until there is room in the log: frames that other cores have passed on, and connections that are
 * not read meanwhile. All in its order. Confined to the shard's strand.
 *
 * <p>A frame that would have something logged is not shown to the core while the disk is full, or the log as large as it may be: so the core need not know of
 * it, and nothing of it is done by halves. How much waits here is bounded by the credit that the frames' senders had, which
 * comes back only when they are logged.
 */
final class Backlog {
    /** Frames that have, or may have, something logged; but for what makes room, and a rank's goodbye, which are let through. */
    private static final Set<FrameType> LOGGED = EnumSet.of(
            FrameType.SEND,
            FrameType.EAGER,
            FrameType.OFFER,
            FrameType.CHUNK,
            FrameType.POST,
            FrameType.PROBE,
            FrameType.CANCEL,
            FrameType.WITHDRAW,
            FrameType.POLLS,
            FrameType.EVENTS,
            FrameType.LIVE);

    /** Words on blocked ranks that may wait at once, some 200 bytes each: they are said again, so more are not kept. */
    static final int WORDS_MAX = 1_024;

    /** A frame of another core, which the work handles and releases; or no frame, but a word on a blocked rank. */
    private record Waiting(Peer from, ByteBuf frame, Runnable work) {
        boolean isWord() {
            return frame == null;
        }
    }

    private final BooleanSupplier full;
    private final LongConsumer waits;
    private final ArrayDeque<Waiting> frames = new ArrayDeque<>();
    private final ArrayDeque<Runnable> connections = new ArrayDeque<>();
    private int words;

    /**
     * @param full whether there is no room in the log
     * @param waits is told of jobs that have something here
     */
    Backlog(BooleanSupplier full, LongConsumer waits) {
        this.full = full;
        this.waits = waits;
    }

    boolean holdsFrames() {
        return !frames.isEmpty();
    }

    /** Whether a frame of another core, of a logged job, must wait: it may have something logged, or others wait. */
    boolean stops(FrameType type) {
        return !frames.isEmpty() || stopsFirst(type);
    }

    /** Whether a frame of a logged job before which none waits must wait. */
    boolean stopsFirst(FrameType type) {
        return full.getAsBoolean() && LOGGED.contains(type);
    }

    /** Whether nothing waits, and nothing must. */
    boolean isIdle() {
        return frames.isEmpty() && !full.getAsBoolean();
    }

    /** A frame waits, whose work handles and releases it. */
    void add(Peer from, ByteBuf frame, Runnable work) {
        frames.add(new Waiting(from, frame, work));
    }

    /** What another core says of a blocked rank waits behind what that has passed on before: it says that nothing more comes. */
    void addWord(Peer from, Runnable work) {
        if (words < WORDS_MAX) {
            words++;
            frames.add(new Waiting(from, null, work));
        }
    }

    /** A frame of this job waits, the first of some. */
    void waits(long job) {
        waits.accept(job);
    }

    /** A connection is not read until there is room. */
    void add(Runnable goOn) {
        connections.add(goOn);
    }

    /** The other core has been restarted: what it has not heard to be handled it will see to itself. */
    void drop(Peer from) {
        frames.removeIf(waiting -> {
            boolean gone = waiting.from() == from;
            if (gone) {
                letGo(waiting);
            }
            return gone;
        });
    }

    private void letGo(Waiting waiting) {
        if (waiting.isWord()) {
            words--;
        } else {
            waiting.frame().release();
        }
    }

    /** There is room: as much is done as there is room for. */
    void goOn() {
        while (!frames.isEmpty() && !full.getAsBoolean()) {
            Waiting next = frames.remove();
            words -= next.isWord() ? 1 : 0;
            next.work().run();
        }
        for (int left = connections.size(); left > 0 && !full.getAsBoolean(); left--) {
            connections.remove().run();
        }
    }
}
