package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import org.posthouse.core.Refusal;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * The purpose of a connection after its HELLO was accepted. Confined to its strand: that of a rank's shard, or the
 * relay's.
 */
interface Session {
    /** Answers the HELLO. If it throws, {@link #onClosed} is still called. */
    void begin() throws Refusal;

    void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException;

    /** Whether this frame must wait for room in the log. The caller then holds the following frames too. */
    default boolean mustWait(FrameView view) {
        return false;
    }

    /** Calls back, in the strand, when there is room. */
    default void whenRoom(Runnable goOn) {
        throw new IllegalStateException(this + " logs nothing");
    }

    /** Whether the client reconnects to a relay that is started again. */
    default boolean comesAgain() {
        return false;
    }

    void onWritable();

    void onClosed(CloseNotice why);
}
