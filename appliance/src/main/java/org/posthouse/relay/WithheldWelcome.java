package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Holds the answer to a restarted rank process, and all later frames for it, until the log is synced up to their
 * content (ADR 19). A process relies on these frames. It prints from its history at once, and drops copies of messages
 * that are reported as delivered. After a power cut these would be lost. Until the release, the core sees a rank that
 * does not read. Confined to the strand of the rank's shard.
 */
final class WithheldWelcome {
    private final ArrayDeque<ByteBuf> frames = new ArrayDeque<>();
    private boolean held;

    /** Begins holding: all frames for the rank must be {@link #add added} from now on. */
    void hold() {
        held = true;
    }

    boolean isHeld() {
        return held;
    }

    /** Adds a frame; takes it over. */
    void add(ByteBuf frame) {
        frames.add(frame);
    }

    /** Ends holding, and passes on the held frames in order. */
    void release(Consumer<ByteBuf> line) {
        held = false;
        while (!frames.isEmpty()) {
            line.accept(frames.remove());
        }
    }

    /** Discards the held frames, because the rank has gone. */
    void drop() {
        release(ByteBuf::release);
    }
}
