package org.posthouse.relay.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.posthouse.core.Peer;
import org.posthouse.wire.FrameType;

/**
 * The work of one shard that waits for room in the log, in order: frames from other cores, and connections whose
 * reading is paused. Confined to the shard's strand.
 *
 * <p>While the disk is full or the log has reached its limit, a frame that would be logged is not given to the core.
 * The core thus needs no code for this case, and no frame is half handled. The number of waiting frames is bounded by
 * their senders' credit, which returns only when they are logged.
 */
public final class LogBacklog {
    /**
     * Types of frames that are logged, or may be. Frames that make room, and a rank's last frames, are not among them.
     */
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

    /**
     * Limit of waiting reports on blocked ranks, some 200 bytes each. Further ones are dropped, because reports are
     * repeated.
     */
    static final int WORDS_MAX = 1_024;

    /**
     * A frame of another core, which the work handles and releases. If {@code frame} is null, a report on a blocked
     * rank.
     */
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
     * @param full whether the log has no room
     * @param waits receives the jobs whose frames wait here
     */
    public LogBacklog(BooleanSupplier full, LongConsumer waits) {
        this.full = full;
        this.waits = waits;
    }

    public boolean holdsFrames() {
        return !frames.isEmpty();
    }

    /** Whether a frame of another core, of a logged job, must wait: it may be logged, or others wait before it. */
    public boolean stops(FrameType type) {
        return !frames.isEmpty() || stopsFirst(type);
    }

    /** Whether a frame of a logged job must wait, if none waits before it. */
    public boolean stopsFirst(FrameType type) {
        return full.getAsBoolean() && LOGGED.contains(type);
    }

    /** Whether nothing waits and the log has room. */
    public boolean isIdle() {
        return frames.isEmpty() && !full.getAsBoolean();
    }

    /** Adds a frame, which the work handles and releases. */
    public void add(Peer from, ByteBuf frame, Runnable work) {
        frames.add(new Waiting(from, frame, work));
    }

    /**
     * Adds another core's report on a blocked rank, behind the frames that the core forwarded before. The report says
     * that nothing more will come.
     */
    public void addWord(Peer from, Runnable work) {
        if (words < WORDS_MAX) {
            words++;
            frames.add(new Waiting(from, null, work));
        }
    }

    /** Reports that a frame of this job waits. */
    public void waits(long job) {
        waits.accept(job);
    }

    /** Adds a connection that resumes when there is room. */
    public void add(Runnable goOn) {
        connections.add(goOn);
    }

    /** Discards the frames of another core that was restarted; it resends what was not acknowledged. */
    public void drop(Peer from) {
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

    /** Runs what waits, as long as the log has room. */
    public void goOn() {
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
