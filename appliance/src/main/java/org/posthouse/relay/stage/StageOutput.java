package org.posthouse.relay.stage;

import java.nio.ByteBuffer;

/** The connection to a launcher or an agent, as staging uses it. Any thread may call it; a closed one takes nothing. */
public interface StageOutput {
    /** Sends a frame behind those that were sent before. */
    void send(ByteBuffer frame);
}
