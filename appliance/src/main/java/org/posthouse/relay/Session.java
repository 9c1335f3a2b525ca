package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Notice;
import org.posthouse.wire.WireException;

/** What a connection is for, once its HELLO was accepted. Confined to its strand: a rank's shard's, or the relay's. */
interface Session {
    void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException;

    void onWritable();

    void onClosed(Notice why);
}
