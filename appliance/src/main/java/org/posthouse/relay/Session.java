package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import org.posthouse.core.Refusal;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/** What a connection is for, once its HELLO was accepted. Confined to its strand: a rank's shard's, or the relay's. */
interface Session {
    /** Answers the HELLO. Whatever is thrown, {@link #onClosed} comes. */
    void begin() throws Refusal;

    void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException;

    /** Whether this frame must wait until there is room in the log; whoever asks holds back what comes behind it, too. */
    default boolean mustWait(FrameView view) {
        return false;
    }

    /** Calls back, in the strand, when there is. */
    default void whenRoom(Runnable goOn) {
        throw new IllegalStateException(this + " logs nothing");
    }

    void onWritable();

    void onClosed(CloseNotice why);
}
