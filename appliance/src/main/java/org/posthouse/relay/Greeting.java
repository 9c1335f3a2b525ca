package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The answer to a rank's process that has a past, and whatever the relay has for it behind that, while the log is not safe on its
 * disk up to all that it tells (ADR 19). For a process believes what it is told: it prints from its history at once, and keeps no
 * message that it hears is where it was to go. If the host lost its power then, nobody would have them. To the core, the rank is
 * one that reads nothing yet. Confined to the strand of the rank's shard.
 */
final class Greeting {
    private final ArrayDeque<ByteBuf> frames = new ArrayDeque<>();
    private boolean held;

    /** From here on what is written to the rank is to be {@link #add added}. */
    void hold() {
        held = true;
    }

    boolean isHeld() {
        return held;
    }

    /** Takes over a frame. */
    void add(ByteBuf frame) {
        frames.add(frame);
    }

    /** It may leave: hands over what was held, in its order. */
    void release(Consumer<ByteBuf> line) {
        held = false;
        while (!frames.isEmpty()) {
            line.accept(frames.remove());
        }
    }

    /** There is nobody to greet any more. */
    void drop() {
        release(ByteBuf::release);
    }
}
